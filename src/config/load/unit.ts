import { addAll } from "../../diagnostics/add-all.js";
import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { createSourceFile, type SourceFile } from "../../diagnostics/source-file.js";
import type { Environment } from "../environment.js";
import { type CodeFiles, NO_CODE, selectCode, type FileStore, type FoundFile } from "./file-store.js";
import { looksLikeYaml } from "../yaml/file-kind.js";
import { IGNORE_FILE, readIgnoreFile } from "./ignore-file.js";
import type { LoadOptions } from "./load-options.js";
import { mergeRaw } from "../merge/merge.js";
import type { KnowledgeDocument } from "../rails-config.js";
import { EMPTY_MAP, nodeAt, type RawMap, textAt } from "../yaml/raw-node.js";
import { readYaml } from "../yaml/read-yaml.js";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** A folder that relative paths refer to. */
export interface Place {
  readonly store: FileStore;
  readonly folder: string;
}

/** Contents of one folder or file. */
export interface Unit extends Place {
  readonly raw: RawMap;
  readonly colang: readonly SourceFile[];
  readonly documents: readonly KnowledgeDocument[];
  readonly code: CodeFiles;
}

/** State of reading one configuration. */
export interface Reading {
  readonly problems: Diagnostic[];
  readonly env: Environment;
  readonly maxFiles: number;
  readonly colangImports: LoadOptions["colangImports"];
  /** Absent for configurations in memory; opened when an import or a variable needs it. */
  readonly disk: FileStore | undefined;
  /** True if imports may be read from a disk. */
  readonly readsDisk: boolean;
  /** Identities of the files already read; each is read once. */
  readonly seen: Set<string>;
  /** Folder of each source, for relative imports. */
  readonly folders: Map<SourceFile, Place>;
}

/** Reads a folder: its YAML and Colang files, documents, and the list of its code files. */
export async function readFolder(store: FileStore, folder: string, label: string, reading: Reading): Promise<Unit> {
  return await new UnitReader(store, label, reading).readFolder(folder);
}

/** Reads a single file: either settings or flows. */
export async function readFile(store: FileStore, path: string, name: string, reading: Reading): Promise<Unit> {
  return await new UnitReader(store, "", reading).readFile(path, name);
}

export function isYaml(path: string): boolean {
  return /\.ya?ml$/.test(path);
}

function withoutExtension(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}

function isMarkdown({ relative }: FoundFile): boolean {
  return relative.endsWith(".md");
}

const SHOWN_FILES = 3;

class UnitReader {
  readonly #store: FileStore;
  readonly #label: string;
  readonly #reading: Reading;

  constructor(store: FileStore, label: string, reading: Reading) {
    this.#store = store;
    this.#label = label;
    this.#reading = reading;
  }

  async readFolder(folder: string): Promise<Unit> {
    const store = this.#store;
    const { problems, maxFiles } = this.#reading;
    const unit: Unit = { store, folder, raw: EMPTY_MAP, colang: [], documents: [], code: NO_CODE };
    const listed = await store.list(folder, maxFiles);
    if (!listed) {
      const hint = "give the folder of the configuration, not one above it";
      const name = this.#label || store.nameOf(folder);
      report(problems, "CF-118", `\`${name}\` holds more than ${maxFiles} files`, { path: folder, hint });
      return unit;
    }
    const usable = this.#usable(listed, await findIgnoreFile(store, folder));
    let raw = EMPTY_MAP;
    for (const file of usable) {
      if (!isYaml(file.relative) || file.relative.startsWith("kb/")) continue;
      const root = await this.#readSettings(file);
      if (root) raw = mergeRaw(raw, root, { winner: "second", warnings: problems });
    }
    const code = selectCode(usable, (relative) => this.#nameOf(relative));
    this.#notePython(usable, code);
    const knowledge = documentFolder(raw);
    const [inside, outside] = [true, false].map((isInside) =>
      usable.filter(({ relative }) => relative.startsWith(knowledge) === isInside),
    ) as [FoundFile[], FoundFile[]];
    const colang: SourceFile[] = [];
    for (const file of outside) {
      const source = file.relative.endsWith(".co") ? await this.#readColang(file) : undefined;
      if (source) colang.push(source);
    }
    const documents: KnowledgeDocument[] = [];
    for (const file of inside.filter(isMarkdown)) {
      const document = await this.#readDocument(file, folder);
      if (document) documents.push(document);
    }
    this.#noteOtherFiles(knowledge, inside);
    const asked = nodeAt(raw, ["knowledge_base", "folder"])?.span;
    const isThere = asked !== undefined || (await store.kindOf(store.resolve(folder, knowledge))) === "folder";
    if (isThere && documents.every(({ content }) => content.trim() === "")) {
      const path = this.#nameOf(knowledge);
      const hint = "put markdown files into it, or give a `retriever` when the configuration is loaded";
      const message = `the knowledge base \`${path}\` has no documents, so nothing is looked up`;
      report(problems, "CF-205", message, { span: asked, path, hint });
    }
    return { ...unit, raw, colang, documents, code };
  }

  async readFile(path: string, relative: string): Promise<Unit> {
    const store = this.#store;
    const file: FoundFile = { relative, path, identity: await store.identityOf(path) };
    const unit = { store, folder: store.parentOf(path), raw: EMPTY_MAP, colang: [], documents: [], code: NO_CODE };
    if (!this.#isNew(file)) return unit;
    if (isYaml(path)) return { ...unit, raw: (await this.#readSettings(file)) ?? EMPTY_MAP };
    const source = await this.#readColang(file);
    return { ...unit, colang: source ? [source] : [] };
  }

  /** Displayed name of a file: its path below the root configuration, or below the importing path. */
  #nameOf(relative: string): string {
    return this.#label === "" ? relative : `${this.#label.replace(/\/+$/, "")}/${relative}`;
  }

  #isNew({ identity }: FoundFile): boolean {
    const { seen } = this.#reading;
    const { size } = seen;
    return seen.add(identity).size > size;
  }

  #usable(listed: readonly FoundFile[], isIgnored: (relative: string) => boolean): FoundFile[] {
    return listed.filter((file) => {
      if (file.relative === IGNORE_FILE || isIgnored(file.relative)) return false;
      if (file.broken === undefined) return this.#isNew(file);
      const path = this.#nameOf(file.relative);
      const hint = "repair or remove it, or list it in `.railsignore`";
      report(this.#reading.problems, "CF-101", `\`${path}\` cannot be read: ${file.broken}`, { path, hint });
      return false;
    });
  }

  /** Reports files of Python, which configurations of NeMo Guardrails contain, unless a script replaces them. */
  #notePython(files: readonly FoundFile[], { config, actions }: CodeFiles): void {
    const replaced = new Set([...(config ? [config] : []), ...actions].map(({ name }) => withoutExtension(name)));
    for (const { relative } of files) {
      if (!relative.endsWith(".py") || relative.endsWith("/__init__.py")) continue;
      const path = this.#nameOf(relative);
      if (replaced.has(withoutExtension(path))) continue;
      const hint =
        relative === "config.py"
          ? "write `export function init(app) { … }` into `config.ts` or `config.js`: TypeScript and JavaScript are loaded"
          : "write its actions as exported functions in `actions.ts` or `actions.js`, or pass them as the option `actions`; " +
            "TypeScript and JavaScript are loaded";
      report(this.#reading.problems, "CF-208", `\`${path}\` is Python, which is not run`, { path, hint });
    }
  }

  #noteOtherFiles(folder: string, files: readonly FoundFile[]): void {
    const others = files.filter((file) => !isMarkdown(file) && !/(?:^|\/)\./.test(file.relative));
    if (others.length === 0) return;
    const path = this.#nameOf(folder);
    const shown = others.slice(0, SHOWN_FILES).map(({ relative }) => `\`${relative}\``);
    const more = others.length > SHOWN_FILES ? ` and ${others.length - SHOWN_FILES} more` : "";
    const message = `only markdown is read from \`${path}\`; ignored: ${shown.join(", ")}${more}`;
    const hint = "save them as `.md`, or list them in `.railsignore`";
    report(this.#reading.problems, "CF-206", message, { path, hint });
  }

  async #readSettings(file: FoundFile): Promise<RawMap | undefined> {
    const source = await this.#readSource(file);
    if (!source) return undefined;
    const { root, diagnostics } = await readYaml(source);
    addAll(this.#reading.problems, diagnostics);
    return root;
  }

  async #readColang(file: FoundFile): Promise<SourceFile | undefined> {
    const source = await this.#readSource(file);
    const problem = source && looksLikeYaml(source);
    if (!problem) return source;
    this.#reading.problems.push(problem);
    return undefined;
  }

  async #readDocument(file: FoundFile, folder: string): Promise<KnowledgeDocument | undefined> {
    const path = this.#nameOf(file.relative);
    if (!(await this.#store.contains(folder, file.path))) {
      // A link may lead to any file of the machine, whose text would be shown to users.
      const hint = "copy the document into the folder, or give a `retriever` when the configuration is loaded";
      const message = `\`${path}\` is a link out of the folder of the configuration`;
      report(this.#reading.problems, "CF-101", message, { path, hint });
      return undefined;
    }
    const content = await this.#readText(file, MAX_DOCUMENT_BYTES);
    return content === undefined ? undefined : { path, format: "md", content };
  }

  async #readSource(file: FoundFile): Promise<SourceFile | undefined> {
    const text = await this.#readText(file, MAX_FILE_BYTES);
    if (text === undefined) return undefined;
    const source = createSourceFile(this.#nameOf(file.relative), text);
    this.#reading.folders.set(source, { store: this.#store, folder: this.#store.parentOf(file.path) });
    return source;
  }

  async #readText(file: FoundFile, maximum: number): Promise<string | undefined> {
    const content = await this.#store.read(file.path, maximum);
    if ("text" in content) return content.text;
    const path = this.#nameOf(file.relative);
    const [text, hint] = {
      "too-large": [`is larger than ${maximum / 1024 / 1024} MiB`],
      "not-text": ["cannot be read: it is not UTF-8 text", "save it as UTF-8, or list it in `.railsignore`"],
      missing: ["does not exist"],
      unreadable: [`cannot be read: ${content.reason ?? "unknown reason"}`],
    }[content.problem];
    const code = content.problem === "too-large" ? "CF-118" : "CF-101";
    report(this.#reading.problems, code, `\`${path}\` ${text}`, { path, hint });
    return undefined;
  }
}

/** Finds the nearest `.railsignore`, here or in a parent folder. */
export async function findIgnoreFile(store: FileStore, folder: string): Promise<(relative: string) => boolean> {
  for (let current = folder; ; current = store.parentOf(current)) {
    const ignoreFile = await store.read(store.resolve(current, IGNORE_FILE), MAX_FILE_BYTES);
    if ("text" in ignoreFile) return await readIgnoreFile(ignoreFile.text);
    if (store.parentOf(current) === current) return () => false;
  }
}

function documentFolder(raw: RawMap): string {
  const folder = textAt(raw, ["knowledge_base", "folder"])?.trim() || "kb";
  return `${folder.replace(/^\.\//, "").replace(/\/+$/, "")}/`;
}

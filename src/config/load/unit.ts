import { createDiagnostic, type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { createSourceFile, type SourceFile } from "../../diagnostics/source-file.js";
import type { Span } from "../../diagnostics/span.js";
import { type CodeFiles, NO_CODE, selectCode } from "./code-files.js";
import { looksLikeYaml } from "../yaml/file-kind.js";
import type { FileStore, FileText, FoundFile } from "./file-store.js";
import { IGNORE_FILE, readIgnoreFile } from "./ignore-file.js";
import { mergeRaw } from "../merge/merge.js";
import type { KnowledgeDocument } from "../rails-config.js";
import { EMPTY_MAP, nodeAt, type RawMap, textAt } from "../yaml/raw-node.js";
import { readYaml } from "../yaml/read-yaml.js";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Contents of one folder or file. */
export interface Unit {
  readonly store: FileStore;
  readonly folder: string;
  readonly raw: RawMap;
  readonly colang: readonly SourceFile[];
  readonly documents: readonly KnowledgeDocument[];
  readonly code: CodeFiles;
}

/** State while one configuration is read. */
export interface Reading {
  readonly problems: Diagnostic[];
  readonly maxFiles: number;
  /** Identities of files that have been read, for each is read once. */
  readonly seen: Set<string>;
  /** The folder each source lies in, for imports relative to it. */
  readonly folders: Map<SourceFile, { readonly store: FileStore; readonly folder: string }>;
}

/** The shown name of a file: its path below the root configuration, or below the path it was imported by. */
function nameIn(label: string, relative: string): string {
  return label === "" ? relative : `${label.replace(/\/+$/, "")}/${relative}`;
}

/** Reads a folder: every YAML and Colang file, the documents, and which code there is. */
export async function readFolder(store: FileStore, folder: string, label: string, reading: Reading): Promise<Unit> {
  const listed = await store.list(folder, reading.maxFiles);
  if (!listed) {
    report(
      reading.problems,
      "CF-118",
      `\`${label || store.nameOf(folder)}\` holds more than ${reading.maxFiles} files`,
      {
        path: folder,
        hint: "give the folder of the configuration, not one above it",
      },
    );
    return { store, folder, raw: EMPTY_MAP, colang: [], documents: [], code: NO_CODE };
  }
  const isIgnored = await findIgnoreFile(store, folder);
  const files = listed.filter((file) => file.relative !== IGNORE_FILE && !isIgnored(file.relative));
  for (const file of files) {
    if (file.broken === undefined) continue;
    const name = nameIn(label, file.relative);
    report(reading.problems, "CF-101", `\`${name}\` cannot be read: ${file.broken}`, {
      path: name,
      hint: "repair or remove it, or list it in `.railsignore`",
    });
  }
  const usable = files.filter((file) => file.broken === undefined && isNew(file, reading));
  const settings = usable.filter((file) => isYaml(file.relative) && !file.relative.startsWith("kb/"));
  let raw = EMPTY_MAP;
  for (const file of settings) {
    const root = await readSettings(store, file, nameIn(label, file.relative), reading);
    if (root) raw = mergeRaw(raw, root, { winner: "second", warnings: reading.problems });
  }
  notePython(usable, label, reading);
  const knowledge = documentFolder(raw);
  const isDocument = ({ relative }: FoundFile): boolean => relative.startsWith(knowledge) && isMarkdown(relative);
  const flows = usable.filter(({ relative }) => relative.endsWith(".co") && !relative.startsWith(knowledge));
  const colang = await readAll(flows, (file) => readColang(store, file, nameIn(label, file.relative), reading));
  const documents = await readAll(usable.filter(isDocument), async (file) => {
    const name = nameIn(label, file.relative);
    if (await store.contains(folder, file.path)) return readDocument(store, file, name, reading);
    reading.problems.push(leavesFolder(name));
    return undefined;
  });
  const others = usable.filter(({ relative }) => relative.startsWith(knowledge) && !isMarkdown(relative));
  noteOtherFiles(nameIn(label, knowledge), others, reading);
  const asked = nodeAt(raw, ["knowledge_base", "folder"])?.span;
  const isThere = asked !== undefined || (await store.kindOf(store.resolve(folder, knowledge))) === "folder";
  if (isThere && documents.every(({ content }) => content.trim() === "")) {
    reading.problems.push(emptyKnowledge(nameIn(label, knowledge), asked));
  }
  return { store, folder, raw, colang, documents, code: selectCode(usable, (relative) => nameIn(label, relative)) };
}

/** Reads a single file: settings alone, or flows alone. */
export async function readFile(store: FileStore, path: string, label: string, reading: Reading): Promise<Unit> {
  const file: FoundFile = { relative: store.nameOf(path), path, identity: await store.identityOf(path) };
  const unit = { store, folder: store.parentOf(path), raw: EMPTY_MAP, colang: [], documents: [], code: NO_CODE };
  if (!isNew(file, reading)) return unit;
  if (isYaml(path)) return { ...unit, raw: (await readSettings(store, file, label, reading)) ?? EMPTY_MAP };
  const source = await readColang(store, file, label, reading);
  return { ...unit, colang: source ? [source] : [] };
}

export function isYaml(path: string): boolean {
  return /\.ya?ml$/.test(path);
}

function isMarkdown(path: string): boolean {
  return path.endsWith(".md");
}

const SHOWN_FILES = 3;

function noteOtherFiles(folder: string, files: readonly FoundFile[], { problems }: Reading): void {
  const names = files.map(({ relative }) => relative).filter((name) => !/(?:^|\/)\./.test(name));
  if (names.length === 0) return;
  const shown = names.slice(0, SHOWN_FILES).map((name) => `\`${name}\``);
  const more = names.length > SHOWN_FILES ? ` and ${names.length - SHOWN_FILES} more` : "";
  report(problems, "CF-206", `only markdown is read from \`${folder}\`; ignored: ${shown.join(", ")}${more}`, {
    path: folder,
    hint: "save them as `.md`, or list them in `.railsignore`",
  });
}

/** Configurations of NeMo Guardrails bring their actions in Python. */
function notePython(files: readonly FoundFile[], label: string, { problems }: Reading): void {
  for (const { relative } of files) {
    if (!relative.endsWith(".py") || relative.endsWith("/__init__.py")) continue;
    const name = nameIn(label, relative);
    const stem = relative.slice(0, -".py".length);
    const isInit = stem === "config";
    const hint = isInit
      ? "write `export function init(app) { … }` into `config.ts` or `config.js`: TypeScript and JavaScript are loaded"
      : "write its actions as exported functions in `actions.ts` or `actions.js`, or pass them as the option `actions`; " +
        "TypeScript and JavaScript are loaded";
    report(problems, "CF-208", `\`${name}\` is Python, which is not run`, { path: name, hint });
  }
}

/** A link may lead to any file of the machine, and its text would be shown to users. */
function leavesFolder(name: string): Diagnostic {
  return createDiagnostic("CF-101", `\`${name}\` is a link out of the folder of the configuration`, {
    path: name,
    hint: "copy the document into the folder, or give a `retriever` when the configuration is loaded",
  });
}

function emptyKnowledge(folder: string, span: Span | undefined): Diagnostic {
  return createDiagnostic("CF-205", `the knowledge base \`${folder}\` has no documents, so nothing is looked up`, {
    span,
    path: folder,
    hint: "put markdown files into it, or give a `retriever` when the configuration is loaded",
  });
}

function isNew(file: FoundFile, { seen }: Reading): boolean {
  if (seen.has(file.identity)) return false;
  seen.add(file.identity);
  return true;
}

/** The nearest `.railsignore`, here or in a folder above. */
async function findIgnoreFile(store: FileStore, folder: string): Promise<(relative: string) => boolean> {
  for (let current = folder; ; current = store.parentOf(current)) {
    const found = await store.read(store.resolve(current, IGNORE_FILE), MAX_FILE_BYTES);
    if ("text" in found) return await readIgnoreFile(found.text);
    if (store.parentOf(current) === current) return () => false;
  }
}

function documentFolder(raw: RawMap): string {
  const folder = textAt(raw, ["knowledge_base", "folder"])?.trim() || "kb";
  return `${folder.replace(/^\.\//, "").replace(/\/+$/, "")}/`;
}

async function readAll<T>(
  files: readonly FoundFile[],
  read: (file: FoundFile) => Promise<T | undefined>,
): Promise<T[]> {
  const results: T[] = [];
  for (const file of files) {
    const result = await read(file);
    if (result !== undefined) results.push(result);
  }
  return results;
}

async function readSettings(
  store: FileStore,
  file: FoundFile,
  name: string,
  reading: Reading,
): Promise<RawMap | undefined> {
  const source = await readSource(store, file, name, reading);
  if (!source) return undefined;
  const { root, diagnostics } = await readYaml(source);
  reading.problems.push(...diagnostics);
  return root;
}

async function readColang(
  store: FileStore,
  file: FoundFile,
  name: string,
  reading: Reading,
): Promise<SourceFile | undefined> {
  const source = await readSource(store, file, name, reading);
  const problem = source && looksLikeYaml(source);
  if (!problem) return source;
  reading.problems.push(problem);
  return undefined;
}

async function readDocument(
  store: FileStore,
  file: FoundFile,
  name: string,
  reading: Reading,
): Promise<KnowledgeDocument | undefined> {
  const found = await store.read(file.path, MAX_DOCUMENT_BYTES);
  if ("text" in found) return { path: name, format: "md", content: found.text };
  reading.problems.push(fileProblem(name, found, MAX_DOCUMENT_BYTES));
  return undefined;
}

async function readSource(
  store: FileStore,
  file: FoundFile,
  name: string,
  reading: Reading,
): Promise<SourceFile | undefined> {
  const found = await store.read(file.path, MAX_FILE_BYTES);
  if (!("text" in found)) {
    reading.problems.push(fileProblem(name, found, MAX_FILE_BYTES));
    return undefined;
  }
  const source = createSourceFile(name, found.text);
  reading.folders.set(source, { store, folder: store.parentOf(file.path) });
  return source;
}

function fileProblem(name: string, found: Exclude<FileText, { text: string }>, maximum: number): Diagnostic {
  switch (found.problem) {
    case "too-large":
      return createDiagnostic("CF-118", `\`${name}\` is larger than ${maximum / 1024 / 1024} MiB`, { path: name });
    case "not-text":
      return createDiagnostic("CF-101", `\`${name}\` cannot be read: it is not UTF-8 text`, {
        path: name,
        hint: "save it as UTF-8, or list it in `.railsignore`",
      });
    case "missing":
      return createDiagnostic("CF-101", `\`${name}\` does not exist`, { path: name });
    case "unreadable":
      return createDiagnostic("CF-101", `\`${name}\` cannot be read: ${found.reason ?? "unknown reason"}`, {
        path: name,
      });
  }
}

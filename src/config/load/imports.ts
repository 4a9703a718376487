import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile, Span } from "../../diagnostics/source-file.js";
import { openDisk } from "./disk-store.js";
import { type Environment, variable } from "../environment.js";
import type { FileStore } from "./file-store.js";
import { itemsAt, textAt } from "../yaml/raw-node.js";
import { isYaml, readFile, readFolder, type Reading, type Unit } from "./unit.js";

/** An `import` line. A built-in module need not be found elsewhere. */
export interface ColangImport {
  readonly path: string;
  readonly span: Span;
  readonly isBuiltIn?: boolean;
}

/** The `import` lines of a Colang file of this version; the parsers that find them belong to the front ends. */
export type FindColangImports = (source: SourceFile, version: "1.0" | "2.x") => readonly ColangImport[];

export interface ImportOptions {
  readonly env: Environment;
  readonly colangImports?: FindColangImports | undefined;
}

interface Request {
  readonly path: string;
  readonly span: Span | undefined;
  readonly isColang: boolean;
  readonly isBuiltIn: boolean;
  /** Store and folder of the file with the request. */
  readonly store: FileStore;
  readonly folder: string;
}

interface Root {
  readonly store: FileStore;
  readonly folder: string;
}

const PATH_VARIABLES = ["LANGCHAIN_GUARDRAILS_COLANGPATH", "COLANGPATH"] as const;

/**
 * Reads everything a configuration imports, and what that imports in turn, in import order. Every folder and file is
 * read once, so cycles do no harm.
 */
export async function readImports(
  root: Unit,
  given: FileStore | undefined,
  options: ImportOptions,
  reading: Reading,
): Promise<Unit[]> {
  const imported: Unit[] = [];
  const version = textAt(root.raw, ["colang_version"]) === "2.x" ? "2.x" : "1.0";
  const queue = requestsOf(root, version, options, reading);
  if (queue.length === 0) return imported;
  const disk = given ?? (await openDisk());
  const searched = searchPath(disk, options.env);
  const done = new Set<string>();
  for (let request = queue.shift(); request; request = queue.shift()) {
    const own = { store: root.store, folder: root.folder };
    // INVARIANT: a folder that happens to lie where the program was started is not a module of Colang 2.x.
    const roots =
      request.isColang && version === "2.x"
        ? [own, ...searched]
        : [
            { store: request.store, folder: request.folder },
            own,
            ...(disk ? [{ store: disk, folder: disk.resolve("", "") }] : []),
            ...searched,
          ];
    const found = await locate(request.path, roots);
    if (!found) {
      if (!request.isBuiltIn) reading.problems.push(unresolved(request, roots));
      continue;
    }
    const identity = await found.store.identityOf(found.path);
    if (done.has(identity)) continue;
    done.add(identity);
    const read = found.kind === "folder" ? readFolder : readFile;
    const unit = await read(found.store, found.path, labelOf(request.path, found.path), reading);
    imported.push(unit);
    queue.push(...requestsOf(unit, version, options, reading));
  }
  return imported;
}

function requestsOf(unit: Unit, version: "1.0" | "2.x", options: ImportOptions, reading: Reading): Request[] {
  const requests: Request[] = [];
  for (const item of itemsAt(unit.raw, ["import_paths"])) {
    if (item.kind !== "scalar" || typeof item.value !== "string" || item.value.trim() === "") continue;
    const origin = item.span && reading.folders.get(item.span.source);
    const { store, folder } = origin ?? unit;
    requests.push({ path: item.value, span: item.span, isColang: false, isBuiltIn: false, store, folder });
  }
  for (const source of options.colangImports ? unit.colang : []) {
    const { store, folder } = reading.folders.get(source) ?? unit;
    for (const { path, span, isBuiltIn = false } of options.colangImports?.(source, version) ?? []) {
      requests.push({ path, span, isColang: true, isBuiltIn, store, folder });
    }
  }
  return requests;
}

function searchPath(disk: FileStore | undefined, env: Environment): Root[] {
  if (!disk) return [];
  return PATH_VARIABLES.flatMap((name) => (variable(env, name) ?? "").split(disk.listSeparator))
    .filter((folder) => folder !== "")
    .map((folder) => ({ store: disk, folder: disk.resolve("", folder) }));
}

async function locate(
  path: string,
  roots: readonly Root[],
): Promise<{ store: FileStore; path: string; kind: "file" | "folder" } | undefined> {
  for (const { store, folder } of roots) {
    for (const candidate of [path, `${path}.co`]) {
      const full = store.resolve(folder, candidate);
      const kind = await store.kindOf(full);
      if (kind === "folder" || (kind === "file" && (isYaml(full) || full.endsWith(".co")))) {
        return { store, path: full, kind };
      }
    }
  }
  return undefined;
}

function labelOf(path: string, found: string): string {
  return found.endsWith(".co") && !path.endsWith(".co") ? `${path}.co` : path;
}

function unresolved({ path, span, isColang }: Request, roots: readonly Root[]): ReturnType<typeof createDiagnostic> {
  const places = [...new Set(roots.map(({ store, folder }) => store.resolve(folder, path)))];
  return createDiagnostic(isColang ? "CO-102" : "CF-120", `nothing to import at \`${path}\``, {
    span,
    hint: `looked for ${places.map((place) => `\`${place}\``).join(", ")}, also with \`.co\``,
    path,
  });
}

import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { Span } from "../../diagnostics/source-file.js";
import { openDisk } from "./disk-store.js";
import { variable } from "../environment.js";
import type { FileStore } from "./file-store.js";
import { itemsAt, textAt } from "../yaml/raw-node.js";
import { isYaml, type Place, readFile, readFolder, type Reading, type Unit } from "./unit.js";

interface Request extends Place {
  readonly path: string;
  readonly span: Span | undefined;
  readonly isColang: boolean;
  readonly isBuiltIn: boolean;
}

const PATH_VARIABLES = ["LANGCHAIN_GUARDRAILS_COLANGPATH", "COLANGPATH"] as const;

/**
 * Reads everything a configuration imports, transitively, in import order. Every folder and file is read once, so
 * cycles are harmless.
 */
export async function readImports(root: Unit, reading: Reading): Promise<Unit[]> {
  const imported: Unit[] = [];
  const version = textAt(root.raw, ["colang_version"]) === "2.x" ? "2.x" : "1.0";
  const queue = await requestsOf(root, version, reading);
  if (queue.length === 0) return imported;
  const disk = reading.disk ?? (reading.readsDisk ? await openDisk() : undefined);
  const placeOnDisk = (folder: string): Place[] => (disk ? [{ store: disk, folder: disk.resolve("", folder) }] : []);
  const searched = PATH_VARIABLES.flatMap((name) =>
    (variable(reading.env, name) ?? "").split(disk?.listSeparator ?? ":"),
  )
    .filter((folder) => folder !== "")
    .flatMap(placeOnDisk);
  const done = new Set<string>();
  for (let request = queue.shift(); request; request = queue.shift()) {
    // INVARIANT: a folder in the working directory is not a module of Colang 2.x.
    const roots =
      request.isColang && version === "2.x" ? [root, ...searched] : [request, root, ...placeOnDisk(""), ...searched];
    const located = await locate(request.path, roots);
    if (!located) {
      if (!request.isBuiltIn) reading.problems.push(unresolved(request, roots));
      continue;
    }
    const identity = await located.store.identityOf(located.path);
    if (done.has(identity)) continue;
    done.add(identity);
    const read = located.kind === "folder" ? readFolder : readFile;
    const isCompleted = located.path.endsWith(".co") && !request.path.endsWith(".co");
    const unit = await read(located.store, located.path, isCompleted ? `${request.path}.co` : request.path, reading);
    imported.push(unit);
    queue.push(...(await requestsOf(unit, version, reading)));
  }
  return imported;
}

async function requestsOf(unit: Unit, version: "1.0" | "2.x", reading: Reading): Promise<Request[]> {
  const requests: Request[] = [];
  for (const item of itemsAt(unit.raw, ["import_paths"])) {
    if (item.kind !== "scalar" || typeof item.value !== "string" || item.value.trim() === "") continue;
    const origin = item.span && reading.folders.get(item.span.source);
    const { store, folder } = origin ?? unit;
    requests.push({ path: item.value, span: item.span, isColang: false, isBuiltIn: false, store, folder });
  }
  for (const source of unit.colang) {
    const { store, folder } = reading.folders.get(source) ?? unit;
    for (const { path, span, isBuiltIn = false } of (await reading.colangImports?.(source, version)) ?? []) {
      requests.push({ path, span, isColang: true, isBuiltIn, store, folder });
    }
  }
  return requests;
}

async function locate(
  path: string,
  roots: readonly Place[],
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

function unresolved({ path, span, isColang }: Request, roots: readonly Place[]): Diagnostic {
  const places = [...new Set(roots.map(({ store, folder }) => store.resolve(folder, path)))];
  return createDiagnostic(isColang ? "CO-102" : "CF-120", `nothing to import at \`${path}\``, {
    span,
    hint: `looked for ${places.map((place) => `\`${place}\``).join(", ")}, also with \`.co\``,
    path,
  });
}

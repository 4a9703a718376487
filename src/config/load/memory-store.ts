import { byRelativePath, type FileStore, isSkippedFolder } from "./file-store.js";

/**
 * Files in memory, for bundlers and edge runtimes. Paths use `/`, and the empty path is the root.
 *
 * @example
 * ```ts
 * const store = createMemoryStore(new Map([["rails/main.co", "define bot hi\n  \"Hi.\""]]));
 * ```
 */
export function createMemoryStore(files: ReadonlyMap<string, string>): FileStore {
  const isFolder = (path: string): boolean => {
    if (path === "") return true;
    for (const name of files.keys()) if (name.startsWith(`${path}/`)) return true;
    return false;
  };
  return {
    listSeparator: ":",
    resolve: (folder, path) => normalizePath(path.startsWith("/") ? path : `${folder}/${path}`) ?? path,
    parentOf: (path) => path.slice(0, Math.max(0, path.lastIndexOf("/"))),
    nameOf: (path) => path.slice(path.lastIndexOf("/") + 1),
    kindOf: async (path) => (files.has(path) ? "file" : isFolder(path) ? "folder" : undefined),
    identityOf: async (path) => `memory:${path}`,
    contains: async (folder, path) => folder === "" || path.startsWith(`${folder}/`),
    list: async (folder, maximum) => {
      const prefix = folder === "" ? "" : `${folder}/`;
      const found = [...files.keys()]
        .filter((name) => name.startsWith(prefix))
        .map((name) => ({ relative: name.slice(prefix.length), path: name, identity: `memory:${name}` }))
        .filter(({ relative }) => !relative.split("/").slice(0, -1).some(isSkippedFolder))
        .sort(byRelativePath);
      return found.length > maximum ? undefined : found;
    },
    read: async (path, maximumBytes) => {
      const text = files.get(path);
      if (text === undefined) return { problem: "missing" };
      return text.length > maximumBytes ? { problem: "too-large" } : { text };
    },
    moduleUrl: () => undefined,
  };
}

/** Takes `.` and `..` out of a path; nothing when it climbs above the root. */
export function normalizePath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

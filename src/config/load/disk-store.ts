import type { Dirent } from "node:fs";
import type * as NodeFiles from "node:fs/promises";
import type * as NodePath from "node:path";
import type * as NodeUrl from "node:url";

import { byRelativePath, type FileStore, type FileText, type FoundFile, isSkippedFolder } from "./file-store.js";

type Modules = readonly [typeof NodeFiles, typeof NodePath, typeof NodeUrl];

export interface DiskStore extends FileStore {
  pathOf(url: URL): string;
}

/** Opens the disk; undefined if the platform has none. */
export async function openDisk(): Promise<DiskStore | undefined> {
  let modules: Modules;
  try {
    modules = await Promise.all([import("node:fs/promises"), import("node:path"), import("node:url")]);
  } catch {
    return undefined;
  }
  const [fs, path, url] = modules;
  const kindOf = async (target: string): Promise<"file" | "folder" | undefined> => {
    try {
      const found = await fs.stat(target);
      return found.isDirectory() ? "folder" : found.isFile() ? "file" : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    listSeparator: path.delimiter,
    resolve: (folder, target) => path.resolve(folder, target),
    parentOf: (target) => path.dirname(target),
    nameOf: (target) => path.basename(target),
    kindOf,
    identityOf: (target) => fs.realpath(target),
    contains: async (folder, target) => {
      try {
        const below = path.relative(await fs.realpath(folder), await fs.realpath(target));
        return below !== ".." && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below);
      } catch {
        return false;
      }
    },
    list: (folder, maximum) => listFiles(modules, folder, maximum),
    read: (target, maximumBytes) => readText(fs, target, maximumBytes),
    pathOf: (address) => url.fileURLToPath(address),
    moduleUrl: (target) => url.pathToFileURL(target).href,
  };
}

async function readText(fs: Modules[0], target: string, maximumBytes: number): Promise<FileText> {
  let bytes: Uint8Array;
  try {
    const { size } = await fs.stat(target);
    if (size > maximumBytes) return { problem: "too-large" };
    bytes = await fs.readFile(target);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? { problem: "missing" } : { problem: "unreadable", reason: code };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "not-text" };
  }
}

/** Lists files and follows links. INVARIANT: every real folder is entered once, so links cannot form a cycle. */
async function listFiles(
  [fs, path]: Modules,
  root: string,
  maximum: number,
): Promise<readonly FoundFile[] | undefined> {
  const entered = new Set<string>();
  const files: FoundFile[] = [];
  const enter = async (folder: string, relative: string): Promise<void> => {
    const real = await fs.realpath(folder);
    if (entered.has(real)) return;
    entered.add(real);
    let entries: Dirent[];
    try {
      entries = await fs.readdir(folder, { withFileTypes: true });
    } catch (error) {
      const broken = `the folder cannot be read: ${codeOf(error)}`;
      files.push({ relative, path: folder, identity: real, broken });
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (files.length > maximum) return;
      const file = {
        path: path.join(folder, entry.name),
        relative: relative === "" ? entry.name : `${relative}/${entry.name}`,
      };
      if (entry.isFile()) files.push({ ...file, identity: path.join(real, entry.name) });
      else if (entry.isSymbolicLink()) await follow(entry.name, file);
      else if (entry.isDirectory() && !isSkippedFolder(entry.name)) await enter(file.path, file.relative);
    }
  };
  const follow = async (name: string, file: Pick<FoundFile, "path" | "relative">): Promise<void> => {
    try {
      const target = await fs.stat(file.path);
      if (target.isDirectory() && !isSkippedFolder(name)) await enter(file.path, file.relative);
      else if (target.isFile()) files.push({ ...file, identity: await fs.realpath(file.path) });
    } catch {
      if (!name.startsWith(".")) files.push({ ...file, identity: file.path, broken: "the link leads nowhere" });
    }
  };
  await enter(root, "");
  return files.length > maximum ? undefined : files.sort(byRelativePath);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : String(error);
}

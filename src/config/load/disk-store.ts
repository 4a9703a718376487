import type { Dirent } from "node:fs";
import type * as NodeFiles from "node:fs/promises";
import type * as NodePath from "node:path";
import type * as NodeUrl from "node:url";

import { byRelativePath, type FileStore, type FileText, type FoundFile, isSkippedFolder } from "./file-store.js";

type Modules = readonly [typeof NodeFiles, typeof NodePath, typeof NodeUrl];

export interface DiskStore extends FileStore {
  pathOf(url: URL): string;
}

/** The disk, or nothing where the platform has none. */
export async function openDisk(): Promise<DiskStore | undefined> {
  let modules: Modules;
  try {
    modules = await Promise.all([import("node:fs/promises"), import("node:path"), import("node:url")]);
  } catch {
    return undefined;
  }
  return createDiskStore(modules);
}

function createDiskStore([fs, path, url]: Modules): DiskStore {
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
    list: (folder, maximum) => new Walk(fs, path, maximum).run(folder),
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

/** Follows links. INVARIANT: every real folder is entered once, so links can make no cycle. */
class Walk {
  readonly #fs: Modules[0];
  readonly #path: Modules[1];
  readonly #maximum: number;
  readonly #entered = new Set<string>();
  readonly #files: FoundFile[] = [];

  constructor(fs: Modules[0], path: Modules[1], maximum: number) {
    this.#fs = fs;
    this.#path = path;
    this.#maximum = maximum;
  }

  async run(folder: string): Promise<readonly FoundFile[] | undefined> {
    await this.#enter(folder, "");
    return this.#files.length > this.#maximum ? undefined : this.#files.sort(byRelativePath);
  }

  async #enter(folder: string, relative: string): Promise<void> {
    const real = await this.#fs.realpath(folder);
    if (this.#entered.has(real)) return;
    this.#entered.add(real);
    let entries: Dirent[];
    try {
      entries = await this.#fs.readdir(folder, { withFileTypes: true });
    } catch (error) {
      this.#files.push({
        relative,
        path: folder,
        identity: real,
        broken: `the folder cannot be read: ${codeOf(error)}`,
      });
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (this.#files.length > this.#maximum) return;
      const below = relative === "" ? entry.name : `${relative}/${entry.name}`;
      await this.#visit(entry, this.#path.join(folder, entry.name), below, real);
    }
  }

  async #visit(entry: Dirent, path: string, relative: string, realFolder: string): Promise<void> {
    if (entry.isFile()) {
      this.#files.push({ relative, path, identity: this.#path.join(realFolder, entry.name) });
    } else if (entry.isDirectory()) {
      if (!isSkippedFolder(entry.name)) await this.#enter(path, relative);
    } else if (entry.isSymbolicLink()) {
      await this.#follow(entry.name, path, relative);
    }
  }

  async #follow(name: string, path: string, relative: string): Promise<void> {
    try {
      const target = await this.#fs.stat(path);
      if (target.isDirectory() && !isSkippedFolder(name)) await this.#enter(path, relative);
      else if (target.isFile()) this.#files.push({ relative, path, identity: await this.#fs.realpath(path) });
    } catch {
      if (!name.startsWith(".")) {
        this.#files.push({ relative, path, identity: path, broken: "the link leads nowhere" });
      }
    }
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : String(error);
}

/** Texts cached on disk for later processes, by key. */
export interface CacheFolder {
  /** Returns the text of a key; undefined if there is none, or none that is whole. */
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string): Promise<void>;
  /** The key of everything that a text depends on. */
  keyOf(...parts: readonly string[]): string;
}

interface CacheFolderOptions {
  /** Kind of the texts, which ends the names of their files. */
  readonly kind: string;
  /** Maximum number of files of this kind; the oldest ones are removed. */
  readonly maxFiles: number;
  /** Receives errors of the folder. The cache is then empty, and nothing else fails. */
  readonly onError: (error: unknown) => void;
}

/** Names that are a key and nothing else, so that no key leaves the folder. */
const KEY = /^[0-9a-f]{64}$/;

/** A longer file is not one of ours. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Age at which an unfinished file was left by a process that has ended. */
const STALE_MS = 60 * 60 * 1000;

/**
 * Opens a folder as a cache. Each file starts with the digest of its text; damaged files count as missing and are
 * rewritten. Links are not followed. INVARIANT: other processes find a whole file or none.
 *
 * @returns undefined without a file system
 *
 * @example
 * ```ts
 * const cache = await openCacheFolder(".cache/guardrails", { kind: "colang", maxFiles: 100, onError: console.warn });
 * ```
 */
export async function openCacheFolder(folder: string, options: CacheFolderOptions): Promise<CacheFolder | undefined> {
  const { kind, maxFiles, onError } = options;
  const modules = await loadModules();
  if (modules === undefined) return undefined;
  const { fs, path, crypto } = modules;
  const digest = (text: string): string => crypto.createHash("sha256").update(text).digest("hex");
  const fileOf = (key: string): string => path.join(folder, `${key}.${kind}`);

  const read = async (key: string): Promise<string | undefined> => {
    const { size, isLink } = await fs.lstat(fileOf(key)).then((stats) => ({ ...stats, isLink: !stats.isFile() }));
    if (isLink || size > MAX_BYTES) return undefined;
    const content = await fs.readFile(fileOf(key), "utf8");
    const end = content.indexOf("\n");
    const text = content.slice(end + 1);
    return content.slice(0, Math.max(0, end)) === digest(text) ? text : undefined;
  };

  const write = async (key: string, text: string): Promise<void> => {
    await fs.mkdir(folder, { recursive: true });
    const unfinished = `${fileOf(key)}.${crypto.randomUUID()}`;
    try {
      await fs.writeFile(unfinished, `${digest(text)}\n${text}`, { flag: "wx", mode: 0o600 });
      await fs.rename(unfinished, fileOf(key));
    } catch (error) {
      await fs.rm(unfinished, { force: true });
      throw error;
    }
    await prune();
  };

  /** Another process may remove the same files at the same time. */
  const prune = async (): Promise<void> => {
    const ours = (await fs.readdir(folder)).filter((name) => name.includes(`.${kind}`));
    if (ours.length <= maxFiles) return;
    const files: { readonly name: string; readonly changed: number }[] = [];
    for (const name of ours) {
      const stats = await fs.lstat(path.join(folder, name)).catch(() => undefined);
      if (stats?.isFile() === true) files.push({ name, changed: stats.mtimeMs });
    }
    const whole = files.filter(({ name }) => name.endsWith(`.${kind}`)).sort((a, b) => b.changed - a.changed);
    const latest = whole[0]?.changed ?? 0;
    const left = files.filter(({ name, changed }) => !name.endsWith(`.${kind}`) && changed < latest - STALE_MS);
    for (const { name } of [...whole.slice(maxFiles), ...left]) await fs.rm(path.join(folder, name), { force: true });
  };

  return {
    keyOf: (...parts) => digest(JSON.stringify(parts)),
    read: async (key) => {
      if (!KEY.test(key)) return undefined;
      return read(key).catch((error: unknown) => {
        if ((error as { readonly code?: unknown }).code !== "ENOENT") onError(error);
        return undefined;
      });
    },
    write: async (key, text) => {
      if (KEY.test(key)) await write(key, text).catch(onError);
    },
  };
}

async function loadModules() {
  try {
    const fs = await import("node:fs/promises");
    const path = await import("node:path");
    const crypto = await import("node:crypto");
    return { fs, path, crypto };
  } catch {
    return undefined;
  }
}

import type { MatcherCache } from "./matcher/matcher-cache.js";

/** Valid keys, so that no key leaves the folder. */
const KEY = /^[0-9a-f]{32}$/;
const FILE = /^[0-9a-f]{32}\.matcher$/;
/** Maximum number of files in a folder; the oldest ones are removed. */
const MAX_FILES = 100;

/**
 * Caches in a folder what embedded matchers learn, one file per set of examples, at most a hundred. On any problem with
 * the folder the matcher only learns again; `onError` receives the error.
 *
 * @example
 * ```ts
 * const cache = await openFileMatcherCache(".cache/matcher");
 * const matcher = createIntentMatcher({ examples, cache });
 * ```
 */
export async function openFileMatcherCache(
  folder: string,
  onError: (error: unknown) => void = () => {},
): Promise<MatcherCache> {
  const [fs, path] = await Promise.all([import("node:fs"), import("node:path")]);
  const fileOf = (key: string): string => path.join(folder, `${key}.matcher`);
  const prune = (): void => {
    const names = fs.readdirSync(folder).filter((name) => FILE.test(name));
    if (names.length <= MAX_FILES) return;
    // Another process may have removed a file.
    const changed = (name: string): number =>
      fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const files = names.map((name) => ({ name, at: changed(name) })).sort((a, b) => b.at - a.at);
    for (const { name } of files.slice(MAX_FILES)) fs.rmSync(path.join(folder, name), { force: true });
  };
  return {
    read: (key) => {
      if (!KEY.test(key) || !fs.existsSync(fileOf(key))) return undefined;
      try {
        // A link may lead to any file of the machine.
        if (!fs.lstatSync(fileOf(key)).isFile()) throw new Error(`\`${fileOf(key)}\` is a link, which is not followed`);
        return fs.readFileSync(fileOf(key));
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    write: (key, bytes) => {
      if (!KEY.test(key)) return;
      // Another process may read at any time: it finds the whole file or none.
      const unfinished = `${fileOf(key)}.${globalThis.crypto.randomUUID()}`;
      try {
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(unfinished, bytes, { flag: "wx", mode: 0o600 });
        fs.renameSync(unfinished, fileOf(key));
        prune();
      } catch (error) {
        onError(error);
        if (fs.existsSync(unfinished)) fs.rmSync(unfinished);
      }
    },
  };
}

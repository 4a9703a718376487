import type { MatcherCache } from "./matcher/matcher-cache.js";

/** Names that are a key and nothing else, so that no key leaves the folder. */
const KEY = /^[0-9a-f]{32}$/;

/**
 * Keeps what embedded matchers learn in a folder, one file for each set of examples. Anything that goes wrong with the
 * folder only means that the matcher learns again; `onError` receives the error.
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
        fs.writeFileSync(unfinished, bytes);
        fs.renameSync(unfinished, fileOf(key));
      } catch (error) {
        onError(error);
        if (fs.existsSync(unfinished)) fs.rmSync(unfinished);
      }
    },
  };
}

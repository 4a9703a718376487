import { compileGlob } from "./glob.js";

export const IGNORE_FILE = ".railsignore";

const MAX_PATTERNS = 1000;

/**
 * Reads `.railsignore`: one pattern a line, `#` for comments. A pattern without `/` is compared with the file's name, one
 * with `/` with its path below the configuration folder, and `drafts/` means everything below `drafts`.
 *
 * @example
 * ```ts
 * const isIgnored = readIgnoreFile("*.draft.co\nold/");
 * isIgnored("old/main.co"); // true
 * ```
 */
export function readIgnoreFile(text: string): (relativePath: string) => boolean {
  const byName: ((text: string) => boolean)[] = [];
  const byPath: ((text: string) => boolean)[] = [];
  for (const line of text.split("\n").slice(0, MAX_PATTERNS)) {
    const pattern = line.trim();
    if (pattern === "" || pattern.startsWith("#")) continue;
    if (!pattern.includes("/")) byName.push(compileGlob(pattern));
    else byPath.push(compileGlob(`${pattern.replace(/^\.?\//, "")}${pattern.endsWith("/") ? "**" : ""}`));
  }
  return (relativePath) => {
    const name = relativePath.slice(relativePath.lastIndexOf("/") + 1);
    return byName.some((matches) => matches(name)) || byPath.some((matches) => matches(relativePath));
  };
}

import type { RE2JS } from "re2js";

export const IGNORE_FILE = ".railsignore";

const MAX_PATTERNS = 1000;
const MAX_PATTERN_LENGTH = 1000;

/**
 * Reads `.railsignore`: one pattern per line, `#` for comments. A pattern without `/` matches file names, one with `/`
 * matches paths below the configuration folder, and `drafts/` matches everything below `drafts`. `*` matches any
 * characters except `/`, `**` any characters, `?` one character, `[a-z]` and `[!a-z]` one of a set.
 *
 * @example
 * ```ts
 * const isIgnored = await readIgnoreFile("*.draft.co\nold/");
 * isIgnored("old/main.co"); // true
 * ```
 */
export async function readIgnoreFile(text: string): Promise<(relativePath: string) => boolean> {
  // INVARIANT: matching takes linear time, so no pattern can hang it.
  const { RE2JS } = await import("re2js");
  const byName: RE2JS[] = [];
  const byPath: RE2JS[] = [];
  for (const line of text.split("\n").slice(0, MAX_PATTERNS)) {
    const pattern = line.trim();
    if (pattern === "" || pattern.startsWith("#")) continue;
    const glob = pattern.includes("/") ? pattern.replace(/^\.?\//, "").replace(/\/$/, "/**") : pattern;
    const compiled = RE2JS.compile(expressionOf(glob.slice(0, MAX_PATTERN_LENGTH)), RE2JS.DOTALL);
    (pattern.includes("/") ? byPath : byName).push(compiled);
  }
  return (relativePath) => {
    const name = relativePath.slice(relativePath.lastIndexOf("/") + 1);
    return byName.some((glob) => glob.matches(name)) || byPath.some((glob) => glob.matches(relativePath));
  };
}

/** A star, a question mark, a set (in which a leading `]` is a character), or any other character. */
const PIECE = /(?<=^|\/)\*\*\/|\*\*?|\?|\[(!|(?!!))(.[^\]]*)\]|./gsu;
const PIECES: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };

function expressionOf(glob: string): string {
  return glob.replace(PIECE, (piece, negated?: string, set?: string) => {
    if (set === undefined) return PIECES[piece] ?? literal(piece);
    const ranges = Array.from(set.matchAll(/(.)-(.)|./gsu), ([one, low = one, high = one]) => rangeOf(low, high)).join(
      "",
    );
    if (negated === "!") return `[^/${ranges}]`;
    return ranges === "" ? `[^\\x{0}-\\x{10FFFF}]` : `[${ranges}]`;
  });
}

/** A character range without the slash, which no set matches; empty for a reversed range. */
function rangeOf(low: string, high: string): string {
  if (low < "/" && high > "/") return rangeOf(low, ".") + rangeOf("0", high);
  if (low === "/") return high === "/" ? "" : rangeOf("0", high);
  if (high === "/") return rangeOf(low, ".");
  return low > high ? "" : `${literal(low)}-${literal(high)}`;
}

function literal(character: string): string {
  return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

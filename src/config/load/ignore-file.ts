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

type Token =
  | { readonly kind: "text"; readonly character: string }
  | { readonly kind: "one" }
  | { readonly kind: "set"; readonly ranges: readonly (readonly [string, string])[]; readonly negated: boolean }
  /** `*` */
  | { readonly kind: "some" }
  /** `**` */
  | { readonly kind: "all" }
  /** The two halves of `**` followed by a slash: no folder at all, or any text that ends with a slash. */
  | { readonly kind: "folders" }
  | { readonly kind: "in-folders" };

const MAX_PATTERN_LENGTH = 1000;

/**
 * A shell pattern: `*` any characters but `/`, `**` any characters, `?` one character, `[a-z]` and `[!a-z]` sets.
 * Matching follows all possibilities at once, so its time grows with pattern times text and no pattern can make it hang.
 *
 * @example
 * ```ts
 * compileGlob("drafts/*.co")("drafts/new.co"); // true
 * ```
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const tokens = tokenize(pattern.slice(0, MAX_PATTERN_LENGTH));
  return (text) => matches(tokens, text);
}

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === "?") tokens.push({ kind: "one" });
    else if (character === "*") {
      const isDouble = pattern.charAt(at + 1) === "*";
      const isFolders = isDouble && pattern.charAt(at + 2) === "/" && (at === 0 || pattern.charAt(at - 1) === "/");
      if (isFolders) tokens.push({ kind: "folders" }, { kind: "in-folders" });
      else tokens.push({ kind: isDouble ? "all" : "some" });
      at += isFolders ? 2 : isDouble ? 1 : 0;
    } else {
      const set = character === "[" ? readSet(pattern, at) : undefined;
      if (set) at = set.end;
      tokens.push(set?.token ?? { kind: "text", character });
    }
  }
  return tokens;
}

function readSet(pattern: string, start: number): { token: Token; end: number } | undefined {
  const negated = pattern.charAt(start + 1) === "!";
  const first = start + (negated ? 2 : 1);
  // A `]` that comes first belongs to the set.
  const end = pattern.indexOf("]", first + 1);
  if (end === -1) return undefined;
  const ranges: [string, string][] = [];
  for (let at = first; at < end; at += 1) {
    const low = pattern.charAt(at);
    const isRange = pattern.charAt(at + 1) === "-" && at + 2 < end;
    ranges.push([low, isRange ? pattern.charAt(at + 2) : low]);
    if (isRange) at += 2;
  }
  return { token: { kind: "set", ranges, negated }, end };
}

function matches(tokens: readonly Token[], text: string): boolean {
  let states = closure(new Set([0]), tokens);
  for (let at = 0; at < text.length; at += 1) {
    const next = new Set<number>();
    for (const state of states) for (const target of advance(tokens[state], state, text.charAt(at))) next.add(target);
    if (next.size === 0) return false;
    states = closure(next, tokens);
  }
  return states.has(tokens.length);
}

/** Adds the states that are reached without a character. INVARIANT: a set is walked up to what is added meanwhile. */
function closure(states: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const state of states) {
    const kind = tokens[state]?.kind;
    if (kind === "some" || kind === "all") states.add(state + 1);
    else if (kind === "folders") states.add(state + 1).add(state + 2);
  }
  return states;
}

/** The states a character leads to. */
function advance(token: Token | undefined, state: number, character: string): readonly number[] {
  const isSlash = character === "/";
  switch (token?.kind) {
    case "text":
      return token.character === character ? [state + 1] : [];
    case "one":
      return isSlash ? [] : [state + 1];
    case "some":
      return isSlash ? [] : [state];
    case "all":
      return [state];
    case "in-folders":
      return isSlash ? [state, state + 1] : [state];
    case "set":
      return !isSlash && isInSet(token, character) ? [state + 1] : [];
    default:
      return [];
  }
}

function isInSet({ ranges, negated }: Token & { kind: "set" }, character: string): boolean {
  return ranges.some(([low, high]) => low <= character && character <= high) !== negated;
}

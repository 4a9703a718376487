/*
 * From the patterns users know (Python's) to those of the linear-time engine: `\w`, `\d` and `\s` mean the characters of
 * all scripts, `\Z` is the end. What the engine cannot do is named, because its own words would not help.
 */

const SPACES =
  "\\t-\\r\\x1c-\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}";
const NO_SPACES =
  "\\x00-\\x08\\x0e-\\x1b!-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" +
  "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}";
const WORD = "\\p{L}\\p{N}_";
/** All categories but letters and digits; of the connecting punctuation all but `_`. */
const NO_WORD =
  "\\p{M}\\p{S}\\p{Z}\\p{C}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}" +
  "\\x{203f}\\x{2040}\\x{2054}\\x{fe33}\\x{fe34}\\x{fe4d}-\\x{fe4f}\\x{ff3f}";

/** Per escape what it is inside a class; outside, the class around that, or its opposite. */
const CLASSES: ReadonlyMap<string, { readonly inside: string; readonly outside: string }> = new Map([
  ["w", { inside: WORD, outside: `[${WORD}]` }],
  ["W", { inside: NO_WORD, outside: `[^${WORD}]` }],
  ["d", { inside: "\\p{Nd}", outside: "\\p{Nd}" }],
  ["D", { inside: "\\P{Nd}", outside: "\\P{Nd}" }],
  ["s", { inside: SPACES, outside: `[${SPACES}]` }],
  ["S", { inside: NO_SPACES, outside: `[^${SPACES}]` }],
]);

const UNSUPPORTED_GROUPS: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/y, "lookaround"],
  [/\(\?P=/y, "backreferences"],
  [/\(\?[a-zA-Z]*x[a-zA-Z-]*[:)]/y, "verbose patterns (`x`)"],
  [/\(\?>/y, "atomic groups"],
  [/\(\?\(/y, "conditional groups"],
];

export type TranslatedPattern =
  | { readonly ok: true; readonly pattern: string }
  | { readonly ok: false; readonly unsupported: string };

/**
 * Translates a pattern, or says what in it has no linear-time equivalent.
 *
 * @example
 * ```ts
 * translatePattern("\\d+"); // { ok: true, pattern: "\\p{Nd}+" }
 * translatePattern("(?=a)"); // { ok: false, unsupported: "lookaround" }
 * ```
 */
export function translatePattern(source: string): TranslatedPattern {
  let pattern = "";
  let isInClass = false;
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === "\\") {
      const escape = readEscape(source, at, isInClass);
      if (escape === undefined) return { ok: false, unsupported: "backreferences" };
      pattern += escape.text;
      at = escape.end;
      continue;
    }
    if (character === "(" && !isInClass) {
      const unsupported = unsupportedGroup(source, at);
      if (unsupported !== undefined) return { ok: false, unsupported };
    }
    if (character === "[" && !isInClass) {
      isInClass = true;
      // A bracket directly after the opening one is a character of the class.
      const start = /\[\^?\]?/y;
      start.lastIndex = at;
      const opening = start.exec(source)?.[0] ?? "[";
      pattern += opening.replace("]", "\\]");
      at += opening.length;
      continue;
    }
    if (character === "[" && isInClass) pattern += "\\[";
    else pattern += character;
    if (character === "]") isInClass = false;
    at += 1;
  }
  return { ok: true, pattern };
}

function readEscape(source: string, at: number, isInClass: boolean): { text: string; end: number } | undefined {
  const letter = source.charAt(at + 1);
  const found = CLASSES.get(letter);
  if (found) return { text: isInClass ? found.inside : found.outside, end: at + 2 };
  if (letter >= "1" && letter <= "9" && !isInClass) return undefined;
  if (letter === "Z" && !isInClass) return { text: "\\z", end: at + 2 };
  if (letter === "b" && isInClass) return { text: "\\x08", end: at + 2 };
  const unicode = /\\u([0-9a-fA-F]{4})/y;
  unicode.lastIndex = at;
  const code = unicode.exec(source)?.[1];
  return code === undefined ? { text: source.slice(at, at + 2), end: at + 2 } : { text: `\\x{${code}}`, end: at + 6 };
}

function unsupportedGroup(source: string, at: number): string | undefined {
  for (const [opening, name] of UNSUPPORTED_GROUPS) {
    opening.lastIndex = at;
    if (opening.test(source)) return name;
  }
  return undefined;
}

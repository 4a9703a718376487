import { codeBefore, isNamePart, isQuote } from "./chars.js";

const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A string as the scanner found it. `end` is behind the closing quote or, unclosed, where the string had to stop. */
export interface ScannedString {
  readonly end: number;
  readonly closed: boolean;
  readonly value: string;
  readonly long: boolean;
}

/**
 * Reads the string whose opening quote stands at `start`, looking no further than `end`. A one-line string stops unclosed at the end of its line, a
 * triple-quoted one at `end`.
 *
 * @example
 * ```ts
 * scanString('say "a\\tb" now', 4, 14); // { end: 10, closed: true, value: "a\tb", long: false }
 * ```
 */
export function scanString(
  text: string,
  start: number,
  end: number = text.length,
  options: { readonly raw?: boolean } = {},
): ScannedString {
  const quote = text.charCodeAt(start);
  const long = start + 2 < end && text.charCodeAt(start + 1) === quote && text.charCodeAt(start + 2) === quote;
  const contentStart = start + (long ? 3 : 1);
  let at = contentStart;
  let hasEscapes = false;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      hasEscapes = true;
      at += text.charCodeAt(at + 1) === CARRIAGE_RETURN && text.charCodeAt(at + 2) === NEWLINE ? 2 : 1;
    } else if (code === NEWLINE && !long) {
      break;
    } else if (code === quote && (!long || isTriple(text, at, end, quote))) {
      const value = contentValue(text, contentStart, at, hasEscapes && !options.raw);
      return { end: at + (long ? 3 : 1), closed: true, value, long };
    }
  }
  let stop = Math.min(at, end);
  if (!long && stop > contentStart && text.charCodeAt(stop - 1) === CARRIAGE_RETURN) stop -= 1;
  return { end: stop, closed: false, value: contentValue(text, contentStart, stop, hasEscapes && !options.raw), long };
}

function isTriple(text: string, at: number, end: number, quote: number): boolean {
  return at + 2 < end && text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote;
}

function contentValue(text: string, start: number, end: number, hasEscapes: boolean): string {
  const content = text.slice(start, end).replaceAll("\r\n", "\n");
  return hasEscapes ? unescapeText(content) : content;
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["\n", ""],
]);

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([ntrbfv\\'"\n]))/g;

/**
 * Replaces the escapes of the language; an unknown one keeps its backslash.
 *
 * @example
 * ```ts
 * unescapeText("a\\n\\d"); // "a", a newline, "\\d"
 * ```
 */
export function unescapeText(text: string): string {
  return text.replace(ESCAPE, (whole, hex?: string, unicode?: string, simple?: string) => {
    const digits = hex ?? unicode;
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
    return SIMPLE_ESCAPES.get(simple ?? "") ?? whole;
  });
}

const DOLLAR = 0x24;

/**
 * Returns true if the quote at `at` opens a string. Directly after a word character it does not, so `don't` is one word; only a
 * single letter `f`, `r` or `b` standing alone before it is a prefix. Nothing before `lowerBound` is looked at.
 *
 * @example
 * ```ts
 * startsString("don't", 3, 0); // false
 * startsString("f'x'", 1, 0); // true
 * ```
 */
export function startsString(text: string, at: number, lowerBound = 0): boolean {
  if (!isQuote(text.charCodeAt(at))) return false;
  if (at <= lowerBound || !isNamePart(codeBefore(text, at))) return true;
  return isStringPrefix(text.charCodeAt(at - 1)) && standsAlone(text, at - 1, lowerBound);
}

/** The letters `f`, `r` and `b` in either case. */
export function isStringPrefix(code: number): boolean {
  const lower = code | 0x20;
  return lower === 0x66 || lower === 0x72 || lower === 0x62;
}

function standsAlone(text: string, at: number, lowerBound: number): boolean {
  if (at <= lowerBound) return true;
  const before = codeBefore(text, at);
  return !isNamePart(before) && before !== DOLLAR && !isQuote(before);
}

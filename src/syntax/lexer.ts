import type { SourceFile } from "../diagnostics/source-file.js";
import { codeAt, isBlank, isDigit, isNamePart, isNameStart, isQuote } from "./chars.js";
import { isStringPrefix, scanString, startsString } from "./string-literal.js";
import type { Token } from "./cursor.js";

export interface LexOptions {
  /** Reading stops with an invalid token (`isLimit`) when a range holds more. */
  readonly maxTokens?: number;
  /** Reads `#` as the beginning of a comment. Default: true. */
  readonly comments?: boolean;
}

export const DEFAULT_MAX_TOKENS = 50_000;

const NEWLINE = 0x0a;
const DOLLAR = 0x24;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const DOT = 0x2e;
const BACKSLASH = 0x5c;

const SINGLE = new Set("+-*/%@&|^~<>()[]{},:.;=!?");
const DOUBLE = new Set("** // == != <= >= += -= *= /= %= << >> <> -> :=".split(" "));
const TRIPLE = new Set(["...", "**=", "//="]);

const CURLY_QUOTES = new Set("“”„‟«»‘’‚‛");

/**
 * Reads the tokens of a range of a source, closed by one of kind `end`. Blanks, newlines, a backslash before a newline and
 * comments separate tokens. Never throws: text that no rule accepts becomes a token of kind `invalid` with the reason.
 *
 * @example
 * ```ts
 * lexRange(source, 0, source.text.length).map((token) => token.text); // ["x", ">", "1", ""] for "$x > 1"
 * ```
 */
export function lexRange(source: SourceFile, start: number, end: number, options: LexOptions = {}): readonly Token[] {
  const { text } = source;
  const stop = Math.min(end, text.length);
  const maxTokens = options.maxTokens ?? DEFAULT_MAX_TOKENS;
  const hasComments = options.comments ?? true;
  const tokens: Token[] = [];
  let lowerBound = start;
  let at = skipTrivia(text, start, stop, hasComments);
  while (at < stop) {
    if (tokens.length >= maxTokens) {
      const problem = `more than ${maxTokens} words and signs in one expression`;
      tokens.push({ kind: "invalid", start: at, end: at + 1, text: text.slice(at, at + 1), problem, isLimit: true });
      break;
    }
    const token = readToken(text, at, stop, lowerBound);
    tokens.push(token);
    // A string, a number or a sign ends the preceding token; directly after a word or a variable, a quote opens no
    // string.
    lowerBound =
      token.kind === "word" || token.kind === "variable" || token.kind === "number" ? token.start : token.end;
    at = skipTrivia(text, token.end, stop, hasComments);
  }
  tokens.push({ kind: "end", start: stop, end: stop, text: "" });
  return tokens;
}

function skipTrivia(text: string, from: number, end: number, hasComments: boolean): number {
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (isBlank(code) || code === NEWLINE) {
      at += 1;
    } else if (code === HASH && hasComments) {
      const lineEnd = text.indexOf("\n", at);
      at = lineEnd === -1 || lineEnd > end ? end : lineEnd;
    } else if (code === BACKSLASH && isContinuation(text, at, end)) {
      at = text.indexOf("\n", at) + 1;
    } else {
      break;
    }
  }
  return Math.min(at, end);
}

function isContinuation(text: string, at: number, end: number): boolean {
  return (at + 1 < end && text[at + 1] === "\n") || (at + 2 < end && text[at + 1] === "\r" && text[at + 2] === "\n");
}

function readToken(text: string, at: number, end: number, lowerBound: number): Token {
  const code = codeAt(text, at);
  if (code === DOLLAR) return readVariable(text, at, end);
  if (isQuote(code)) {
    if (startsString(text, at, lowerBound)) return readString(text, at, at, end);
    const problem = "a quote directly after a word opens no string";
    return { kind: "invalid", start: at, end: at + 1, text: text.slice(at, at + 1), problem };
  }
  if (isDigit(code) || (code === DOT && at + 1 < end && isDigit(text.charCodeAt(at + 1)))) {
    return readNumber(text, at, end);
  }
  if (isNameStart(code)) {
    if (isStringPrefix(code) && at + 1 < end && startsString(text, at + 1, at))
      return readString(text, at, at + 1, end);
    return readWord(text, at, end);
  }
  return readPunctuation(text, at, end);
}

function nameEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const code = codeAt(text, at);
    if (!isNamePart(code)) break;
    at += code > 0xffff ? 2 : 1;
  }
  return Math.min(at, end);
}

function readWord(text: string, start: number, end: number): Token {
  let at = nameEnd(text, start, end);
  while (at + 1 < end && text.charCodeAt(at) === APOSTROPHE && isNamePart(codeAt(text, at + 1))) {
    at = nameEnd(text, at + 1, end);
  }
  return { kind: "word", start, end: at, text: text.slice(start, at) };
}

function readVariable(text: string, start: number, end: number): Token {
  const first = start + 1;
  if (first >= end || !isNameStart(codeAt(text, first))) {
    return { kind: "invalid", start, end: first, text: "$", problem: "`$` without a name" };
  }
  const at = nameEnd(text, first, end);
  return { kind: "variable", start, end: at, text: text.slice(first, at) };
}

function readString(text: string, start: number, quoteAt: number, end: number): Token {
  const prefix = quoteAt > start ? text.slice(start, quoteAt) : undefined;
  const isRaw = prefix === "r" || prefix === "R";
  const scan = scanString(text, quoteAt, end, { raw: isRaw });
  const written = text.slice(start, scan.end);
  if (!scan.closed) {
    return { kind: "invalid", start, end: scan.end, text: written, problem: "a string that is never closed" };
  }
  const token: Token = {
    kind: scan.long ? "long-string" : "string",
    start,
    end: scan.end,
    text: written,
    value: scan.value,
  };
  return prefix === undefined ? token : { ...token, prefix };
}

function readNumber(text: string, start: number, end: number): Token {
  const scan = scanNumber(text, start, end);
  // `3rd` and `2x` are words: a name may contain them, and an expression reports them as names.
  const wordEnd = nameEnd(text, scan.end, end);
  if (wordEnd > scan.end) {
    const word = text.slice(start, wordEnd);
    if (!word.includes(".")) return readWord(text, start, end);
    return { kind: "invalid", start, end: wordEnd, text: word, problem: notANumber(word) };
  }
  const written = text.slice(start, scan.end);
  if (scan.value === undefined) {
    return { kind: "invalid", start, end: scan.end, text: written, problem: notANumber(written) };
  }
  return { kind: "number", start, end: scan.end, text: written, value: scan.value };
}

function notANumber(text: string): string {
  return `\`${text.length > 40 ? `${text.slice(0, 39)}…` : text}\` is not a number`;
}

function readPunctuation(text: string, start: number, end: number): Token {
  for (const [width, known] of [
    [3, TRIPLE],
    [2, DOUBLE],
    [1, SINGLE],
  ] as const) {
    const written = text.slice(start, Math.min(start + width, end));
    if (written.length === width && known.has(written)) {
      return { kind: "punctuation", start, end: start + width, text: written };
    }
  }
  const written = String.fromCodePoint(codeAt(text, start)).slice(0, end - start);
  const problem = CURLY_QUOTES.has(written)
    ? `\`${written}\` is not a quote of the language`
    : `unexpected character \`${visible(written)}\``;
  return { kind: "invalid", start, end: start + written.length, text: written, problem };
}

/** Control characters and lone surrogates by their number, so that a message never holds them. */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const isHidden = code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff);
  return isHidden || code === 0xfeff ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : character;
}

const DIGITS = String.raw`\d+(?:_\d+)*`;
const RADIX = "0(?:x_?[0-9a-f]+(?:_[0-9a-f]+)*|o_?[0-7]+(?:_[0-7]+)*|b_?[01]+(?:_[01]+)*)";
/** A dot belongs to the number unless it begins `...`, a range of dots, or a name as in `1.lower`. */
const FRACTION = String.raw`\.(?!\.)(?:${DIGITS}|(?=e[+-]?\d)|(?![\p{L}_]))`;
const NUMBER = new RegExp(`^(?:${RADIX}|(?:${DIGITS})?(?:${FRACTION})?(?:e[+-]?${DIGITS})?)`, "iu");

/**
 * Reads a number: `1`, `1_000`, `1.5`, `.5`, `1.`, `1e3`, `0x10`, `0o17`, `0b1`. Its value is undefined where the digits
 * are no number: leading zeros, or more than a double can hold.
 */
function scanNumber(text: string, start: number, end: number): { end: number; value: number | undefined } {
  const [written = ""] = NUMBER.exec(text.slice(start, end)) ?? [];
  const digits = written.replaceAll("_", "");
  const isValue = Number.isFinite(Number(digits)) && !/^0+[1-9]\d*$/.test(digits);
  return { end: start + written.length, value: isValue ? Number(digits) : undefined };
}

import { deferPattern } from "../diagnostics/defer-pattern.js";

/** Bit set per ASCII code: 1 letter or `_`, 2 digit, 4 blank. */
const ASCII = new Uint8Array(128);
for (let code = 0x61; code <= 0x7a; code += 1) {
  ASCII[code] = 1;
  ASCII[code - 32] = 1;
}
ASCII[0x5f] = 1;
for (let code = 0x30; code <= 0x39; code += 1) ASCII[code] = 2;
for (const code of [0x20, 0x09, 0x0b, 0x0c, 0x0d]) ASCII[code] = 4;

// Most texts are ASCII.
const letter = deferPattern(String.raw`^[\p{L}\p{Nl}]$`, "u");
const letterOrDigit = deferPattern(String.raw`^[\p{L}\p{M}\p{N}\p{Pc}]$`, "u");
const space = deferPattern(String.raw`^\p{Zs}$`, "u");

/** A letter of any script, or `_`. Takes a code point. */
export function isNameStart(code: number): boolean {
  if (code < 128) return ASCII[code] === 1;
  return letter().test(String.fromCodePoint(code));
}

/** A letter, digit or mark of any script, or `_`. Takes a code point; `NaN` (beyond the end of a text) is none. */
export function isNamePart(code: number): boolean {
  if (code < 128) return ((ASCII[code] ?? 0) & 3) !== 0;
  return code >= 128 && letterOrDigit().test(String.fromCodePoint(code));
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Blanks separate tokens within a line; the carriage return of `\r\n` counts as one. */
export function isBlank(code: number): boolean {
  if (code < 128) return ASCII[code] === 4;
  return space().test(String.fromCodePoint(code));
}

export function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27;
}

/** The code point at an offset, or `NaN` from the end on, so that every test of it fails. */
export function codeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff ? (text.codePointAt(at) ?? code) : code;
}

/** The code point that ends just before an offset, or `NaN` at the beginning of the text. */
export function codeBefore(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  const isLowSurrogate = code >= 0xdc00 && code <= 0xdfff;
  return isLowSurrogate && at >= 2 ? codeAt(text, at - 2) : code;
}

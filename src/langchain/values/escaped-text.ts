import { splitOff } from "../../turn/extra-text.js";

/** An escape sequence of JSON, or an escaped character. */
const ESCAPE = /\\(?:u([\da-f]{4})|(.))/gis;
const UNICODE = /\\u[\da-f]{4}/i;
const JSON_START = /^\s*[[{]/;

/** The beginning of an escape sequence at the end of a text. A backslash alone also begins commands of LaTeX. */
const BEGUN = /\\u[\da-f]{0,3}$/i;

/**
 * Returns the text as a JSON parser behind the rails reads it, without escapes of printable characters; undefined if it has
 * none. INVARIANT: as JSON, both mean the same.
 *
 * @example
 * ```ts
 * withoutEscapes(String.raw`{"city": "Z\u0061nzibar"}`); // '{"city": "Zanzibar"}'
 * ```
 */
export function withoutEscapes(text: string): string | undefined {
  if (!text.includes("\\")) return undefined;
  // Outside of JSON, `\/` is common in code and hides nothing.
  if (!UNICODE.test(text) && !(text.includes("\\/") && JSON_START.test(text))) return undefined;
  const decoded = text.replaceAll(ESCAPE, (whole, unit: string | undefined, other: string | undefined) => {
    if (unit === undefined) return other === "/" ? other : whole;
    const code = Number.parseInt(unit, 16);
    return isPrintable(code) ? String.fromCharCode(code) : whole;
  });
  return decoded === text ? undefined : decoded;
}

/** Returns true for characters that JSON allows in a string as they are. */
function isPrintable(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c && !(code >= 0x7f && code < 0xa0);
}

/**
 * The text to release, from a review of a text and its form without escapes.
 *
 * @param reviewed - both, as the rails left them
 */
export function releasedOf(text: string, decoded: string, reviewed: string): string {
  const { main, others } = splitOff(text, decoded, reviewed);
  // A rail that replaces all lines leaves no second one.
  return others === decoded || others === "" || (withoutEscapes(main) ?? main) === others ? main : others;
}

/** Finds escapes in the chunks of a stream. */
export class EscapeWatch {
  #endsWithBackslash = false;
  #isJson: boolean | undefined;

  /** Returns true if the escape of a character stands in this chunk, or begins in it. */
  sees(chunk: string): boolean {
    if (this.#isJson === undefined && chunk.trim() !== "") this.#isJson = JSON_START.test(chunk);
    if (!this.#endsWithBackslash && !chunk.includes("\\")) return false;
    const text = this.#endsWithBackslash ? `\\${chunk}` : chunk;
    this.#endsWithBackslash = text.endsWith("\\");
    return UNICODE.test(text) || BEGUN.test(text) || (this.#isJson === true && text.includes("\\/"));
  }
}

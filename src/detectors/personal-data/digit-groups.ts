import { isUnspaced, UNSPACED_LETTERS } from "../scan/unspaced-letters.js";

/** Digits that stand together, and what separates them from the group before. */
export interface DigitGroup {
  readonly start: number;
  readonly end: number;
  /** Separator before the group; of no meaning for the first. */
  readonly separator: string;
}

/** Groups of the longest number: a French one in pairs with a country code has seven. */
const MAX_GROUPS = 8;
const MAX_GROUP_LENGTH = 40;
const SEPARATOR = /(?: ?[-‐‑–] ?|[./]| ?\(0\) ?|\) ?[-.]?| \(|[ \u00a0\u202f])(?=\d)/y;

/**
 * Reads the groups of digits that begin at an offset. It keeps the last ones, since many rules ask for the same, and the next
 * question is often for the next group.
 *
 * INVARIANT: reads each group of a text once, so that a scan stays linear.
 */
export class DigitGroupReader {
  #text = "";
  #start = -1;
  #groups: readonly DigitGroup[] = [];

  /** Returns at most eight groups from the one that begins at `start`, each joined to the one before by one separator. */
  read(text: string, start: number): readonly DigitGroup[] {
    if (start === this.#start && text === this.#text) return this.#groups;
    const isNext = this.#groups[1]?.start === start && text === this.#text;
    const known = isNext ? this.#groups.slice(1) : [{ start, end: endOfDigits(text, start), separator: "" }];
    this.#text = text;
    this.#start = start;
    this.#groups = extend(text, known);
    return this.#groups;
  }
}

function extend(text: string, groups: DigitGroup[]): readonly DigitGroup[] {
  let last = groups.at(-1);
  while (last !== undefined && groups.length < MAX_GROUPS && last.end - last.start <= MAX_GROUP_LENGTH) {
    if (isLetterAt(text, last.end)) return groups;
    SEPARATOR.lastIndex = last.end;
    const separator = SEPARATOR.exec(text)?.[0];
    if (separator === undefined) return groups;
    const start = last.end + separator.length;
    last = { start, end: endOfDigits(text, start), separator };
    groups.push(last);
  }
  return groups;
}

/** Returns true for ASCII letters, before which no separator can stand. */
function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at) | 32;
  return code >= 97 && code <= 122;
}

/** Offset after the digits that stand at an offset, at most 41 of them. */
function endOfDigits(text: string, start: number): number {
  let at = start;
  while (at - start <= MAX_GROUP_LENGTH && isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Returns true for the code of an ASCII digit. */
export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Returns true for the code of an ASCII letter or digit. */
export function isAlphanumeric(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** A host whose ending has Latin letters, with the words of such a script that follow it: `example.comです`. */
export const WORDS_AFTER_HOST = new RegExp(`(\\.[A-Za-z]{2,24})${UNSPACED_LETTERS}[^.]*$`, "u");

/**
 * Returns true if a letter of a word, a digit or an underscore within a word stands at an offset. The letter of an escape such as
 * `\n` and the underscores of Markdown around a word belong to none.
 */
export function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return false;
  if (code === 95) return isWithinWord(text, at);
  if (code < 128) return isAlphanumeric(code) && !isEscapeAt(text, at, code);
  const sign = text.charAt(at);
  return /\p{L}/u.test(sign) && !isUnspaced(sign);
}

/** Returns true if the letter at an offset ends the escape of a blank: `\n`, `\r` or `\t`. */
export function isEscapeAt(text: string, at: number, code = text.charCodeAt(at)): boolean {
  return (code === 110 || code === 114 || code === 116) && text.charCodeAt(at - 1) === 92;
}

/** Longest run of underscores that Markdown has around a word. */
const MAX_UNDERSCORES = 3;

/** Returns true if letters or digits stand on both sides of the underscores at an offset. */
function isWithinWord(text: string, at: number): boolean {
  let [start, end] = [at - 1, at + 1];
  while (at - start < MAX_UNDERSCORES && text.charCodeAt(start) === 95) start--;
  while (end - at < MAX_UNDERSCORES && text.charCodeAt(end) === 95) end++;
  return isJoinedAt(text, start) && isJoinedAt(text, end);
}

function isJoinedAt(text: string, at: number): boolean {
  return text.charCodeAt(at) === 95 || isWordAt(text, at);
}

/** The next cell, or the end of the line, after a value with or without quotes. */
const CELL_END = /["' ]{0,2}(?:[,;|]|[\r\n]|$)/y;
/** One to three digits that may be the whole part of a decimal fraction, and what begins a cell before them. */
const WHOLE_PART = /(^|[\r\n,;|\t"'[(]|(?<![\d.]))(\d{1,3})$/;
const LONGEST_WHOLE_PART = 5;

/**
 * Returns true if the comma right before a value separates it from another value of the line. Between digits, of which the first
 * are at most three, it is that of a decimal fraction, unless a cell begins before them and ends after the value.
 */
export function beginsCell(text: string, start: number, end: number): boolean {
  const [, cell, whole] = WHOLE_PART.exec(text.slice(Math.max(0, start - 1 - LONGEST_WHOLE_PART), start - 1)) ?? [];
  if (whole === undefined) return true;
  if (!/^\d+$/.test(text.slice(start, end))) return cell !== "" || start - 1 === whole.length;
  CELL_END.lastIndex = end;
  return whole !== "0" && CELL_END.test(text);
}

/** Returns the digits of a text without what separates them. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/** Lengths of groups, for example `3-2-4`. */
export function shapeOf(groups: readonly DigitGroup[]): string {
  return groups.map(({ start, end }) => end - start).join("-");
}

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

/** Letters of scripts without spaces between words: kana, ideographs and Hangul, whose particles follow numbers. */
export const UNSPACED_LETTERS =
  "[\\u3005-\\u3007\\u3041-\\u30ff\\u31f0-\\u31ff\\u3400-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff]";
const UNSPACED = new RegExp(UNSPACED_LETTERS);
/** A host whose ending has Latin letters, with the words of such a script that follow it: `example.comです`. */
export const WORDS_AFTER_HOST = new RegExp(`(\\.[A-Za-z]{2,24})${UNSPACED_LETTERS}[^.]*$`, "u");

/** Returns true if a letter of a word, a digit or an underscore stands at an offset. */
export function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return false;
  if (code < 128) return isAlphanumeric(code) || code === 95;
  const sign = text.charAt(at);
  return /\p{L}/u.test(sign) && !UNSPACED.test(sign);
}

/** Returns the digits of a text without what separates them. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/** Lengths of groups, for example `3-2-4`. */
export function shapeOf(groups: readonly DigitGroup[]): string {
  return groups.map(({ start, end }) => end - start).join("-");
}

// INVARIANT: `scripts/matcher/background-table.mjs` builds the matcher's table with this file, which must not read the
// table.

/** Longer texts are truncated here; no utterance needs more. */
export const MAX_TEXT = 8000;
const MAX_WORD = 64;
const WORD = /[\p{L}\p{N}\p{M}]+(?:'\p{L}+)*|\p{Extended_Pictographic}/gu;
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const A = unit("a");
const E = unit("e");
const I = unit("i");
const S = unit("s");
const Y = unit("y");
const Z = unit("z");
const LETTERS_OF_CASE = 32;
const APOSTROPHE = unit("'");
/** Letters that may be doubled before an ending, as in `stopped`. */
const DOUBLED = new Set("bdfgkmnprt".split("").map(unit));

function unit(character: string): number {
  return character.charCodeAt(0);
}

/**
 * Reads the words of a text in lower case, including emoji; names such as `ask_price` are split. All words share the
 * same buffers, so no strings are allocated.
 */
export class WordReader {
  /** UTF-16 units of the word, between `^` and `$`. */
  readonly framed: Uint16Array = new Uint16Array(MAX_WORD + 2).fill(unit("^"));
  /** Length of the word without its frame. */
  length = 0;
  /**
   * The word without plural, verb and possessive endings, so that `cards`, `paying` and `stopped` match `card`, `pay`
   * and `stop`. It need not be a word, only equal for forms of one word.
   */
  readonly stem: Uint16Array = new Uint16Array(MAX_WORD);
  stemLength = 0;
  isUnspaced = false;
  /** The text, if it is ASCII. */
  #units = new Uint16Array(256);
  #end = 0;
  #at = 0;
  /** The text, if it is not. */
  #plain: string | undefined;

  open(text: string): void {
    this.#at = 0;
    this.#plain = undefined;
    this.#end = Math.min(text.length, MAX_TEXT);
    if (this.#units.length < this.#end) this.#units = new Uint16Array(MAX_TEXT);
    for (let at = 0; at < this.#end; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 127) {
        this.#plain = text.slice(0, MAX_TEXT).normalize("NFKC").slice(0, MAX_TEXT).toLowerCase().replaceAll("’", "'");
        return;
      }
      this.#units[at] = code >= 65 && code <= 90 ? code + LETTERS_OF_CASE : code;
    }
  }

  /** Reads the next word; returns false after the last. */
  next(): boolean {
    if (!(this.#plain === undefined ? this.#nextAscii() : this.#nextOf(this.#plain))) return false;
    this.framed[this.length + 1] = unit("$");
    for (let at = 0; at < this.length; at += 1) this.stem[at] = this.framed[at + 1] as number;
    this.stemLength = stemUnits(this.stem, this.length);
    return true;
  }

  /** Equivalent to the pattern. */
  #nextAscii(): boolean {
    const units = this.#units;
    const end = this.#end;
    let start = this.#at;
    while (start < end && !isWordUnit(units[start] as number)) start += 1;
    if (start >= end) return false;
    let at = start;
    while (at < end && isWordUnit(units[at] as number)) at += 1;
    while (at + 1 < end && units[at] === APOSTROPHE && isLetter(units[at + 1] as number)) {
      at += 1;
      while (at < end && isLetter(units[at] as number)) at += 1;
    }
    this.#at = at;
    this.length = Math.min(at - start, MAX_WORD);
    for (let from = 0; from < this.length; from += 1) this.framed[from + 1] = units[start + from] as number;
    this.isUnspaced = false;
    return true;
  }

  #nextOf(plain: string): boolean {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(plain)?.[0].slice(0, MAX_WORD);
    if (word === undefined) return false;
    this.#at = WORD.lastIndex;
    this.length = word.length;
    for (let at = 0; at < word.length; at += 1) this.framed[at + 1] = word.charCodeAt(at);
    this.isUnspaced = UNSPACED.test(word);
    return true;
  }
}

function isLetter(code: number): boolean {
  return code >= A && code <= Z;
}

function isWordUnit(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57);
}

/** Reduces a word of `length` units to its stem; returns the length of the stem. */
function stemUnits(units: Uint16Array, length: number): number {
  if (length < 4) return length;
  let end = units[length - 2] === APOSTROPHE && units[length - 1] === S ? length - 2 : length;
  end = withoutVerbEnding(units, withoutPlural(units, end));
  const last = units[end - 1] as number;
  if (end > 3 && last === units[end - 2] && DOUBLED.has(last)) end -= 1;
  return end > 3 && units[end - 1] === E ? end - 1 : end;
}

function withoutPlural(units: Uint16Array, end: number): number {
  if (endsWith(units, end, "ies") && end > 4) return withY(units, end);
  if (HISSING.some((ending) => endsWith(units, end, ending))) return end - 2;
  if (end < 2 || units[end - 1] !== S) return end;
  const before = units[end - 2] as number;
  return before === S || before === I || before === unit("u") ? end : end - 1;
}

const HISSING = ["sses", "xes", "ches", "shes"];

function withoutVerbEnding(units: Uint16Array, end: number): number {
  if (endsWith(units, end, "ing") && end > 5) return end - 3;
  if (endsWith(units, end, "ied")) return withY(units, end);
  return endsWith(units, end, "ed") && end > 4 ? end - 2 : end;
}

/** Replaces the last three units by `y`. */
function withY(units: Uint16Array, end: number): number {
  units[end - 3] = Y;
  return end - 2;
}

function endsWith(units: Uint16Array, end: number, ending: string): boolean {
  if (end < ending.length) return false;
  for (let at = 1; at <= ending.length; at += 1) {
    if (units[end - at] !== ending.charCodeAt(ending.length - at)) return false;
  }
  return true;
}

/** Hash of a text; see `hashUnits`. */
export function hashText(text: string, seed: number): number {
  let code = seed | 0;
  for (let at = 0; at < text.length; at += 1) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  return spread(code);
}

/**
 * FNV-1a over the UTF-16 units from `start` to `end`, with a finish that spreads the last characters over all bits.
 * Signed, because engines store signed 32-bit numbers without allocating.
 */
export function hashUnits(units: Uint16Array, start: number, end: number, seed: number): number {
  let code = seed | 0;
  for (let at = start; at < end; at += 1) code = Math.imul(code ^ (units[at] as number), 0x01000193);
  return spread(code);
}

function spread(hash: number): number {
  let code = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2ae35);
  return code ^ (code >>> 16);
}

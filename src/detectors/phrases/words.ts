import { codeAt } from "../scan/code-at.js";
/**
 * Words of a text, in order. Positions count words; the end of a sentence and a blank line count as several words, so that
 * words on both sides of them are not near each other.
 */
export interface WordList {
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly positions: Int32Array;
  /** Offsets of the characters between words that may end a sentence, and their number. */
  readonly stops: Int32Array;
  readonly stopCount: number;
  /** Code units of the text, which are read from an array in a third of the time. */
  readonly codes: Uint16Array;
}

const SEPARATOR = 0;
const LETTER = 1;
/** Character that is a word by itself: ideographs, kana, and letters of Thai and Burmese, which stand without spaces. */
const SINGLE = 2;
const APOSTROPHE = 3;
const SENTENCE_END = 4;
const LINE_END = 5;
/** Sign between the items of a list or the values of data. */
const ITEM_END = 6;

/** Words that a blank line or the end of a sentence counts for. */
const BREAK = 4;

const kinds = buildKinds();

/** Text in lower case, such as a view. */
export interface FoldedText {
  readonly folded: string;
}

/** Longest text that is kept with its words for the next detector that reads it. */
const LONGEST_KEPT = 50_000;
let last: { readonly source: FoldedText; readonly words: WordList } | undefined;

/** Offsets of words while they are collected. */
class WordArrays {
  starts: Int32Array<ArrayBuffer>;
  ends: Int32Array<ArrayBuffer>;
  positions: Int32Array<ArrayBuffer>;
  stops = new Int32Array(64);
  codes = new Uint16Array(0);

  constructor(size: number) {
    this.starts = new Int32Array(size);
    this.ends = new Int32Array(size);
    this.positions = new Int32Array(size);
  }

  grow(): void {
    const { starts, ends, positions } = this;
    const grown = new WordArrays(2 * starts.length);
    grown.starts.set(starts);
    grown.ends.set(ends);
    grown.positions.set(positions);
    ({ starts: this.starts, ends: this.ends, positions: this.positions } = grown);
  }

  growStops(): void {
    const stops = new Int32Array(2 * this.stops.length);
    stops.set(this.stops);
    this.stops = stops;
  }
}

/** Arrays of all texts that are not too long to be kept: to make new ones takes as long as to read the text. */
const kept = new WordArrays(512);

/**
 * Returns the words of a text in lower case: runs of letters, marks and digits, and each letter of a script without spaces by itself. An
 * apostrophe after at most two letters ends a word (`l'istruzione`, `i'm`), after more it belongs to it (`don't`).
 *
 * INVARIANT: a list is used before the words of the next text are read, which may overwrite it.
 */
export function wordsOf(source: FoldedText): WordList {
  if (last?.source === source) return last.words;
  const { folded } = source;
  const isKept = folded.length <= LONGEST_KEPT;
  const words = readWords(folded, isKept ? kept : new WordArrays(folded.length >> 2));
  last = isKept ? { source, words } : undefined;
  return words;
}

function readWords(folded: string, arrays: WordArrays): WordList {
  const { length } = folded;
  if (arrays.codes.length < length) arrays.codes = new Uint16Array(Math.max(2 * arrays.codes.length, length));
  const { codes } = arrays;
  let { starts, ends, positions } = arrays;
  let count = 0;
  let position = 0;
  let newLines = 0;
  let stopCount = 0;
  for (let at = 0; at < length; at++) {
    const code = codeAt(folded, at);
    codes[at] = code;
    const kind = kinds[code] ?? SEPARATOR;
    if (kind === SEPARATOR || kind === APOSTROPHE) {
      if (code === LESS_THAN || code === ESCAPE) at = endOfTag(folded, at, code, codes);
      continue;
    }
    if (kind === LETTER || kind === SINGLE) {
      if (count === starts.length) {
        arrays.grow();
        ({ starts, ends, positions } = arrays);
      }
      starts[count] = at;
      if (kind === LETTER) at = endOfWord(folded, at, codes);
      ends[count] = at + 1;
      positions[count++] = position++;
      newLines = 0;
      continue;
    }
    if (stopCount === arrays.stops.length) arrays.growStops();
    arrays.stops[stopCount++] = at;
    if (kind === LINE_END) {
      if (++newLines === 2) position += BREAK;
    } else if (kind === SENTENCE_END && isAtEnd(folded, at)) {
      position += BREAK;
    }
  }
  return { count, starts, ends, positions, stops: arrays.stops, stopCount, codes };
}

const LESS_THAN = 0x3c;
const ESCAPE = 0x1b;
/** Tag of HTML without attributes, and a colour of a terminal: neither is a word. */
const TAG = /<\/?[a-z][a-z0-9]{0,9} ?\/?>/y;
const COLOUR = /\u001b\[[\d;]{0,12}m/y;

/** Returns the offset of the last character of a tag that begins at an offset; keeps the codes that it reads. */
function endOfTag(folded: string, start: number, code: number, codes: Uint16Array): number {
  const pattern = code === ESCAPE ? COLOUR : TAG;
  pattern.lastIndex = start;
  if (!pattern.test(folded)) return start;
  for (let at = start + 1; at < pattern.lastIndex; at++) codes[at] = codeAt(folded, at);
  return pattern.lastIndex - 1;
}

/** Returns the offset of the last letter of the word that begins at an offset; keeps the codes that it reads. */
function endOfWord(folded: string, start: number, codes: Uint16Array): number {
  const { length } = folded;
  let last = start;
  for (let at = start + 1; at < length; at++) {
    const code = codeAt(folded, at);
    codes[at] = code;
    const kind = kinds[code];
    if (kind === LETTER) last = at;
    else if (kind !== APOSTROPHE || at - start <= 2 || last < at - 1) break;
  }
  return last;
}

/** Returns the letters of a word, without apostrophes. */
export function lettersOf(word: string): string {
  return word.replace(/['\u02bc\u2019]/g, "");
}

/** Returns true if a character stands within words but does not count as a letter. */
export function isApostrophe(code: number): boolean {
  return kinds[code] === APOSTROPHE;
}

/** A stop ends a sentence before a space or the end of the text; ideographic stops always do. */
function isAtEnd(folded: string, at: number): boolean {
  return folded.charCodeAt(at) >= 0x3000 || at + 1 >= folded.length || folded.charCodeAt(at + 1) <= 32;
}

function buildKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000);
  const fill = (kind: number, ...ranges: (readonly [from: number, to: number])[]): void => {
    for (const [from, to] of ranges) kinds.fill(kind, from, to + 1);
  };
  fill(LETTER, [0x30, 0x39], [0x61, 0x7a], [0x41, 0x5a], [0xaa, 0xaa], [0xb5, 0xb5], [0xba, 0xba], [0xc0, 0x1fff]);
  fill(LETTER, [0x2c00, 0x2dff], [0xa000, 0xd7ff], [0xfb00, 0xfdff], [0xfe70, 0xfeff]);
  fill(
    SEPARATOR,
    [0x1680, 0x1680],
    [0xd7, 0xd7],
    [0xf7, 0xf7],
    [0x589, 0x58a],
    [0x60c, 0x60d],
    [0x61b, 0x61f],
    [0x66a, 0x66d],
  );
  fill(SEPARATOR, [0x6d4, 0x6d4], [0x964, 0x965], [0x970, 0x970], [0xfeff, 0xfeff]);
  fill(
    SINGLE,
    [0xe01, 0xe4e],
    [0x1000, 0x103f],
    [0x3005, 0x3007],
    [0x3041, 0x30fa],
    [0x30fc, 0x312f],
    [0x31f0, 0x31ff],
    [0x3400, 0x9fff],
    [0xf900, 0xfaff],
  );
  fill(APOSTROPHE, [0x27, 0x27], [0x2bc, 0x2bc], [0x2019, 0x2019]);
  fill(SENTENCE_END, [0x21, 0x21], [0x2e, 0x2e], [0x3f, 0x3f], [0x3002, 0x3002], [0xff01, 0xff01], [0xff1f, 0xff1f]);
  fill(SENTENCE_END, [0x61f, 0x61f], [0x6d4, 0x6d4], [0x964, 0x964]);
  fill(ITEM_END, [0x22, 0x22], [0x5c, 0x5c], [0x7c, 0x7c], [0x2022, 0x2022]);
  fill(LINE_END, [0x0a, 0x0a], [0x2028, 0x2029]);
  return kinds;
}

import { codeAt } from "../scan/code-at.js";
import { asciiTwin, cyrillicTwin, isMerelyAlike } from "./lookalikes.js";

/** Words by their letters. */
export type WordKind =
  | "number"
  /** Latin letters alone. */
  | "latin"
  /** Letters of another script, of which one at least looks like no ASCII letter. */
  | "native"
  /** Letters that look like ASCII letters, and no Latin ones. */
  | "skeleton"
  /** The same, but some look only alike: a word of its own script, unless disguised words stand near it. */
  | "alike"
  /** Latin letters and such that look like them. */
  | "mixed"
  /** Cyrillic letters and Latin ones that look like them. */
  | "cyrillic";

/** Letters and digits in a row. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly kind: WordKind;
}

/** Classes of UTF-16 code units in words; 0 is not known yet. */
const OTHER = 1;
const NUMERAL = 2;
const LATIN = 3;
const PHONETIC = 4;
const NATIVE = 5;
const ALIKE = 6;
const MERELY_ALIKE = 7;

const classes = new Uint8Array(0x10000);

/** Returns the words of a text; letters beyond the basic plane belong to none. */
export function readWords(text: string): Word[] {
  const words: Word[] = [];
  const counts = new Uint32Array(8);
  const { length } = text;
  let start = -1;
  for (let at = 0; at <= length; at++) {
    const unit = at < length ? classOf(codeAt(text, at)) : OTHER;
    if (unit !== OTHER) {
      if (start < 0) start = at;
      counts[unit] = (counts[unit] ?? 0) + 1;
    } else if (start >= 0) {
      const word = text.slice(start, at);
      words.push({ text: word, start, end: at, kind: kindOf(word, counts) });
      counts.fill(0);
      start = -1;
    }
  }
  return words;
}

function kindOf(word: string, counts: Uint32Array): WordKind {
  const latin = counts[LATIN] ?? 0;
  const similar = (counts[ALIKE] ?? 0) + (counts[MERELY_ALIKE] ?? 0);
  const native = counts[NATIVE] ?? 0;
  if (native > 0) return latin > 0 && native + similar > latin && isCyrillicWithTwins(word) ? "cyrillic" : "native";
  if (latin > 0 && similar > 0) return "mixed";
  if ((counts[MERELY_ALIKE] ?? 0) > 0) return "alike";
  if (similar > 0) return "skeleton";
  const phonetic = counts[PHONETIC] ?? 0;
  if (phonetic === 0) return latin > 0 ? "latin" : "number";
  // A letter or two of the phonetic alphabet may be a transcription; more, or some among ordinary letters, are a disguise.
  if (latin > 0 && [...word].some(isPhonetic)) return "latin";
  return phonetic > 2 || latin > 1 ? "mixed" : "skeleton";
}

function classOf(code: number): number {
  const known = classes[code] ?? OTHER;
  if (known !== 0) return known;
  const own = classify(code);
  classes[code] = own;
  return own;
}

function classify(code: number): number {
  const letter = String.fromCharCode(code);
  if (!/[\p{L}\p{M}\p{N}]/u.test(letter)) return OTHER;
  if (isNumeral(letter)) return NUMERAL;
  const twin = asciiTwin(letter);
  if (isLatin(code)) return twin === undefined ? LATIN : PHONETIC;
  if (twin === undefined) return NATIVE;
  return isMerelyAlike(letter) ? MERELY_ALIKE : ALIKE;
}

/** Returns true for a Cyrillic word whose Latin letters all look like Cyrillic ones. */
function isCyrillicWithTwins(word: string): boolean {
  if (!/^[a-z0-9\u0400-\u052f]+$/i.test(word)) return false;
  return [...word].every((letter) => !/[a-z]/i.test(letter) || cyrillicTwin(letter) !== undefined);
}

/** Returns true for letters of the phonetic alphabet that look like no ASCII letter. */
function isPhonetic(letter: string): boolean {
  return letter === "ŋ" || (letter >= "\u0250" && letter <= "\u02ff" && asciiTwin(letter) === undefined);
}

/** Returns true for Latin letters, also with accents, and for the phonetic letters made of them. */
export function isLatin(code: number): boolean {
  return (
    (code >= 0x41 && code <= 0x7a) ||
    (code >= 0xc0 && code <= 0x36f) ||
    (code >= 0x1d00 && code <= 0x1eff) ||
    (code >= 0xa720 && code <= 0xab6f)
  );
}

/** Returns true for ASCII digits. */
export function isNumeral(letter: string): boolean {
  return letter >= "0" && letter <= "9";
}

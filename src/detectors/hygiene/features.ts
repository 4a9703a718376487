import { codeAt } from "../scan/code-at.js";
import { isCipherWord, isSpelling, LEAST_SPELLED, visitCipherWords } from "./ciphers.js";
import { KNOWN_WORDS } from "./known-words.js";
import { hasTags, isSplitWord, LEAST_SPLITS } from "./split-words.js";
import { hexByte, hexValue } from "./decode/bytes.js";
import { isWordCode } from "./spaced.js";

/** Characters that are not ASCII. */
export const UNUSUAL = 1;
/** Characters that begin encoded ones, or runs of characters that may be Base64 or hexadecimal digits. */
export const ENCODED = 2;
/** Words of one letter in a row. */
export const SPACED = 4;
/** Digits or signs before letters. */
export const LEETSPEAK = 8;
/** Words that are common ones in ROT13 or backwards. */
export const CIPHER = 16;
/** Signs or blanks within common words. */
export const SPLIT = 32;
/** Marks around words. */
export const MARKED = 64;
/** Lines that begin alike, and lines or sentences of few words. */
export const LINED = 128;
/** Joined words and doubled letters. */
export const JOINED = 256;

/** Least length of a run of characters that may be Base64. */
const LEAST_RUN = 12;
/** Groups of digits or mixed letters that may be numbers or Base64 in a row; one without them counts as minus one half. */
const LEAST_GROUPS = 8;
/** Characters in a row without letters that may be Morse code. */
const LEAST_SIGNS = 16;
/** Characters of a word in parts that signs split. */
const LONGEST_SPLIT = 48;
/** Words of one letter in a row that may be a spaced-out word, and characters between two of them. */
const LEAST_SINGLES = 4;
const LONGEST_GAP = 8;
/** Sentences or pieces of at most so many words in a row, lines in a row that begin alike, capitals within a word. */
const FEW_WORDS = 2;
const LEAST_SHORT = 3;
const LEAST_LINES = 3;
const LEAST_HUMPS = 2;
/** Letters of a word at most for each that is doubled. */
const MOST_SINGLE = 6;
/** Letters of a word that may be several ones. */
const LEAST_JOINED = 16;

/** Small letters that English words rarely have twice in a row. */
const RARELY_DOUBLED = new Uint8Array(128);
for (const letter of "ahijkquvwxy") RARELY_DOUBLED[letter.charCodeAt(0)] = 1;

/** Bits of hashes, and what they are multiplied by. */
const HASHES = 0x3ffff;
const FACTOR = 31;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const RUN_SIGN = 8;
const LEET_SIGN = 16;
const OPENING = 32;
const BREAK = 64;
const LETTER = LOWER | UPPER;
const WORD = LETTER | DIGIT;
const RUN = WORD | RUN_SIGN;
const KINDS = new Uint8Array(128);
for (let code = 97; code <= 122; code++) [KINDS[code], KINDS[code - 32]] = [LOWER, UPPER];
for (let code = 48; code <= 57; code++) KINDS[code] = DIGIT;
for (const sign of "+-/_") KINDS[sign.charCodeAt(0)] = RUN_SIGN;
for (const sign of "@$!|+") KINDS[sign.charCodeAt(0)] = (KINDS[sign.charCodeAt(0)] ?? 0) | LEET_SIGN;
for (const sign of "%&\\=") KINDS[sign.charCodeAt(0)] = OPENING;
for (const sign of '\n.!?"<[]{\\') KINDS[sign.charCodeAt(0)] = (KINDS[sign.charCodeAt(0)] ?? 0) | BREAK;

/** Hashes of the words that `CIPHER` and `SPLIT` stand for, as bits; made for the first text. */
let hashes: { readonly ciphers: Uint8Array; readonly known: Uint8Array } | undefined;

function buildHashes(): { readonly ciphers: Uint8Array; readonly known: Uint8Array } {
  const ciphers = new Uint8Array((HASHES + 1) >> 3);
  const known = new Uint8Array((HASHES + 1) >> 3);
  visitCipherWords((word, alphabet) => addHash(ciphers, word, alphabet));
  for (const word of KNOWN_WORDS) addHash(known, word);
  return { ciphers, known };
}

/** Adds the hash of a word, with its letters in an alphabet. */
function addHash(table: Uint8Array, word: string, alphabet = ""): void {
  let hash = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    hash = nextHash(hash, code < 97 || alphabet === "" ? code : alphabet.charCodeAt(code - 97));
  }
  table[(hash & HASHES) >> 3] = (table[(hash & HASHES) >> 3] ?? 0) | (1 << (hash & 7));
}

/** Powers of the factor of hashes, by the length of a word: the hash of two words joined is made of theirs. */
const POWERS = Int32Array.from({ length: 33 });
for (let at = 0, power = 1; at < POWERS.length; at++, power = Math.imul(power, FACTOR)) POWERS[at] = power;

/**
 * Returns the features that a text may have, as bits, in one pass: each is the cheap test for a further reading of the text. It
 * never misses one, and is wrong about few texts without one.
 */
export function featuresOf(text: string): number {
  const { ciphers, known } = (hashes ??= buildHashes());
  let found = 0;
  let before = 0;
  let runLength = 0;
  let isMixed = false;
  let groups = 0;
  let wordLength = 0;
  let hash = 0;
  let partHash = 0;
  let partStart = 0;
  let gapBefore = 0;
  let splits = 0;
  let spelled = 0;
  let singles = 0;
  let gap = 0;
  let doubles = 0;
  let unusual = 0;
  let doubled = 0;
  let humps = 0;
  let words = 0;
  let short = 0;
  let lineKey = 0;
  let sameLines = 0;
  const { length } = text;
  for (let at = 0; at <= length; at++) {
    // A blank ends the last word: beyond the text, `charCodeAt` gives `NaN`, which makes the loop slow.
    let code = at < length ? codeAt(text, at) : 32;
    if (wordLength > 0 && code >= 97 && code <= 122) {
      // Most characters are small letters after others.
      const from = at;
      let last = 0;
      do {
        hash = nextHash(hash, code);
        if (code === last && (RARELY_DOUBLED[code] === 1 || text.charCodeAt(at - 2) === code)) doubles += 2;
        last = code;
        code = ++at < length ? codeAt(text, at) : 32;
      } while (code >= 97 && code <= 122);
      runLength += at - from;
      wordLength += at - from;
      if ((before & (DIGIT | LEET_SIGN)) !== 0) found |= LEETSPEAK;
      before = LOWER;
    }
    const kind = code < 128 ? (KINDS[code] ?? 0) : 0;
    if (kind === UPPER && before === LOWER) humps++;
    if (code >= 128) {
      found |= UNUSUAL;
      if (code === unusual) doubles++;
      unusual = code;
    }
    if ((kind & RUN) !== 0) {
      runLength++;
      if ((kind & DIGIT) !== 0 || ((kind & UPPER) !== 0 && runLength > 1)) isMixed = true;
    } else {
      if (isMixed && runLength >= LEAST_RUN) found |= ENCODED;
      if (runLength > 0) {
        groups = isMixed ? groups + 2 : Math.max(0, groups - 1);
        if (groups >= LEAST_GROUPS) found |= ENCODED;
      }
      runLength = 0;
      isMixed = false;
      if ((kind & OPENING) !== 0 && isOpening(text, at)) found |= ENCODED;
    }
    if ((kind & WORD) !== 0 || isWordCode(code)) {
      if (wordLength === 0 && gap > LONGEST_GAP) singles = 0;
      wordLength++;
      gap = 0;
      hash = nextHash(hash, code | 0x20);
      if ((kind & LETTER) !== 0 && (before & (DIGIT | LEET_SIGN)) !== 0) found |= LEETSPEAK;
    } else {
      if (wordLength > 0) {
        if (wordLength === 1) {
          if (++singles >= LEAST_SINGLES) found |= SPACED;
        } else {
          singles = 0;
          if (wordLength > 2 && hasHash(ciphers, hash)) {
            const word = text.slice(at - wordLength, at).toLowerCase();
            if (isCipherWord(word) || (isSpelling(word) && ++spelled >= LEAST_SPELLED)) found |= CIPHER;
          }
        }
        // A word that begins with the one before it, behind signs or one blank.
        const start = at - wordLength;
        const joined = (Math.imul(partHash, POWERS[Math.min(wordLength, 32)] ?? 0) + hash) | 0;
        if (
          partHash !== 0 &&
          hasHash(known, joined) &&
          isSplitWord(text.slice(partStart, at)) &&
          ++splits >= LEAST_SPLITS
        )
          found |= SPLIT;
        // INVARIANT: parts are few, so that the work is linear.
        const goesOn = partHash !== 0 && gapBefore !== 0x20 && at - partStart < LONGEST_SPLIT;
        partHash = goesOn ? joined : hash;
        if (!goesOn) partStart = start;
        gapBefore = code;
        if (code === 0x3c && hasTags(text, at)) found |= SPLIT;
        if ((before & DIGIT) === 0) words++;
        if (doubles > 1 && doubles * MOST_SINGLE >= wordLength && ++doubled > 1) found |= JOINED;
        if (humps >= LEAST_HUMPS || (wordLength >= LEAST_JOINED && !isMixed)) found |= JOINED;
        doubles = humps = 0;
        wordLength = 0;
        hash = 0;
      }
      if (++gap === LEAST_SIGNS) found |= ENCODED;
      if (isBreak(code)) {
        if (words > FEW_WORDS) short = 0;
        else if (words > 0 && ++short >= LEAST_SHORT) found |= isStop(code) ? LINED : MARKED;
        words = 0;
        if (code === 0x0a) {
          const key = lineKeyOf(text, at + 1);
          // A line that ends a sentence is not part of another one.
          const isWhole = at > 0 && isStop(codeAt(text, at - 1));
          sameLines = key === lineKey && !isWhole ? sameLines + 1 : 1;
          if (key !== 0) lineKey = key;
          if (sameLines >= LEAST_LINES) found |= LINED;
        }
      }
    }
    before = kind;
  }
  return found;
}

/** Signs that end a line or a sentence, and those of marks. */
function isBreak(code: number): boolean {
  return code < 128 && (KINDS[code] ?? 0) >= BREAK;
}

function isStop(code: number): boolean {
  return code === 0x0a || code === 0x2e || code === 0x21 || code === 0x3f;
}

/** Number for the first two characters of a line, in which all digits are the same; 0 for an empty line. */
function lineKeyOf(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (!(first > 0x20) && first !== 0x20) return 0;
  return withoutDigits(first) * 65536 + withoutDigits(text.charCodeAt(at + 1));
}

function withoutDigits(code: number): number {
  return code >= 48 && code <= 57 ? 48 : code;
}

function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, FACTOR) + code) | 0;
}

function hasHash(table: Uint8Array, hash: number): boolean {
  return ((table[(hash & HASHES) >> 3] ?? 0) & (1 << (hash & 7))) !== 0;
}

/** Returns true if a sign begins an encoded character: `%4`, `&#`, `&a`, `\\u`, `\\0`. */
function isOpening(text: string, at: number): boolean {
  const sign = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  if (sign === 0x25) return hexValue(next) >= 0 || (next | 0x20) === 0x75;
  if (sign === 0x3d) return next === 0x0a || next === 0x0d || hexByte(text, at + 1) >= 0;
  const kind = next < 128 ? (KINDS[next] ?? 0) : 0;
  return sign === 0x26 ? next === 0x23 || (kind & LETTER) !== 0 : (kind & WORD) !== 0;
}

import { codeAt } from "../scan/code-at.js";
import { CIPHER_WORDS } from "./ciphers.js";
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

/** Least length of a run of characters that may be Base64. */
const LEAST_RUN = 12;
/** Groups of digits or mixed letters that may be numbers or Base64 in a row; one without them counts as minus one half. */
const LEAST_GROUPS = 8;
/** Characters in a row without letters that may be Morse code. */
const LEAST_SIGNS = 16;
/** Words of one letter in a row that may be a spaced-out word, and characters between two of them. */
const LEAST_SINGLES = 4;
const LONGEST_GAP = 8;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const RUN_SIGN = 8;
const LEET_SIGN = 16;
const OPENING = 32;
const LETTER = LOWER | UPPER;
const WORD = LETTER | DIGIT;
const RUN = WORD | RUN_SIGN;
const KINDS = new Uint8Array(128);
for (let code = 97; code <= 122; code++) [KINDS[code], KINDS[code - 32]] = [LOWER, UPPER];
for (let code = 48; code <= 57; code++) KINDS[code] = DIGIT;
for (const sign of "+-/_") KINDS[sign.charCodeAt(0)] = RUN_SIGN;
for (const sign of "@$!|+") KINDS[sign.charCodeAt(0)] = (KINDS[sign.charCodeAt(0)] ?? 0) | LEET_SIGN;
for (const sign of "%&\\=") KINDS[sign.charCodeAt(0)] = OPENING;

/** Bits of the 16-bit hashes of the words that `CIPHER` stands for. */
const cipherHashes = new Uint8Array(0x2000);
for (const word of CIPHER_WORDS) {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = nextHash(hash, word.charCodeAt(at));
  cipherHashes[(hash & 0xffff) >> 3] = (cipherHashes[(hash & 0xffff) >> 3] ?? 0) | (1 << (hash & 7));
}

/**
 * Returns the features that a text may have, as bits, in one pass: each is the cheap test for a further reading of the text. It
 * never misses one, and is wrong about few texts without one.
 */
export function featuresOf(text: string): number {
  let found = 0;
  let before = 0;
  let runLength = 0;
  let isMixed = false;
  let groups = 0;
  let wordLength = 0;
  let hash = 0;
  let singles = 0;
  let gap = 0;
  const { length } = text;
  for (let at = 0; at <= length; at++) {
    // A blank ends the last word: beyond the text, `charCodeAt` gives `NaN`, which makes the loop slow.
    let code = at < length ? codeAt(text, at) : 32;
    if (wordLength > 0 && code >= 97 && code <= 122) {
      // Most characters are small letters after others.
      const from = at;
      do {
        hash = nextHash(hash, code);
        code = ++at < length ? codeAt(text, at) : 32;
      } while (code >= 97 && code <= 122);
      runLength += at - from;
      wordLength += at - from;
      if ((before & (DIGIT | LEET_SIGN)) !== 0) found |= LEETSPEAK;
      before = LOWER;
    }
    const kind = code < 128 ? (KINDS[code] ?? 0) : 0;
    if (code >= 128) found |= UNUSUAL;
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
          if (wordLength > 2 && isCipherHash(hash)) found |= CIPHER;
        }
        wordLength = 0;
        hash = 0;
      }
      if (++gap === LEAST_SIGNS) found |= ENCODED;
    }
    before = kind;
  }
  return found;
}

function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

function isCipherHash(hash: number): boolean {
  return ((cipherHashes[(hash & 0xffff) >> 3] ?? 0) & (1 << (hash & 7))) !== 0;
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

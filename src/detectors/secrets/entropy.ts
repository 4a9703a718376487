import { codeAt } from "../scan/code-at.js";
const counts = new Uint16Array(128);

/** Returns Shannon's entropy of a text in bits for each character, from the frequencies within it. */
export function entropyOf(text: string): number {
  counts.fill(0);
  const length = Math.min(text.length, 512);
  for (let at = 0; at < length; at++) {
    const slot = codeAt(text, at) & 127;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  let sum = 0;
  for (let slot = 0; slot < 128; slot++) {
    const count = counts[slot] ?? 0;
    if (count > 1) sum += count * Math.log2(count);
  }
  return length === 0 ? 0 : Math.log2(length) - sum / length;
}

/** Classes of characters: lower case, upper case, digits, others. */
function classOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 4;
}

/**
 * Returns the share of neighbours in a text that are of different classes (lower case, upper case, digit, other). Random keys
 * have 0.4 to 0.65; names that people write, such as `getAccessTokenV2` or `my-secret-2024`, have at most 0.3.
 */
export function mixtureOf(text: string): number {
  let changes = 0;
  for (let at = 1; at < text.length; at++) {
    if (classOf(text.charCodeAt(at)) !== classOf(text.charCodeAt(at - 1))) changes++;
  }
  return text.length < 2 ? 0 : changes / (text.length - 1);
}

/** The most frequent pairs of letters in English words and in names of programs: 1 at 26 times the first plus the second. */
const PAIRS = new Uint8Array(26 * 26);
for (const pair of (
  "th he in er an re nd on en at ou ed ha to or it is hi es ng st ar te se me le ve ea ne de al ti ri ro ic co io ce ch ra li ta la " +
  "el ll as ma si om ca di us ec ur il un ss tr et ee no pe ho rs ge ac lo ol so be ad ai em pr su ct ns po mo wi nt ke ey ok se ss pa " +
  "wo rd rt ut ot ow us ir id sh op pl am ap pi cl ie ev ig im iv ex xp pt up da fi fo fu if mp nc ni ov rm rn sp tu ty uc ue uf ul um vi"
).split(" ")) {
  PAIRS[26 * (pair.charCodeAt(0) - 97) + pair.charCodeAt(1) - 97] = 1;
}

/**
 * Returns the share of pairs of neighbouring letters in a text that are frequent in English: about 0.2 for random letters, at least
 * 0.5 for words and names such as `getAccessTokenV2`.
 */
export function wordShareOf(text: string): number {
  let pairs = 0;
  let frequent = 0;
  let before = NO_LETTER;
  for (let at = 0; at < text.length; at++) {
    const letter = letterAt(text, at);
    if (letter !== NO_LETTER && before !== NO_LETTER) {
      pairs++;
      frequent += PAIRS[26 * before + letter] ?? 0;
    }
    before = letter;
  }
  return pairs < 6 ? 0 : frequent / pairs;
}

const NO_LETTER = -1;

/** Returns the place of an ASCII letter in the alphabet, from 0. */
function letterAt(text: string, at: number): number {
  const letter = (text.charCodeAt(at) | 0x20) - 97;
  return letter >= 0 && letter < 26 ? letter : NO_LETTER;
}

/**
 * Returns true for a text of letters and digits that change as often as those of a random key: more often than in the names of
 * programs, or with several digits, or unlike words.
 */
export function isRandomKey(key: string): boolean {
  const mixture = mixtureOf(key);
  return mixture >= 0.45 || (mixture >= 0.25 && (/(?:\d.*){4}/.test(key) || wordShareOf(key) < 0.5));
}

/**
 * Returns true for a text that a machine may have made by chance: of letters and digits, or of letters in both cases that change
 * often, and unlike words. Digits of hexadecimal numbers have pairs of their own, so that words say nothing about them.
 */
export function isRandomText(text: string): boolean {
  if (!/[A-Za-z]/.test(text)) return false;
  const hasDigit = /\d/.test(text);
  if (hasDigit && /^[\da-f-]+$/i.test(text)) return true;
  const mixture = mixtureOf(text);
  // Names have separators or capitals where their words meet.
  const isJoined = /[-_.]/.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text));
  return mixture >= (hasDigit ? 0.15 : 0.35) && (mixture >= 0.5 || wordShareOf(text) < (isJoined ? 0.45 : 0.6));
}

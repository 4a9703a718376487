import { codeAt } from "../scan/code-at.js";
import { type EditedText, TextEditor } from "./edits.js";
import { isKnownWord } from "./known-words.js";
import { plausibility } from "./plausible.js";

/** Letters that digits and signs stand for; where there are two, the letters around them decide. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ["0", "o"],
  ["1", "il"],
  ["2", "z"],
  ["3", "e"],
  ["4", "a"],
  ["5", "s"],
  ["6", "gb"],
  ["7", "t"],
  ["8", "b"],
  ["9", "g"],
  ["@", "a"],
  ["$", "s"],
  ["!", "il"],
  ["|", "li"],
  ["+", "t"],
  ["€", "e"],
]);
const LETTER = 1;
const SIGN = 2;
/** Letters, and the characters that stand for them. */
const kinds = new Uint8Array(0x10000);
for (let code = 97; code <= 122; code++) [kinds[code], kinds[code - 32]] = [LETTER, LETTER];
for (const sign of LETTERS.keys()) kinds[sign.charCodeAt(0)] = SIGN;
/** A digit or sign before a letter, where numbers with a unit have none. */
const HINT =
  /[a-z][0-9$!|€]+[a-z]|[a-z][@+]+[a-z]{1,12}(?![a-z]*[.@/-])|(?<![a-z0-9.!|€])[0-9!|€]+[a-z]{3}|(?<![\w.])[@$][a-z]{2}/i;
/** Numbers with units, ordinal numbers, and what is too long for a word. */
const NUMBER = /^(?:[0-9+!]+[a-z]{0,2}|[0-9]+(?:px|rem|kb|mb|gb|min|sec|day|ish|bit|fps|mph|kwh|usd|eur|gbp))$/i;
/** Digits of a hash, an id or a part of one. */
const HASH = /^(?:0x)?[0-9a-f]{7,}$/i;
/** A digit or sign between letters, or digits before or after them. */
const CERTAIN = /[a-z][0-9@$!|€]+[a-z]|^[0-9]+[a-z]{2}|[a-z]{2}[0-9]+$/i;
const LONGEST_WORD = 24;
/** Likelihood of a word from which on it counts as one that was disguised. */
const LIKELY = 4.2;
/** Distance within which a disguised word makes a number one. */
const NEAR = 24;
/** Readings of a word that are compared. */
const MOST_READINGS = 32;
/** Short words that leetspeak can write with digits alone. */
const DIGIT_WORDS = new Set(
  "a i is it its to at as so all see be go set get let lie best test list tool also less else".split(" "),
);

/** Text without leetspeak. */
export interface PlainSpeech {
  readonly text: EditedText;
  /** Words that are certainly leetspeak: likely ones with a digit or sign inside or before their letters. */
  readonly words: number;
}

/** Replaces digits and signs that stand for letters in words. Numbers stay, but for short ones near disguised words. */
export function readLeetspeak(text: string): PlainSpeech | undefined {
  if (!HINT.test(text)) return undefined;
  const tokens = readTokens(text);
  const editor = new TextEditor(text);
  let words = 0;
  let certain = -Infinity;
  tokens.forEach((token, at) => {
    if (token.isCertain) words++;
    if (token.isNumber && token.start - certain > NEAR && !startsNear(tokens, at)) return;
    if (token.isCertain) certain = token.start + token.word.length;
    for (let index = 0; index < token.letters.length; index++) {
      const letter = token.letters.charAt(index);
      const from = token.start + index;
      if (letter !== token.word.charAt(index)) editor.replace(from, from + 1, letter, "leetspeak");
    }
  });
  const edited = editor.finish();
  return edited && { text: edited, words };
}

/** Returns true if a disguised word begins close after a token. */
function startsNear(tokens: readonly Token[], at: number): boolean {
  const { start = 0, word = "" } = tokens[at] ?? {};
  for (let next = at + 1; (tokens[next]?.start ?? Infinity) <= start + word.length + NEAR; next++) {
    if (tokens[next]?.isCertain === true) return true;
  }
  return false;
}

interface Token {
  readonly word: string;
  readonly start: number;
  /** Letters that the word stands for; empty if it is not disguised. */
  readonly letters: string;
  /** A number, perhaps with a unit: a word only if others near it are disguised. */
  readonly isNumber: boolean;
  readonly isCertain: boolean;
}

/** Words without digits and signs are no tokens. */
function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at++) {
    const start = at;
    let found = 0;
    for (let kind = kindAt(text, at); kind !== 0; kind = kindAt(text, ++at)) found |= kind;
    if ((found & SIGN) !== 0) tokens.push(readToken(text.slice(start, at), start, text, found));
  }
  return tokens;
}

function kindAt(text: string, at: number): number {
  return at < text.length ? (kinds[codeAt(text, at)] ?? 0) : 0;
}

const NO_WORD = { letters: "", isNumber: false, isCertain: false };

function readToken(token: string, start: number, text: string, found: number): Token {
  const word = withoutStops(token);
  const isAddress =
    word.includes("@") && /^\.[a-z0-9]/i.test(text.slice(start + token.length, start + token.length + 2));
  if (word.length > LONGEST_WORD || isAddress || word.includes("||") || !/[0-9@$!|+€]/.test(word)) {
    return { word, start, ...NO_WORD };
  }
  const isDigits = (found & LETTER) === 0;
  const readings = isDigits ? readingsOf(word).filter((reading) => DIGIT_WORDS.has(reading)) : readingsOf(word);
  const letters = readings.length === 0 ? "" : likeliest(readings);
  const isJoined = text.charAt(start - 1) === "-" || text.charAt(start + word.length) === "-";
  const isNumber = isDigits || NUMBER.test(word) || HASH.test(word) || (isJoined && /^[0-9a-f]+$/i.test(word));
  const isCertain =
    !isNumber && (CERTAIN.test(word) || isKnownWord(letters)) && letters.length > 1 && plausibility(letters) >= LIKELY;
  return { word, start, letters: isUpperCase(word) ? letters.toUpperCase() : letters, isNumber, isCertain };
}

/** Returns a word without the signs at its end, unless they are letters of a common word. */
function withoutStops(token: string): string {
  const word = token.replace(/[!+|]+$/, "");
  if (word.length === token.length || token.length > LONGEST_WORD) return word;
  return readingsOf(token.toLowerCase()).some(isKnownWord) ? token : word;
}

/** Returns true if the letters of a word, two at least, are all capitals. */
function isUpperCase(word: string): boolean {
  let capitals = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code >= 97 && code <= 122) return false;
    if (code >= 65 && code <= 90) capitals++;
  }
  return capitals > 1;
}

/** Words that a disguised one may stand for. */
function readingsOf(word: string): readonly string[] {
  // A word that has an `l` does not write it as `1`.
  const hasL = (word.includes("l") || word.includes("L")) && !isKnownWord(plainL(word));
  let readings = [""];
  let certain = "";
  for (let at = 0; at < word.length; at++) {
    const character = word.charAt(at);
    const options = LETTERS.get(character) ?? character;
    if (options.length === 1 || (hasL && options === "il")) {
      certain += options.charAt(0);
      continue;
    }
    const longer: string[] = [];
    for (const letter of options) for (const reading of readings) longer.push(reading + certain + letter);
    readings = longer.length <= MOST_READINGS ? longer : [likeliest(longer)];
    certain = "";
  }
  return certain === "" ? readings : readings.map((reading) => reading + certain);
}

/** Returns a word with `l` for `1` and `a` for `4`, which may be a common one such as `all`. */
function plainL(word: string): string {
  return word.toLowerCase().replaceAll("1", "l").replaceAll("4", "a");
}

function likeliest(readings: readonly string[]): string {
  let best = readings[0] ?? "";
  if (readings.length < 2) return best;
  let most = -Infinity;
  for (const reading of readings) {
    if (isKnownWord(reading.toLowerCase())) return reading;
    const score = plausibility(reading) * (reading.length + 1);
    if (score > most) [best, most] = [reading, score];
  }
  return best;
}

import { type EditedText, TextEditor } from "./edits.js";
import { plausibility } from "./plausible.js";

/** Common English words of which a disguised sentence holds one; those that are words backwards too are left out there. */
const COMMON =
  "the and you your all this that with from have will must ignore previous instructions system prompt reveal forget password " +
  "secret about please above disregard rules";
const ROTATED_ALONE = "for are not now";
/** Longer words, which are looked for in all alphabets that are shifted or turned around. */
const SHIFTED =
  "ignore previous instructions system prompt reveal forget password secret disregard please guidelines " +
  "restrictions above answer without following everything assistant unrestricted weapon safety override directions configuration hidden";
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";
const CODES =
  "alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango " +
  "uniform victor whiskey xray yankee zulu alpha juliet x-ray";
const LETTERS_OF_CODES = new Map(CODES.split(" ").map((code) => [code, code.charAt(0)]));
/** Letters spelled out in a row that are a text. */
export const LEAST_SPELLED = 6;
const LIKELY = 4.3;
/** Words in the order of a sentence, which show in which direction it reads. */
const ORDERED = new RegExp(
  `\\b(?:${
    "of the|all of|in the|to the|and the|with the|from the|the previous|all previous|all prior|all earlier|previous instructions|" +
    "prior instructions|system prompt|safety policies|your instructions|your previous|your rules|the system|your system|the rules|" +
    "ignore all|ignore your|ignore the|forget all|disregard all|without any|from now|now on|do not|send me|how to|" +
    "act as|print the|print your|reveal the|reveal your|you are|you have|you will|without limits|your safety|safety filters|and answer|and print|and reveal|and send"
  })\\b`,
  "g",
);
const SPELLED = new RegExp(`\\b(?:${CODES.replaceAll(" ", "|")})(?![a-z])`, "giy");

/** Letters that stand for `a` to `z` in a cipher. */
type Alphabet = string;

const shifted = (by: number): Alphabet => ALPHABET.slice(by) + ALPHABET.slice(0, by);
const ROT13 = shifted(13);
const MIRRORED = [...ALPHABET].reverse().join("");
const REVERSED_WORDS = new Set(COMMON.split(" ").map(reverse));
/** Alphabets by the words that show them; made for the first text that may have one. */
let alphabets: ReadonlyMap<string, Alphabet> | undefined;

/** Calls `visit` for each word that shows a cipher, in the usual alphabet, with the alphabet that it is written in. */
export function visitCipherWords(visit: (word: string, alphabet: Alphabet) => void): void {
  const long = SHIFTED.split(" ");
  for (let by = 1; by < ALPHABET.length; by++) for (const word of long) visit(word, shifted(by));
  for (const word of long) visit(word, MIRRORED);
  for (const word of `${COMMON} ${ROTATED_ALONE}`.split(" ")) visit(word, ROT13);
  for (const word of [...REVERSED_WORDS, ...LETTERS_OF_CODES.keys()]) visit(word, ALPHABET);
}

function alphabetsByWord(): ReadonlyMap<string, Alphabet> {
  if (alphabets !== undefined) return alphabets;
  const found = new Map<string, Alphabet>();
  visitCipherWords((word, alphabet) => {
    if (alphabet !== ALPHABET) found.set(translate(word, ALPHABET, alphabet), alphabet);
  });
  return (alphabets = found);
}

/** Returns true for a common word in another alphabet or backwards. */
export function isCipherWord(word: string): boolean {
  return REVERSED_WORDS.has(word) || alphabetsByWord().has(word);
}

/** Returns true for a word that spells a letter. */
export function isSpelling(word: string): boolean {
  return LETTERS_OF_CODES.has(word);
}

/** Ciphers that the words of a text show. */
export interface Ciphers {
  readonly alphabets: ReadonlySet<Alphabet>;
  readonly isReversed: boolean;
  readonly isSpelled: boolean;
}

/** Returns the ciphers that words of a text in lower case show. */
export function ciphersOf(folded: string): Ciphers {
  const found = new Set<Alphabet>();
  const known = alphabetsByWord();
  let isReversed = false;
  let spelled = 0;
  for (const [word] of folded.matchAll(/[a-z]{3,20}/g)) {
    const alphabet = known.get(word);
    if (alphabet !== undefined) found.add(alphabet);
    if (REVERSED_WORDS.has(word)) isReversed = true;
    if (LETTERS_OF_CODES.has(word)) spelled++;
  }
  return { alphabets: found, isReversed, isSpelled: spelled >= LEAST_SPELLED };
}

/** Returns a text in the usual alphabet. */
export function decipher(text: string, alphabet: Alphabet): string {
  return text.replaceAll(/[a-z]+/gi, (word) => translate(word, alphabet, ALPHABET));
}

function translate(word: string, from: Alphabet, to: Alphabet): string {
  let translated = "";
  for (let at = 0; at < word.length; at++) {
    const letter = word.charAt(at);
    const lower = letter.toLowerCase();
    const other = to.charAt(from.indexOf(lower));
    translated += lower === letter ? other : other.toUpperCase();
  }
  return translated;
}

/** Reverses a text by code points. */
export function reverse(text: string): string {
  return [...text].reverse().join("");
}

/** Returns how likely a text is in the direction and alphabet that it has. */
export function legibility(text: string): number {
  return plausibility(text) + (text.toLowerCase().match(ORDERED)?.length ?? 0) / (text.length + 1);
}

/** Reverses each word, and leaves the words in their order. */
export function reverseWords(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  for (const { 0: word, index } of text.matchAll(/\p{L}{2,}/gu)) {
    editor.replace(index, index + word.length, reverse(word), "reversed");
  }
  return editor.finish();
}

/** Replaces words of the spelling alphabet in a row by their letters: a blank or a hyphen stands between letters, more between words. */
export function joinSpelling(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  for (let at = 0; at < text.length;) {
    const { end, letters, count } = readSpelling(text, at);
    if (count >= LEAST_SPELLED && plausibility(letters) >= LIKELY) editor.replace(at, end, letters, "spelling");
    at = Math.max(end, at + 1);
  }
  return editor.finish();
}

function readSpelling(text: string, start: number): { end: number; letters: string; count: number } {
  let letters = "";
  let count = 0;
  let end = start;
  let within = "";
  for (let at = start; ;) {
    SPELLED.lastIndex = at;
    const code = SPELLED.exec(text)?.[0];
    if (code === undefined) break;
    const gap = text.slice(end, at);
    if (count === 1) within = gap;
    letters += (count > 1 && gap !== within ? " " : "") + (LETTERS_OF_CODES.get(code.toLowerCase()) ?? "");
    count++;
    end = at + code.length;
    at = end;
    while (at < end + 4 && /[\s,/|.-]/.test(text.charAt(at))) at++;
    if (at === end) break;
  }
  return { end, letters, count };
}

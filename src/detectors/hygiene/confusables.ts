import { type EditedText, TextEditor } from "./edits.js";
import { cyrillicTwin, isIdentical, isMerelyAlike, lookalikes } from "./lookalikes.js";

/** Distance within which other words decide about a word. */
const NEIGHBOURHOOD = 64;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/** Words by their letters. */
type WordKind =
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

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly kind: WordKind;
}

/**
 * Replaces letters that look like ASCII letters: in words that mix them with Latin letters, and in words that consist of them
 * and stand among Latin words. Words of Russian or Greek prose stay.
 */
export function foldConfusables(text: string): EditedText | undefined {
  const words = [...text.matchAll(WORDS)].map(readWord);
  const editor = new TextEditor(text);
  words.forEach((word, at) => {
    if (word.kind === "cyrillic") foldWord(word, editor, cyrillicTwin);
    else if (isDisguised(words, at)) foldWord(word, editor, asciiTwin);
  });
  return editor.finish();
}

function readWord(match: RegExpExecArray): Word {
  const [text] = match;
  return { text, start: match.index, end: match.index + text.length, kind: kindOf(text) };
}

function kindOf(word: string): WordKind {
  let latin = 0;
  let alike = 0;
  let merely = 0;
  let native = 0;
  let smallCapitals = 0;
  let hasTwins = true;
  for (const letter of word) {
    const code = letter.codePointAt(0) ?? 0;
    if (isNumeral(letter)) continue;
    if (isLatin(code)) {
      if (asciiTwin(letter) === undefined) {
        latin++;
        hasTwins &&= cyrillicTwin(letter) !== undefined;
      } else smallCapitals++;
    } else if (asciiTwin(letter) === undefined) native++;
    else if (isMerelyAlike(letter)) merely++;
    else alike++;
  }
  if (native > 0) {
    return latin > 0 && hasTwins && native + alike + merely > latin && isCyrillic(word) ? "cyrillic" : "native";
  }
  if (latin > 0 && alike + merely > 0) return "mixed";
  if (merely > 0) return "alike";
  if (alike > 0) return "skeleton";
  // A letter or two of the phonetic alphabet may be a transcription; more, or some among ordinary letters, are a disguise.
  if (/[ŋ\u0250-\u02af]/.test(word) && [...word].some(isPhonetic)) return "latin";
  if (smallCapitals > 0) return smallCapitals > 2 || latin > 1 ? "mixed" : "skeleton";
  return latin > 0 ? "latin" : "number";
}

/** Returns true if the letters of a word stand for ASCII letters, as the words around it show. */
function isDisguised(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (
    word === undefined ||
    word.kind === "number" ||
    word.kind === "latin" ||
    word.kind === "native" ||
    word.kind === "cyrillic"
  )
    return false;
  const near = neighbours(words, at);
  const hasNative = near.some(({ kind }) => kind === "native");
  // The dotless `ı` is a letter of Turkish.
  if (word.text.includes("ı") && [word, ...near].some(({ text }) => /[şğçöüİ]/i.test(text))) return false;
  const hasMixed = near.some(({ kind, text }) => kind === "mixed" && !isFormula(text));
  if (word.kind === "mixed") return !(hasNative && isCompound(word.text)) && (hasMixed || !isFormula(word.text));
  if (hasNative) return false;
  if (hasMixed) return true;
  if (word.kind === "alike") return false;
  return near.some(({ kind }) => kind === "latin") && [...word.text].every(isIdentical);
}

function neighbours(words: readonly Word[], at: number): readonly Word[] {
  const { start = 0, end = 0 } = words[at] ?? {};
  let first = at;
  let last = at;
  while ((words[first - 1]?.end ?? -Infinity) > start - NEIGHBOURHOOD) first--;
  while ((words[last + 1]?.start ?? Infinity) < end + NEIGHBOURHOOD) last++;
  return [...words.slice(first, at), ...words.slice(at + 1, last + 1)];
}

/** Returns true for a Latin word with an ending of another script, or the other way round. */
function isCompound(word: string): boolean {
  let changes = 0;
  let wasLatin: boolean | undefined;
  for (const letter of word) {
    if (isNumeral(letter)) continue;
    const isNow = isLatin(letter.codePointAt(0) ?? 0);
    if (wasLatin !== undefined && isNow !== wasLatin) changes++;
    wasLatin = isNow;
  }
  return changes === 1;
}

/** Returns true for a short word with one Greek letter, as formulas and units have them. */
function isFormula(word: string): boolean {
  return word.length <= 3 && [...word].filter(isGreekSymbol).length === 1;
}

function isGreekSymbol(letter: string): boolean {
  return letter >= "\u0370" && letter <= "\u03ff" && !isIdentical(letter);
}

function foldWord({ text, start }: Word, editor: TextEditor, twinOf: (letter: string) => string | undefined): void {
  let at = start;
  for (const letter of text) {
    const twin = twinOf(letter);
    if (twin !== undefined) editor.replace(at, at + letter.length, twin, "confusables");
    at += letter.length;
  }
}

function asciiTwin(letter: string): string | undefined {
  return lookalikes().get(letter.codePointAt(0) ?? 0);
}

/** Returns true for letters of the phonetic alphabet that look like no ASCII letter. */
function isPhonetic(letter: string): boolean {
  return letter === "ŋ" || (letter >= "\u0250" && letter <= "\u02ff" && asciiTwin(letter) === undefined);
}

/** Returns true for Latin letters, also with accents, and for the phonetic letters made of them. */
function isLatin(code: number): boolean {
  return (
    (code >= 0x41 && code <= 0x7a) ||
    (code >= 0xc0 && code <= 0x36f) ||
    (code >= 0x1d00 && code <= 0x1eff) ||
    (code >= 0xa720 && code <= 0xab6f)
  );
}

function isNumeral(letter: string): boolean {
  return letter >= "0" && letter <= "9";
}

function isCyrillic(word: string): boolean {
  return /^[a-z0-9\u0400-\u052f]+$/i.test(word);
}

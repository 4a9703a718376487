import { type EditedText, TextEditor } from "./edits.js";
import { asciiTwin, cyrillicTwin, isIdentical } from "./lookalikes.js";
import { plausibility } from "./plausible.js";
import { isLatin, isNumeral, readWords, type Word, type WordKind } from "./words.js";

/** Distance within which other words decide about a word. */
const NEIGHBOURHOOD = 64;

/** Letters of words in another script that are a text in ASCII letters, and their likelihood. */
const LEAST_LETTERS = 12;
const LIKELY = 5;

/** Kinds of words whose letters may stand for others. */
const FOLDED: ReadonlySet<WordKind> = new Set(["skeleton", "alike", "mixed", "cyrillic"]);
const TURKISH = /[şğçöüİ]/i;

/**
 * Replaces letters that look like ASCII letters: in words that mix them with Latin letters, and in words that consist of them
 * and stand among Latin words. Words of Russian or Greek prose stay.
 */
export function foldConfusables(text: string): EditedText | undefined {
  const words = readWords(text);
  if (!words.some(({ kind }) => FOLDED.has(kind))) return undefined;
  const near = new Neighbourhood(words);
  const editor = new TextEditor(text);
  words.forEach((word, at) => {
    if (word.kind === "cyrillic") foldWord(word, editor, cyrillicTwin);
    else if (FOLDED.has(word.kind) && isDisguised(word, near.moveTo(at))) foldWord(word, editor, asciiTwin);
  });
  return editor.finish();
}

/** Returns true if the letters of a word stand for ASCII letters, as the words around it show. */
function isDisguised(word: Word, near: Neighbourhood): boolean {
  // The dotless `ı` is a letter of Turkish.
  if (word.text.includes("ı") && near.includes(TURKISH)) return false;
  const hasNative = near.has("native");
  const hasMixed = near.has("mixed");
  if (word.kind === "mixed") return !(hasNative && isCompound(word.text)) && (hasMixed || !isFormula(word.text));
  if (hasNative) return false;
  if (hasMixed) return true;
  if (word.kind === "alike") return false;
  if (near.has("latin")) return [...word.text].every(isIdentical);
  return near.isLikely();
}

/** Words within some distance of one word; it moves forward over the words of a text. */
class Neighbourhood {
  readonly #words: readonly Word[];
  readonly #counts = new Map<WordKind, number>();
  #first = 0;
  #last = 0;
  #at = 0;

  constructor(words: readonly Word[]) {
    this.#words = words;
  }

  moveTo(at: number): this {
    const { start = 0, end = 0 } = this.#words[at] ?? {};
    this.#at = at;
    for (let word = this.#words[this.#last]; word !== undefined && word.start < end + NEIGHBOURHOOD;) {
      this.#count(word, 1);
      word = this.#words[++this.#last];
    }
    for (let word = this.#words[this.#first]; word !== undefined && word.end <= start - NEIGHBOURHOOD;) {
      this.#count(word, -1);
      word = this.#words[++this.#first];
    }
    return this;
  }

  /** Returns true if another word of a kind is near. Formulas do not count as mixed. */
  has(kind: WordKind): boolean {
    const word = this.#words[this.#at];
    const count = this.#counts.get(kind) ?? 0;
    return count > (word !== undefined && word.kind === kind && counts(word) ? 1 : 0);
  }

  /** Returns true if this word or one near it has a letter. */
  includes(letter: RegExp): boolean {
    return this.#words.slice(this.#first, this.#last).some(({ text }) => letter.test(text));
  }

  /** Returns true if this word and those near it are a likely text in ASCII letters. */
  isLikely(): boolean {
    const words = this.#words.slice(this.#first, this.#last).map(({ text }) => text);
    const text = Array.from(words.join(" "), (letter) => asciiTwin(letter) ?? letter).join("");
    return text.length >= LEAST_LETTERS && plausibility(text) >= LIKELY;
  }

  #count(word: Word, change: number): void {
    if (counts(word)) this.#counts.set(word.kind, (this.#counts.get(word.kind) ?? 0) + change);
  }
}

function counts({ kind, text }: Word): boolean {
  return kind !== "mixed" || !isFormula(text);
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

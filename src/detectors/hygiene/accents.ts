import { codeAt } from "../scan/code-at.js";
import { type EditedText, TextEditor } from "./edits.js";
import { isKnownWord } from "./known-words.js";

/** Share of accented letters in a word from which on they may be a disguise. */
const MANY = 0.3;

/** Letters with a stroke through them, which have no decomposition. */
const STROKES = new Map([..."øłđħŧɇɍɏɉƀƶǥØŁĐĦŦ"].map((letter, at) => [letter, "oldhteryjbzgOLDHT".charAt(at)]));

/** Letters with accents, and their part of all letters, from which on they are a disguise; Vietnamese has a third. */
const LEAST_ACCENTS = 8;
const MOST_OF_LANGUAGES = 0.5;
/** Different letters with a stroke that no language has together. */
const MOST_STROKES = 3;

/** Returns true if a text has more letters with accents than that of any language. */
export function isAccentuated(text: string): boolean {
  let letters = 0;
  let accented = 0;
  const strokes = new Set<string>();
  for (let at = 0; at < text.length; at++) {
    const code = codeAt(text, at);
    if (isLetter(code)) letters++;
    if (!isAccented(code)) continue;
    accented++;
    if (STROKES.has(text.charAt(at))) strokes.add(text.charAt(at));
  }
  return accented >= LEAST_ACCENTS && (strokes.size > MOST_STROKES || accented > MOST_OF_LANGUAGES * letters);
}

/**
 * Removes accents from words in which many Latin letters have one, as in some languages, and from those that are known words
 * without them.
 */
export function stripAccents(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  const { length } = text;
  for (let at = 0; at < length; at++) {
    if (!isAccented(codeAt(text, at))) continue;
    let start = at;
    while (start > 0 && isLetter(codeAt(text, start - 1))) start--;
    let end = at + 1;
    let accented = 1;
    for (; end < length && isLetter(codeAt(text, end)); end++) {
      if (isAccented(codeAt(text, end))) accented++;
    }
    if (accented >= MANY * (end - start) || isKnownWord(bareOf(text.slice(start, end))))
      stripWord(text, at, end, editor);
    at = end;
  }
  return editor.finish();
}

function bareOf(word: string): string {
  return word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Removes the accents of a part of a word. */
function stripWord(text: string, start: number, end: number, editor: TextEditor): void {
  for (let at = start; at < end; at++) {
    if (!isAccented(codeAt(text, at))) continue;
    const letter = text.charAt(at);
    const base = STROKES.get(letter) ?? letter.normalize("NFD").charAt(0);
    if (base !== letter && base < "\x7f") editor.replace(at, at + 1, base, "combining");
  }
}

function isAccented(code: number): boolean {
  return (code >= 0xc0 && code <= 0x24f) || (code >= 0x1e00 && code <= 0x1eff);
}

/** Returns true for Latin letters with and without accents. */
function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 97 && lower <= 122) || isAccented(code);
}

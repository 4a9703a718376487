import { type EditedText, TextEditor } from "./edits.js";

/** Share of accented letters in a word from which on they may be a disguise. */
const MANY = 0.3;
const WORDS = /[a-z\u00c0-\u024f\u1e00-\u1eff]*[\u00c0-\u024f\u1e00-\u1eff][a-z\u00c0-\u024f\u1e00-\u1eff]*/gi;
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]/g;

/** Removes accents from words in which many Latin letters have one; words of some languages have as many. */
export function stripAccents(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    const accented = [...word.matchAll(ACCENTED)];
    if (accented.length < MANY * word.length) continue;
    for (const { 0: letter, index: at } of accented) {
      const base = letter.normalize("NFD").charAt(0);
      if (base !== letter && base < "\x7f") editor.replace(index + at, index + at + 1, base, "combining");
    }
  }
  return editor.finish();
}

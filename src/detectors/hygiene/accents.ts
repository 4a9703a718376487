import { codeAt } from "../scan/code-at.js";
import { type EditedText, TextEditor } from "./edits.js";

/** Share of accented letters in a word from which on they may be a disguise. */
const MANY = 0.3;

/** Removes accents from words in which many Latin letters have one; words of some languages have as many. */
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
    if (accented >= MANY * (end - start)) stripWord(text, at, end, editor);
    at = end;
  }
  return editor.finish();
}

/** Removes the accents of a part of a word. */
function stripWord(text: string, start: number, end: number, editor: TextEditor): void {
  for (let at = start; at < end; at++) {
    if (!isAccented(codeAt(text, at))) continue;
    const letter = text.charAt(at);
    const base = letter.normalize("NFD").charAt(0);
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

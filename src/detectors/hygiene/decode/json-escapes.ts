import { type EditedText, TextEditor } from "../edits.js";

/**
 * Escape of JSON, also inside of JSON in a string. A break counts only right before a word or
 * another escape, where it hides the boundary.
 * INVARIANT: a match begins at the first backslash of a run, so that the search takes linear time.
 */
const ESCAPE = /(?<!\\)\\+(?:u([\da-fA-F]{4})|([nrtbf])(?=[\p{L}\p{N}_\\])|\/)/gu;
const BREAKS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
const ENDING_BREAK = /\\[nrtbf]$/;

/** Returns a text without escapes of JSON, as a parser behind the rails makes it; undefined if it has none. */
export function undoJsonEscapes(text: string): EditedText | undefined {
  if (!text.includes("\\")) return undefined;
  const editor = new TextEditor(text);
  for (const { 0: whole, 1: unit, 2: name, index } of text.matchAll(ESCAPE)) {
    const character = unit === undefined ? undefined : String.fromCharCode(Number.parseInt(unit, 16));
    editor.replace(index, index + whole.length, character ?? BREAKS[name ?? ""] ?? "/", "escapes");
  }
  return editor.finish();
}

/** Returns true if the escape of a break or tab ends at an offset. */
export function endsEscapedBreak(text: string, offset: number): boolean {
  return ENDING_BREAK.test(text.slice(Math.max(0, offset - 2), offset));
}

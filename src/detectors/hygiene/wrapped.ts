import { type EditedText, TextEditor } from "./edits.js";
import { plausibility } from "./plausible.js";

/** Letters in brackets or quotes, as in lists and sums of strings, or one on each line. */
const WRAPPED = /(?:[("'`{[<][\p{L}\p{N} ][)"'`}\]>][\s,+;]{0,5}){5,2000}/gu;
const LINES = /(?<![^\n])(?:\p{L}\n{1,2}){7,2000}\p{L}(?![^\n])/gu;
/** Likelihood from which on letters are a text if some make a word; the letters of an alphabet or of a list are none. */
const LIKELY = 4.3;

/** Joins letters that are written apart in brackets, in quotes or on lines. */
export function joinWrapped(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  const runs = [...text.matchAll(WRAPPED), ...text.matchAll(LINES)].sort((a, b) => a.index - b.index);
  for (const { 0: run, index } of runs) {
    const isLines = run.charAt(1) === "\n";
    const trimmed = isLines ? run : run.trimEnd();
    const joined = isLines ? run.replaceAll(/\n+/g, (gap) => (gap.length > 1 ? " " : "")) : unwrap(trimmed);
    if (/\p{L}{3}/u.test(joined) && plausibility(joined) >= LIKELY)
      editor.replace(index, index + trimmed.length, joined, "spaced");
  }
  return editor.finish();
}

/** Blanks alone between two letters separate words. */
function unwrap(run: string): string {
  return run
    .replaceAll(/[("'`{[<]([\p{L}\p{N} ])[)"'`}\]>]([\s,+;]*)/gu, (_, letter: string, gap: string) =>
      gap !== "" && gap.trim() === "" ? `${letter} ` : letter,
    )
    .trimEnd();
}

// cspell:ignore acefghjkmrtvwy
import { type EditedText, TextEditor } from "./edits.js";
import { reverse } from "./ciphers.js";

/** Letters upside down that are no ASCII letters, and these; `b`, `d`, `n`, `p`, `q` and `u` turn into one another. */
const TURNED = "ɐɔǝɟƃɓɥᴉıɾʞןɯɹʇʌʍʎ∀ƎℲ⅁ſ⅂Ԁ∩Λ⅄¡¿˙";
const UPRIGHT = "acefgghiijklmrtvwyAEFGJLPUVY!?.";
const OTHERS = "bqdpnu";
const OTHERS_UPRIGHT = "qbpdun";
/** Letters that are certainly turned; a run of words has some, in several words. */
const CERTAIN = /[\u0250\u0254\u01dd\u025f\u0183\u0265\u1d09\u027e\u029e\u026f\u0279\u0287\u028c\u028d\u028e]/g;
const LEAST = 4;
const LETTERS = new Map(
  [...TURNED, ...OTHERS].map((letter, at) => [letter, [...UPRIGHT, ...OTHERS_UPRIGHT][at] ?? letter]),
);
const HINT = /[\u0250\u01dd\u0279\u0287\u028e]/;
/** Signs of transcriptions, which have letters of their own, and letters of which words upside down have others. */
const UPRIGHT_WORD = /[ˈˌː/[\]acefghjkmrtvwy]/;
const WORD = /\S+/g;
/** Longest run of words upside down that is read, in characters. */
const LONGEST_RUN = 400;

/** Words of one line from the first with a letter upside down up to one that is written upright. */
interface Run {
  readonly start: number;
  readonly end: number;
  /** True if the run may go on in the text to come. */
  readonly isOpen: boolean;
}

/** Turns words upside down around. They are read from the end, or from the start if their letters were turned in place. */
export function turnWords(text: string): EditedText | undefined {
  if (!HINT.test(text)) return undefined;
  const editor = new TextEditor(text);
  for (const { start, end } of runsIn(text)) {
    const run = text.slice(start, end);
    if (!isTurned(run)) continue;
    editor.replace(start, end, reverse([...run].map((letter) => LETTERS.get(letter) ?? letter).join("")), "reversed");
  }
  return editor.finish();
}

/** Returns the offset at which words upside down begin that may go on in the text to come; the length of the text if none do. */
export function openTurned(text: string): number {
  const from = Math.max(0, text.length - LONGEST_RUN);
  const near = text.slice(from);
  if (!HINT.test(near)) return text.length;
  const last = runsIn(near).at(-1);
  return last?.isOpen === true ? from + last.start : text.length;
}

function runsIn(text: string): readonly Run[] {
  const runs: Run[] = [];
  let start = -1;
  let end = 0;
  const close = (isOpen: boolean): void => {
    if (start !== -1) runs.push({ start, end, isOpen });
    start = -1;
  };
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const isNewLine = text.slice(end, index).includes("\n");
    if (isNewLine || index + word.length - start > LONGEST_RUN || UPRIGHT_WORD.test(word)) close(false);
    if (start === -1 && !UPRIGHT_WORD.test(word) && countOf(word) > 0) start = index;
    end = index + word.length;
  }
  close(!text.slice(end).includes("\n"));
  return runs;
}

function countOf(text: string): number {
  return text.match(CERTAIN)?.length ?? 0;
}

/** Returns true if most words of a run, and some letters, are turned. */
function isTurned(run: string): boolean {
  const words = run.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  return words.filter((word) => countOf(word) > 0).length >= words.length / 2 && countOf(run) >= LEAST;
}

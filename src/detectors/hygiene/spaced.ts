import { type EditedText, TextEditor } from "./edits.js";

/** Letters that a spaced-out text has at least. */
const LEAST_LETTERS = 4;
/** The same for text in Chinese, Japanese or Korean, where words of one letter are common. */
const LEAST_IDEOGRAPHS = 8;
/** Characters between two letters at most, and between two words. */
const LONGEST_SEPARATOR = 3;
const LONGEST_GAP = 8;

type Gap = readonly [start: number, end: number, replacement: string];

/** Parts of a spaced-out text: what stands between its characters. */
interface SpacedRun {
  /** Ranges that separate characters, and the text that takes their place: nothing, or the gap between two words. */
  readonly gaps: readonly Gap[];
  readonly letters: number;
  readonly end: number;
}

/**
 * Joins letters that are written apart: `i g n o r e`, `i-g-n-o-r-e`, `i.g.n.o.r.e`. A wider gap, or a blank where letters are
 * joined by another sign, is the end of a word.
 */
export function joinSpaced(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  for (let at = 0; at + 2 * LEAST_LETTERS - 1 <= text.length;) {
    const mayStart = !isWordCharacter(text, at - 1) && (isAlone(text, at) || isEscape(text.charCodeAt(at)));
    const run = mayStart ? readRun(text, at) : undefined;
    const least = text.charCodeAt(at) >= 0x1100 ? LEAST_IDEOGRAPHS : LEAST_LETTERS;
    if (run !== undefined && run.letters >= least && !isAbbreviation(text.slice(at, run.end))) {
      for (const [start, end, replacement] of run.gaps) editor.replace(start, end, replacement, "spaced");
    }
    at = Math.max(at + 1, run?.end ?? 0);
  }
  return editor.finish();
}

/** Returns true for numbers, and for abbreviations such as `U.S.S.R.` */
function isAbbreviation(run: string): boolean {
  const letters = run.replaceAll(/[\s\d\p{P}\p{S}]/gu, "");
  if (letters.length < 3) return true;
  return run.split(/\s+/).every((word) => /^[^A-Z]{0,3}(?:[A-Z]\.){1,4}[A-Z]?[^A-Z]{0,3}$/.test(word));
}

function readRun(text: string, start: number): SpacedRun | undefined {
  let separatorEnd = start + 1;
  while (separatorEnd <= start + LONGEST_SEPARATOR && !isWordCharacter(text, separatorEnd)) separatorEnd++;
  const long = readSeparated(text, start, text.slice(start + 1, separatorEnd));
  if (separatorEnd === start + 2 || (long !== undefined && long.letters >= LEAST_LETTERS)) return long;
  // A sign between two letters may be one of the text: `t-!-s`.
  return readSeparated(text, start, text.charAt(start + 1)) ?? long;
}

function readSeparated(text: string, start: number, separator: string): SpacedRun | undefined {
  const next = start + 1 + separator.length;
  if (separator === "" || separator.length > LONGEST_SEPARATOR || /[\n"'()]/.test(separator)) return undefined;
  if (!isAlone(text, next) && !text.startsWith(separator, next + 1)) return undefined;
  const gaps: Gap[] = [];
  let letters = 1;
  let end = start + 1;
  for (;;) {
    const step = readStep(text, end, separator);
    if (step === undefined) return { gaps, letters, end };
    gaps.push(...step.gaps);
    end = step.end;
    if (step.isLetter) letters++;
  }
}

interface Step {
  readonly gaps: readonly Gap[];
  readonly end: number;
  readonly isLetter: boolean;
}

/** Reads the next character of a spaced-out text, with what stands before it. */
function readStep(text: string, at: number, separator: string): Step | undefined {
  const next = at + separator.length;
  if (text.startsWith(separator, at)) {
    if (isAlone(text, next)) return { gaps: [[at, next, ""]], end: next + 1, isLetter: true };
    const character = text.charAt(next);
    const after = next + 1 + separator.length;
    const isSeparated = text.startsWith(separator, next + 1);
    if (/\s/.test(character) && isSeparated && isAlone(text, after)) {
      return { gaps: [[at, after, character === "\n" ? "\n" : " "]], end: after + 1, isLetter: true };
    }
    const isSign = /[^\s\p{L}\p{N}]/u.test(character) && !separator.includes(character);
    if (isSign && (isSeparated || next + 1 >= text.length)) {
      return { gaps: [[at, next, ""]], end: next + 1, isLetter: false };
    }
  }
  const gapEnd = endOfGap(text, at);
  const gap = text.slice(at, gapEnd);
  if (!/\s/.test(gap) || gap === separator || !isAlone(text, gapEnd)) return undefined;
  // A single letter after another gap is one of the text only if the text goes on.
  const goesOn = text.startsWith(separator, gapEnd + 1) || gap.length > separator.length;
  if (!goesOn) return undefined;
  return { gaps: [[at, gapEnd, gap.includes("\n") ? "\n" : " "]], end: gapEnd + 1, isLetter: true };
}

function endOfGap(text: string, at: number): number {
  let end = at;
  while (end < at + LONGEST_GAP && end < text.length && !isWordCharacter(text, end)) end++;
  return end;
}

/** Returns true for `%`, `&` and `\\`, which begin encoded characters, and for `!`, which stands for an `i`. */
function isEscape(code: number): boolean {
  return code === 0x25 || code === 0x26 || code === 0x5c || code === 0x21;
}

/** Returns true if one character of a word stands at an offset, and none after it. */
function isAlone(text: string, at: number): boolean {
  return isWordCharacter(text, at) && !isWordCharacter(text, at + 1);
}

function isWordCharacter(text: string, at: number): boolean {
  return isWordCode(text.charCodeAt(at));
}

/** Returns true for letters, digits, and the signs that leetspeak writes for letters. */
export function isWordCode(code: number): boolean {
  if (code < 0x80) {
    const letter = code | 0x20;
    return (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57) || code === 0x40 || code === 0x24;
  }
  return (
    code >= 0xaa &&
    code !== 0xb7 &&
    !(code >= 0x2000 && code <= 0x2bff) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    !(code >= 0xd800 && code <= 0xdfff) &&
    code < 0xff00
  );
}

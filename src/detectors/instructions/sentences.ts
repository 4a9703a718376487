import { codeAt } from "../scan/code-at.js";
import type { WordList } from "../phrases/words.js";

/** Longest sentence; what is longer is read as several. */
const LONGEST = 600;
/** Longest run of numbers, bullets and quotes at the start of a sentence that does not belong to it. */
const LONGEST_LEAD = 80;
/** Longest run of blanks between two sentences. */
const LONGEST_BLANK = 80;

const LEAD = tableOf(" \t\r\n\f\v\u00a00123456789>#*•-–—\"“”'‘’`()[]{}.:;,|/!?<=");
const CLOSING = tableOf("\"'”’)]");
const OPENING = tableOf(">#*•-–\"“'([0123456789");
/** Characters that end a sentence wherever they stand. */
const ALWAYS = tableOf("•。！？");
const QUESTION_MARKS = tableOf("?？؟");
/** Characters after a quote that make it the end of a name or a value of JSON. */
const AFTER_VALUE = tableOf(" :,}]");

/** Returns 1 for the codes of some characters, 0 for others. */
function tableOf(signs: string): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const sign of signs) table[sign.charCodeAt(0)] = 1;
  return table;
}

/** Makes something of each sentence, heading and list item of a text with some words: parts that end with a stop, a blank line, a line before a new beginning, or a value of JSON. */
export function splitSentences<Made>(
  text: string,
  words: WordList,
  make: (start: number, end: number, isQuestion: boolean) => Made,
): Made[] {
  const sentences: Made[] = [];
  let start = 0;
  const { stopCount, stops, codes } = words;
  const add = (end: number, isQuestion: boolean): void => {
    for (let at = start; at < end; at += LONGEST) {
      const stop = Math.min(end, at + LONGEST);
      const limit = Math.min(stop, at + LONGEST_LEAD);
      let first = at;
      while (first < limit && LEAD[codes[first] ?? 0] === 1) first++;
      if (stop - first > 2) sentences.push(make(first, stop, isQuestion));
    }
    start = end;
  };
  for (let index = 0; index < stopCount; index++) {
    const at = stops[index] ?? 0;
    const end = endOfSentence(text, codes, at);
    if (end > start) add(end, QUESTION_MARKS[codes[at] ?? 0] === 1);
  }
  add(text.length, false);
  return sentences;
}

const NEW_LINE = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const NO_BREAK_SPACE = 0xa0;

/**
 * Returns the offset after a sign that ends a sentence, or -1.
 *
 * @param codes - code units of the folded text; those behind its end are of another text
 */
function endOfSentence(text: string, codes: Uint16Array, at: number): number {
  const code = codes[at] ?? 0;
  switch (code) {
    case 0x2e: // .
    case 0x21: // !
    case 0x3f: // ?
    case 0x61f: // ؟
      return isFollowedByBeginning(text, codes, at + 1) ? at + 1 : -1;
    case NEW_LINE:
      return beginsLine(text, codes, at + 1) ? at + 1 : -1;
    case 0x7c: // |
      return text.charAt(at - 1) !== "<" && text.charAt(at + 1) !== ">" ? at + 1 : -1;
    case 0x22: {
      const next = skipBlanks(text, codes, at + 1);
      return next >= text.length || AFTER_VALUE[codes[next] ?? 0] === 1 ? next + 1 : -1;
    }
    case 0x5c: // \
      return text.charAt(at + 1) === "n" ? at + 2 : -1;
    default:
      return ALWAYS[code] === 1 ? at + 1 : -1;
  }
}

/** A new line begins something if it is blank, or starts with a capital, a number, a bullet or a letter without case. */
function beginsLine(text: string, codes: Uint16Array, at: number): boolean {
  const next = skipBlanks(text, codes, at);
  if (next >= text.length) return false;
  const code = codes[next] ?? 0;
  return code === NEW_LINE || OPENING[code] === 1 || isCapital(text, next);
}

/** After a stop and up to two closing quotes comes the end, or blanks and no small letter. */
function isFollowedByBeginning(text: string, codes: Uint16Array, at: number): boolean {
  const { length } = text;
  let next = at;
  while (next < length && next - at < 2 && CLOSING[codes[next] ?? 0] === 1) next++;
  if (next >= length) return true;
  const blank = codes[next] ?? 0;
  if (blank > SPACE && blank !== NO_BREAK_SPACE) return false;
  next = skipBlanks(text, codes, next);
  if (next >= length) return true;
  const code = codeAt(text, next);
  if (code < 128) return code < 0x61 || code > 0x7a;
  const sign = text.charAt(next);
  return sign.toUpperCase() === sign;
}

function skipBlanks(text: string, codes: Uint16Array, from: number): number {
  const limit = Math.min(text.length, from + LONGEST_BLANK);
  let at = from;
  while (at < limit && (codes[at] === SPACE || codes[at] === TAB)) at++;
  return at;
}

/** Returns true for a letter that is not small. */
function isCapital(text: string, at: number): boolean {
  const code = codeAt(text, at);
  if (code < 128) return code >= 0x41 && code <= 0x5a;
  const sign = text.charAt(at);
  return sign.toUpperCase() === sign && (sign.toLowerCase() !== sign || code >= 0x590);
}

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
/** Characters that may end a sentence. */
const STOPS = new Set('\n.!?|"\\。！？؟•');
const QUESTION_MARKS = new Set("?？؟");

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
  const add = (end: number, isQuestion: boolean): void => {
    for (let at = start; at < end; at += LONGEST) {
      const stop = Math.min(end, at + LONGEST);
      let first = at;
      while (first < stop && first - at < LONGEST_LEAD && LEAD[codeAt(text, first)] === 1) first++;
      if (stop - first > 2) sentences.push(make(first, stop, isQuestion));
    }
    start = end;
  };
  const { stopCount, stops } = words;
  for (let index = 0; index < stopCount; index++) {
    const at = stops[index] ?? 0;
    const sign = text.charAt(at);
    if (!STOPS.has(sign)) continue;
    const end = endOfSentence(text, at, sign);
    if (end > start) add(end, QUESTION_MARKS.has(sign));
  }
  add(text.length, false);
  return sentences;
}

/** Returns the offset after a sign that ends a sentence, or -1. */
function endOfSentence(text: string, at: number, sign: string): number {
  switch (sign) {
    case "\n":
      return beginsLine(text, at + 1) ? at + 1 : -1;
    case ".":
    case "!":
    case "?":
    case "؟":
      return isFollowedByBeginning(text, at + 1) ? at + 1 : -1;
    case "|":
      return text.charAt(at - 1) !== "<" && text.charAt(at + 1) !== ">" ? at + 1 : -1;
    case '"': {
      const next = skipBlanks(text, at + 1);
      return ":,}]".includes(text.charAt(next) || " ") ? next + 1 : -1;
    }
    case "\\":
      return text.charAt(at + 1) === "n" ? at + 2 : -1;
    default:
      return at + 1;
  }
}

/** A new line begins something if it is blank, or starts with a capital, a number, a bullet or a letter without case. */
function beginsLine(text: string, at: number): boolean {
  const next = skipBlanks(text, at);
  const sign = text.charAt(next);
  return sign === "\n" || OPENING[text.charCodeAt(next)] === 1 || isCapital(sign);
}

/** After a stop and up to two closing quotes comes the end, or blanks and no small letter. */
function isFollowedByBeginning(text: string, at: number): boolean {
  let next = at;
  while (next - at < 2 && CLOSING[text.charCodeAt(next)] === 1) next++;
  if (next >= text.length) return true;
  if (text.charCodeAt(next) > 0x20 && text.charCodeAt(next) !== 0xa0) return false;
  const code = text.charCodeAt(skipBlanks(text, next));
  if (code < 128) return code < 0x61 || code > 0x7a;
  const sign = text.charAt(skipBlanks(text, next));
  return sign.toUpperCase() === sign;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at - from < LONGEST_BLANK && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) at++;
  return at;
}

/** Returns true for a letter that is not small. */
function isCapital(sign: string): boolean {
  const code = sign.charCodeAt(0);
  if (code < 128) return code >= 0x41 && code <= 0x5a;
  return sign !== "" && sign.toUpperCase() === sign && (sign.toLowerCase() !== sign || code >= 0x590);
}

import type { Detector, RuleMatch, TextView } from "../detector.js";
import { hiddenText } from "./hidden-text.js";
import { endOfInvisible, isNeeded } from "./strip.js";

/** Characters of a run that are read. */
const LONGEST = 4096;
/** First half of tag characters and of the variation selectors of ideographs. */
const PLANE_OF_TAGS = "\udb40";
/** Zero-width characters, marks of direction, fillers, variation selectors, and the first half of tag characters. */
const TRIGGERS: readonly string[] = [
  ..."\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d",
  ..."\u202e\u2060\u2061\u2062\u2063\u2069\ufff0\ufff9\ufffa\ufffb",
  ..."\u2064\u2066\u2067\u2068\u206a\u206b\u206c\u206d\u206e\u206f\u3164\ufe00\ufe01\ufe02\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08",
  ..."\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f\ufeff\uffa0",
  PLANE_OF_TAGS,
  "\ud834\udd73",
  "\ud834\udd7a",
];
const CERTAIN = 1;
const OVERRIDE = 0.9;
const INSIDE_WORD = 0.7;
/** Run of invisible characters that no text needs, whatever stands around it. */
const LONG = 16;

/**
 * Finds text that is hidden from readers, as the type `HIDDEN_TEXT`: text in tag characters, variation selectors or zero-width
 * bits (score 1), characters that reverse the direction of text (0.9), and invisible characters inside words or in long runs (0.7). Joiners and
 * marks that emoji, Arabic, Indic and right-to-left text need are none. Replace the findings by an empty text to remove them.
 *
 * @example
 * ```ts
 * detect("ig\u200bnore", [disguises()]); // [{ type: "HIDDEN_TEXT", start: 2, end: 3, score: 0.7, … }]
 * ```
 */
export function disguises(): Detector {
  return {
    name: "disguises",
    rules: [
      {
        name: "invisible",
        type: "HIDDEN_TEXT",
        score: INSIDE_WORD,
        views: "original",
        triggers: TRIGGERS,
        before: 0,
        reach: LONGEST + 2,
        find: findInvisible,
      },
    ],
  };
}

function findInvisible({ text }: TextView, start: number): RuleMatch | undefined {
  const previous = codeBefore(text, start);
  if (start > 0 && endOfInvisible(text, start - previous.length, start) === start) return undefined;
  const end = endOfInvisible(text, start, start + LONGEST);
  if (end === start) return undefined;
  const run = text.slice(start, end);
  const next = text.codePointAt(end) ?? 0;
  if (hiddenText(run, previous.code) !== undefined) return { start, end, score: CERTAIN };
  if (/[\u202d\u202e]/.test(run)) return { start, end, score: OVERRIDE };
  const isHidden = end - start >= LONG || run.includes(PLANE_OF_TAGS) || (isWord(previous.code) && isWord(next));
  if (!isHidden) return undefined;
  let at = start;
  for (const character of run) {
    if (!isNeeded(text, at, character.codePointAt(0) ?? 0, previous.code, next))
      return { start, end, score: INSIDE_WORD };
    at += character.length;
  }
  return undefined;
}

function codeBefore(text: string, at: number): { readonly code: number; readonly length: number } {
  const unit = text.charCodeAt(at - 1);
  const pair = unit >= 0xdc00 && unit <= 0xdfff ? (text.codePointAt(at - 2) ?? 0) : 0;
  return pair > 0xffff ? { code: pair, length: 2 } : { code: at === 0 ? 0 : unit, length: 1 };
}

function isWord(code: number): boolean {
  return code !== 0 && /[\p{L}\p{N}]/u.test(String.fromCodePoint(code));
}

import { type EditedText, TextEditor } from "./edits.js";
import { isKnownWord } from "./known-words.js";

/** Split words near one another that show the disguise. */
export const LEAST_SPLITS = 2;
/** Distance within which two split words, or others near them, count. */
const NEAR = 96;
/** Parts and letters of a word. */
const MOST_PARTS = 8;
const LONGEST = 24;
const PART = /[a-z]+/giy;
/** Signs within a word: punctuation, an emoji, tags and comments, or a hyphen at the end of a line. */
const WITHIN =
  /[-_.*·~^|/+'`•\\]{1,2}(?:\r?\n)?|\p{Extended_Pictographic}\ufe0f?|(?:<(?:!--[^<>]{0,40}--|\/?[a-z][^<>]{0,40})>){1,4}/iuy;

const TAGS = /(?:<(?:!--[^<>]{0,40}--|\/?[a-z][^<>]{0,40})>){1,4}(?=[a-z])/iy;

/** Returns true if tags or comments at an offset stand before a letter. */
export function hasTags(text: string, at: number): boolean {
  TAGS.lastIndex = at;
  return TAGS.test(text);
}

/** Returns true if parts, with what stands between them, make a common word; behind a blank, common words stay apart. */
export function isSplitWord(parts: string): boolean {
  const words = parts.toLowerCase().match(/[a-z]+/g) ?? [];
  return isKnownWord(words.join("")) && !(parts.includes(" ") && words.every(isKnownWord));
}

interface SplitWord {
  readonly start: number;
  /** Ranges between its parts. */
  readonly gaps: readonly (readonly [start: number, end: number])[];
  readonly end: number;
  readonly isKnown: boolean;
}

/**
 * Joins common words that signs or blanks split: `ig-nore`, `pass*word`, `in<b></b>put`, `sys tem`. Two of them near
 * each other show the disguise; then other words with signs near them are joined too, unless their parts are words.
 */
export function joinSplitWords(text: string): EditedText | undefined {
  const words = readSplitWords(text);
  const known = words.filter(({ isKnown }) => isKnown);
  if (known.length < LEAST_SPLITS) return undefined;
  const editor = new TextEditor(text);
  let at = 0;
  for (const word of words) {
    while ((known[at]?.end ?? Infinity) < word.end - NEAR) at++;
    const near = [known[at], known[at + 1]].filter(
      (neighbour) => neighbour !== undefined && neighbour.end <= word.end + NEAR,
    );
    if (near.length < LEAST_SPLITS) continue;
    for (const [start, end] of [...openingOf(text, word), ...word.gaps]) editor.replace(start, end, "", "spaced");
  }
  return editor.finish();
}

/** Range of the tag, or of the stars, before a word whose end tag or other stars split it. */
function openingOf(text: string, { start, gaps }: SplitWord): (readonly [start: number, end: number])[] {
  const [first, end] = gaps[0] ?? [0, 0];
  const before = text.slice(Math.max(0, start - LONGEST_TAG), start);
  const opening = text.startsWith("</", first) ? /<[a-z][^<>]{0,40}>$/i.exec(before)?.[0] : text.slice(first, end);
  return opening !== undefined && opening.length > 1 && before.endsWith(opening)
    ? [[start - opening.length, start]]
    : [];
}

/** Characters of a tag. */
const LONGEST_TAG = 44;

function readSplitWords(text: string): SplitWord[] {
  const words: SplitWord[] = [];
  for (let at = 0; at < text.length;) {
    PART.lastIndex = at;
    const part = PART.exec(text)?.[0];
    if (part === undefined) {
      at++;
      continue;
    }
    const signs = readParts(text, at, part, signsAt);
    const word = signs ?? readParts(text, at, part, blankAt);
    if (word !== undefined) words.push(word);
    at = word?.end ?? at + part.length;
  }
  return words;
}

/** Offset after what may split a word at an offset; the offset itself if nothing does. */
type Splitter = (text: string, at: number) => number;

function signsAt(text: string, at: number): number {
  WITHIN.lastIndex = at;
  return at + (WITHIN.exec(text)?.[0].length ?? 0);
}

function blankAt(text: string, at: number): number {
  return text.charCodeAt(at) === 0x20 ? at + 1 : at;
}

/** Reads a word in parts: the longest known word that they make, or one of signs whose parts are no words. */
function readParts(text: string, start: number, first: string, splitter: Splitter): SplitWord | undefined {
  const gaps: [number, number][] = [];
  let joined = first.toLowerCase();
  let allKnown = isKnownWord(joined);
  let anyKnown = allKnown;
  let known: SplitWord | undefined;
  let end = start + first.length;
  while (gaps.length < MOST_PARTS) {
    const next = splitter(text, end);
    PART.lastIndex = next;
    const part = next === end ? undefined : PART.exec(text)?.[0].toLowerCase();
    if (part === undefined || joined.length + part.length > LONGEST) break;
    const isPartKnown = isKnownWord(part);
    // Behind a blank, a word continues after a common one only with letters that are not a word: `ev ery one`.
    if (known !== undefined && splitter === blankAt && isPartKnown) break;
    gaps.push([end, next]);
    joined += part;
    end = next + part.length;
    allKnown &&= isPartKnown;
    anyKnown ||= isPartKnown;
    if ((splitter === signsAt || !allKnown) && isKnownWord(joined))
      known = { start, gaps: [...gaps], end, isKnown: true };
  }
  if (known !== undefined) return known;
  if (splitter === blankAt || gaps.length === 0) return undefined;
  return { start, gaps: anyKnown || joined.length < LEAST_LETTERS ? [] : gaps, end, isKnown: false };
}

/** Letters of a word that is not common. */
const LEAST_LETTERS = 4;

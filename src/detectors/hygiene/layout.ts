import { codeAt } from "../scan/code-at.js";
import { type EditedText, TextEditor } from "./edits.js";
import { isKnownWord, KNOWN_WORDS } from "./known-words.js";
import { isWordCode } from "./spaced.js";

/** Words of a line, besides what it begins with, that may be a part of a sentence. */
const MOST_WORDS = 8;
/** The same for lines between blank ones, which begin with words. */
const MOST_ALONE = 2;
/** Lines, marks or known words in a row that show the layout. */
const LEAST_LINES = 3;
const LEAST_MARKS = 4;
const LEAST_KNOWN = 2;
/** Characters between two marks in a row. */
const LONGEST_GAP = 40;
/** Characters of what a line begins with. */
const LONGEST_PREFIX = 64;
/** Letters of joined words. */
const LEAST_JOINED = 12;
const LONGEST_JOINED = 160;

/** Tags of HTML and forums, ends of links, names of values, commands with one argument. */
const MARKS =
  /<!--[^<>]{0,60}-->|<\/?([a-z][a-z0-9]{0,9})\b[^<>]{0,120}>|\[\/?([a-z]{1,9})(?:=[^\][\n]{0,60})?\](?!\()|\]\([^()\s]{1,120}\)|[{}\s,"]{0,8}"[\w-]{1,24}"\s{0,2}:\s{0,2}(?:"|-?\d{1,12},?)|\u001b\[[\d;]{0,12}m|\\[nrt](?![a-z])|[\\\s][a-z]{2,12}\{/gi;
/** Tags that may stand within a word. */
const INLINE = /^(?:b|i|s|u|a|q|em|strong|span|font|small|big|su[bp]|mark|code|tt|color|size|wbr)$/i;
/** Words of which each ends a sentence. */
const STOPPED = /(?:\p{L}[\p{L}'’]{0,23}[.!?…]{1,3}[ \n\r\t]{1,3}){3,}/gu;
const WORD = /\p{L}{3,}/gu;

/** Returns a text without tags and other marks that stand around its words. */
export function stripMarks(text: string): EditedText | undefined {
  const marks = [...text.matchAll(MARKS)];
  const editor = new TextEditor(text);
  let first = 0;
  for (let at = 1; at <= marks.length; at++) {
    const last = marks[at - 1];
    const end = (last?.index ?? 0) + (last?.[0].length ?? 0);
    if ((marks[at]?.index ?? Infinity) - end <= LONGEST_GAP) continue;
    if (at - first >= LEAST_MARKS) {
      for (const { 0: mark, 1: tag, 2: code, index } of marks.slice(first, at)) {
        const isInline = mark.startsWith("]") || INLINE.test(tag ?? code ?? "");
        editor.replace(index, index + mark.length, isInline ? "" : " ", "spaced");
      }
    }
    first = at;
  }
  return editor.finish();
}

/** A line with letters: its offsets in the text, and that of the lines without letters before it. */
interface Line {
  readonly lead: number;
  readonly start: number;
  readonly end: number;
}

/** Returns a text whose short lines are joined that begin alike, and whose words in sentences of their own. */
export function joinLines(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  /** Starts of lines that may be parts of one sentence, and their contents. */
  let parts: Part[] = [];
  const join = (): void => {
    let [gap, first] = parts[0] ?? [0, 0];
    for (const [, from, end] of parts.length < LEAST_LINES ? [] : parts) {
      if (from > gap) editor.replace(gap, from, from > first ? " " : gap > 0 ? "\n\n" : "", "spaced");
      gap = end;
    }
    parts = [];
  };
  const add = (line: Line, from: number, isApart: boolean): boolean => {
    const part = partOf(text, line, from, isApart);
    if (part !== undefined) parts.push(part);
    return part !== undefined;
  };
  let before: Line | undefined;
  let lead = 0;
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf("\n", start);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const line = { lead, start, end };
    const hasLetters = countWords(text, start, end, 1) > 0;
    start = end + 1;
    if (!hasLetters) continue;
    lead = start;
    const from = before === undefined ? line.start : contentOf(text, line, before);
    const isApart = line.lead < line.start;
    // The first of the lines begins as the second does.
    if (before !== undefined && parts.length < 2) {
      parts = [];
      add(before, contentOf(text, before, line), isApart);
    }
    if (!add(line, from, isApart)) join();
    before = line;
  }
  join();
  return editor.finish() ?? joinStopped(text);
}

/** Number of words of a range, at most a limit and one. */
function countWords(text: string, start: number, end: number, most: number): number {
  let count = 0;
  let isInside = false;
  for (let at = start; at < end && count <= most; at++) {
    const code = codeAt(text, at);
    const isLetter: boolean = isDigit(code) ? isInside : isWordCode(code);
    if (isLetter && !isInside) count++;
    isInside = isLetter;
  }
  return count;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

/**
 * Offset after what a line begins with as another one does: up to a sign, and blanks and the level of a log after it. All
 * numbers and all words in capitals are the same.
 */
function contentOf(text: string, line: Line, other: Line): number {
  const limit = Math.min(line.end, line.start + LONGEST_PREFIX);
  let same = line.start;
  for (let at = line.start, as = other.start; at < limit && as < other.end;) {
    const code = codeAt(text, at++);
    const like = codeAt(text, as++);
    const isRun = isDigit(code) ? isDigit : isCapital;
    if (isRun(code) ? !isRun(like) : code !== like) break;
    while (isRun(code) && at < limit && isRun(codeAt(text, at))) at++;
    while (isRun(code) && as < other.end && isRun(codeAt(text, as))) as++;
    if (isDigit(code) || (code > 0x20 && !isWordCode(code))) same = at;
  }
  while (same < line.end && text.charCodeAt(same) <= 0x20) same++;
  LEVEL.lastIndex = same;
  return same > line.start && LEVEL.test(text) ? LEVEL.lastIndex : same;
}

/** Level of a line of a log. */
const LEVEL = /(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b[ \t:-]*/y;

type Part = readonly [lead: number, from: number, end: number];

/** The line as a part of a sentence, without the signs of tables and lists at its end; undefined for a longer or whole one. */
function partOf(text: string, { lead, start, end }: Line, from: number, isApart: boolean): Part | undefined {
  let last = end;
  while (last > from && ' \r|",;'.includes(text.charAt(last - 1))) last--;
  const isWhole = ".!?:".includes(text.charAt(last - 1));
  const most = from > start && !isWhole ? MOST_WORDS : from > start || isApart || isWhole ? MOST_ALONE : 0;
  return countWords(text, from, last, most) > most ? undefined : [lead, from, last];
}

function joinStopped(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  for (const { 0: run, index } of text.matchAll(STOPPED)) {
    for (const { 0: stop, index: at } of run.matchAll(/[.!?…]+\s+/g)) {
      editor.replace(index + at, index + at + stop.length, " ", "spaced");
    }
  }
  return editor.finish();
}

/** Returns a text whose joined words are apart and whose doubled letters are single, if they are known words. */
export function separateWords(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  let known = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const parts = word.length >= LEAST_JOINED && word.length <= LONGEST_JOINED ? partsOf(word) : [];
    if (parts.length > 1) {
      let at = index;
      for (const part of parts) {
        if (at > index) editor.replace(at, at, " ", "spaced");
        at += part.length;
        if (isKnownWord(part.toLowerCase())) known++;
      }
      if (word.length >= LONG) known += LEAST_KNOWN;
    } else if (DOUBLED.test(word)) {
      const single = singleOf(word);
      if (single === undefined) continue;
      editor.replace(index, index + word.length, single, "spaced");
      known++;
    }
  }
  return known >= LEAST_KNOWN ? editor.finish() : undefined;
}

const DOUBLED = /(.)\1/iu;
/** Words of which each letter is written twice, or four times. */
const ALL_DOUBLED = /^(?:(.)\1){2,}$/iu;
/** Words and letters of joined words that are more than a name in code. */
const LEAST_PARTS = 4;
const LONG = 30;

/** Returns true for joined words that are no name of a program, such as `resetPromptCache`. */
function isSentence(parts: readonly string[], letters: number): boolean {
  if (parts.length < LEAST_PARTS) return false;
  return parts.length > LEAST_PARTS || letters >= LONG || parts.every((part) => isKnownWord(part.toLowerCase()));
}

/** Parts of joined words: at capitals, or at known words that make most of it. */
function partsOf(word: string): readonly string[] {
  const humps = word.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? [];
  if (humps.length > 1) return isSentence(humps, word.length) ? humps : [];
  const letters = word.toLowerCase();
  const parts: string[] = [];
  let rest = 0;
  let other = 0;
  for (let at = 0; at < letters.length;) {
    const length = knownAt(letters, at);
    if (length === 0) {
      at++;
      other++;
      continue;
    }
    if (at > rest) parts.push(word.slice(rest, at));
    parts.push(word.slice(at, at + length));
    at += length;
    rest = at;
  }
  if (rest < word.length) parts.push(word.slice(rest));
  return other * 4 <= word.length ? parts : [];
}

interface Node {
  readonly next: Map<number, Node>;
  isWord: boolean;
}

/** Known words as a tree of their letters, and by these letters without repetitions; made for the first text. */
let words: { readonly root: Node; readonly singles: ReadonlyMap<string, string> } | undefined;

function buildWords(): NonNullable<typeof words> {
  const root: Node = { next: new Map(), isWord: false };
  const all = [
    ...KNOWN_WORDS,
    ..."act all and any are can for how new not now off one our ten the way who you".split(" "),
  ];
  for (const word of all) {
    let node = root;
    for (let at = 0; at < word.length; at++) {
      const code = word.charCodeAt(at);
      const next = node.next.get(code) ?? { next: new Map(), isWord: false };
      node.next.set(code, next);
      node = next;
    }
    node.isWord = true;
  }
  const short = "no of to me my do be us in is it if as at an or so up by on we".split(" ");
  return { root, singles: new Map([...all.toReversed(), ...short].map((word) => [collapse(word), word])) };
}

/** Length of the longest known word at an offset; 0 if there is none. */
function knownAt(letters: string, start: number): number {
  let node: Node | undefined = (words ??= buildWords()).root;
  let length = 0;
  for (let at = start; at < letters.length; at++) {
    node = node.next.get(letters.charCodeAt(at));
    if (node === undefined) break;
    if (node.isWord) length = at + 1 - start;
  }
  return length;
}

/** Returns the word that one with doubled letters is, if it is known or all are doubled; undefined for one that is known itself. */
function singleOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  if (ALL_DOUBLED.test(lower)) return lower.replaceAll(/(.)\1/gu, "$1");
  if (isKnownWord(lower)) return undefined;
  return (words ??= buildWords()).singles.get(collapse(lower));
}

function collapse(word: string): string {
  return word.replaceAll(/(.)\1+/g, "$1");
}

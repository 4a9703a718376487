import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { isRandomText } from "./entropy.js";
import { FOREIGN_PARTS, isSecretValue, nameAround, PARTS } from "./assignments.js";

/** Characters from the start of a name that are read. */
const REACH = 640;
/** Longest part of a line before a name. */
const LINE_BEFORE = 160;

/** Rest of another word, as in `author`, or a word of prose other than those of `LINE_AFTER`. */
const GOES_ON = /^(?:[a-rt-z]| [acdf-hj-z])/;
/** Elements of HTML between a name and its value. */
const ELEMENTS = /["'`*:：]{0,2}(?:<\/?[a-z][\w-]{0,15}(?: [^<>\n]{0,60})?>\s{0,8}){1,6}/iy;
/** Start of such elements. */
const ELEMENTS_BEGIN = /["'`*:：]{0,2}(?:<[^\n]{0,200})?$/y;
/** Rest of a line that ends with a name: signs, an operator, the mark of a block of YAML or of a list, a line that goes on. */
const LINE_AFTER =
  /["'`*_)\]]{0,4}(?:[ \t]{1,2}(?:is|ist|es|est|è|é|below))?[ \t]{0,4}(?::=|=>|->|[:：=→])?[ \t]{0,4}["'`*_]{0,3}[ \t]{0,4}(?:[|>][+-]?\d?|[\\[({]|#{1,6}|(?<=["']),)?[ \t]{0,4}(?:\r?(?:\n|$))/y;
/** Operator in such a rest, without which a name may stand in prose. */
const OPERATOR = /[:：=→>|\\[({*]/;
/** Line between a name and its value: blank, a fence, or a rule. */
const BETWEEN = /^[\s>|]{0,40}(?:(?:```|~~~)\w{0,12}|[-=_|:+][-=_|:+ \t]{2,200})?\s{0,8}$/;
/** Line of nothing but a value, with marks of lists and quotes, and a name such as `value`. */
const VALUE_LINE =
  /^[ \t]{0,24}(?:(?:[>*+|#-]{1,6}|\d{1,2}[.)])[ \t]{1,4}){0,2}(?:["'`]?(?:value|Value|default|data|secret|key|password|token)["'`]?[ \t]{0,4}[:=][ \t]{0,4})?["'`*(]{0,4}([^\s"'`<>«»“”]{6,256}?)["'`*),;\]]{0,5}\s{0,8}$/d;

/** Separators of the columns of a table. */
const SEPARATORS = [/\|/g, /\t+/g, /,/g, /;/g, / {2,}/g];
/** Head of a column. */
const HEAD = /^\s*(?:[^\s.?!:=<>(){}[\]]{1,30}(?: [^\s.?!:=<>{}[\]]{1,30}){0,2})?\s*$/;
/** Content of a cell without the signs around it. */
const CELL = /^[\s"'`*]{0,40}([^\s"'`*](?:[^\s]{0,254}[^\s"'`*])?)[\s"'`*]{0,40}$/d;

/** Part of a text that starts with a name and its line. */
interface Place {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** End of the part, at most `REACH` behind the start. */
  readonly limit: number;
  readonly isSecret: (value: string, isProse: boolean) => boolean;
}

/** Values that were found, and if the end of the part was reached before something else was. */
interface Reading {
  readonly match?: RuleMatch;
  readonly isOpen: boolean;
}

const NOTHING: Reading = { isOpen: false };
const OPEN: Reading = { isOpen: true };

/**
 * Rule for values in the lines below their name: under a heading or a label, in a block or list of YAML, in a fence, in a column of
 * a table. Of several values the finding reaches from the first to the last one.
 */
export function valuesBelowRule(leastEntropy: number, isAllowed: (value: string) => boolean): TriggerRule {
  const read = ({ text, folded }: TextView, start: number, end: number): Reading => {
    if (GOES_ON.test(folded.slice(end, end + 2))) return NOTHING;
    const name = nameAround(folded, start, end);
    if (name === undefined) return /^[\w.-]{0,32}$/.test(folded.slice(end, end + 33)) ? OPEN : NOTHING;
    const limit = Math.min(text.length, start + REACH);
    const isSecret = (value: string, isProse: boolean): boolean =>
      isSecretValue(name, value, { isProse, leastEntropy }) && !(isProse && isPlain(value)) && !isAllowed(value);
    const place = { text, start, end: name.end, limit, isSecret };
    return readElements(place) ?? readTable(place) ?? readLines(place);
  };
  return {
    name: "secret-below-name",
    type: "SECRET",
    score: 0.7,
    views: "decoded",
    triggers: [...PARTS, ...FOREIGN_PARTS],
    before: 0,
    reach: REACH,
    find: (view, start, end) => read(view, start, end).match,
    isDecided: (view, start, end) => !read(view, start, end).isOpen,
  };
}

/** Returns true for words and numbers, such as the name of a link below `Reset your password`, and for another assignment. */
function isPlain(value: string): boolean {
  return /^\w+=/.test(value) || (!/[!@#$%^&*+~?=|]/.test(value) && !isRandomText(value));
}

/** Reads a name and a value in elements of HTML: `<dt>Password</dt><dd>…</dd>`. */
function readElements({ text, end, limit, isSecret }: Place): Reading | undefined {
  const part = text.slice(end, limit);
  ELEMENTS.lastIndex = 0;
  const elements = ELEMENTS.exec(part)?.[0].length ?? 0;
  if (elements === 0) {
    ELEMENTS_BEGIN.lastIndex = 0;
    return part.startsWith("<") && ELEMENTS_BEGIN.test(part) ? OPEN : undefined;
  }
  const value = /^[^\s"'`<>&]{1,256}/.exec(part.slice(elements))?.[0] ?? "";
  const stop = elements + value.length;
  if (stop === part.length) return OPEN;
  return isSecret(value, false) ? { match: { start: end + elements, end: end + stop }, isOpen: false } : NOTHING;
}

/** Reads the lines below a line that ends with a name. */
function readLines({ text, end, limit, isSecret }: Place): Reading {
  LINE_AFTER.lastIndex = end;
  const after = LINE_AFTER.exec(text)?.[0];
  if (after === undefined) return NOTHING;
  // The next entry of an object, or of a list, which has other values.
  const isPair = after.trimEnd().endsWith(",");
  const isProse = !isPair && !OPERATOR.test(after);
  let match: RuleMatch | undefined;
  for (const line of linesOf(text, end + after.length, limit)) {
    const [from, to] = VALUE_LINE.exec(line.text)?.indices?.[1] ?? [0, 0];
    if (isPair && match === undefined && !/^\s*["']value["']/i.test(line.text)) return { isOpen: !line.isWhole };
    if (to > from && isSecret(line.text.slice(from, to), isProse))
      match = extended(match, line.start + from, line.start + to);
    else if (line.isWhole && (match !== undefined || !BETWEEN.test(line.text)))
      return { isOpen: false, ...withMatch(match) };
  }
  return { isOpen: true, ...withMatch(match) };
}

/** Reads the column below a name in the head of a table. */
function readTable({ text, start, end, limit, isSecret }: Place): Reading | undefined {
  const before = text.slice(Math.max(0, start - LINE_BEFORE), start);
  const lineStart = start - before.length + before.lastIndexOf("\n") + 1;
  if (start - lineStart === LINE_BEFORE) return undefined;
  const [head] = linesOf(text, lineStart, limit);
  if (head === undefined || !/[|\t,;]| {2}/.test(head.text)) return undefined;
  const separator = SEPARATORS.find((candidate) => {
    const cells = head.text.trim().split(candidate);
    // A line of code may end with a comma or a semicolon.
    return (
      cells.length > 1 && cells.every((cell) => HEAD.test(cell)) && (cells.at(-1) !== "" || candidate.source === "\\|")
    );
  });
  if (separator === undefined) return undefined;
  const column = text.slice(lineStart, start).trimStart().split(separator).length - 1;
  let match: RuleMatch | undefined;
  for (const line of linesOf(text, Math.max(end, lineStart + head.text.length + 1), head.isWhole ? limit : 0)) {
    if (BETWEEN.test(line.text) && (line.text.trim() !== "" || !line.isWhole)) continue;
    const cell = cellOf(line.text, separator, column);
    if (cell === undefined && line.isWhole) return { isOpen: false, ...withMatch(match) };
    const [from, to] = CELL.exec(cell?.text ?? "")?.indices?.[1] ?? [0, 0];
    const at = line.start + (cell?.start ?? 0);
    if (to > from && isSecret(text.slice(at + from, at + to), false)) match = extended(match, at + from, at + to);
  }
  return { isOpen: true, ...withMatch(match) };
}

function extended(match: RuleMatch | undefined, start: number, end: number): RuleMatch {
  return { start: match?.start ?? start, end };
}

function withMatch(match: RuleMatch | undefined): Pick<Reading, "match"> {
  return match === undefined ? {} : { match };
}

interface Line {
  readonly start: number;
  readonly text: string;
  /** True if the line ends within the part. */
  readonly isWhole: boolean;
}

function linesOf(text: string, from: number, limit: number): readonly Line[] {
  let start = from;
  return text
    .slice(from, limit)
    .split("\n")
    .map((line, index, all) => {
      const at = start;
      start += line.length + 1;
      return { start: at, text: line, isWhole: index < all.length - 1 };
    });
}

function cellOf(line: string, separator: RegExp, column: number): { start: number; text: string } | undefined {
  let start = line.length - line.trimStart().length;
  const cells = line.trimStart().split(separator);
  for (const cell of cells.slice(0, column)) {
    start += cell.length;
    separator.lastIndex = start;
    start += separator.exec(line)?.[0].length ?? 0;
  }
  const text = cells[column];
  return text === undefined ? undefined : { start, text };
}

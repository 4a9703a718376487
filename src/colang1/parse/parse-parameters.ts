import type { TextRange } from "../../syntax/source-rows.js";
import { isSpace, type LineParser } from "./line-parser.js";
import { STATEMENT_WORDS } from "./reserved-words.js";

const STATEMENT = /\s+(?:([A-Za-z_][\w-]*)(?=\s|$)|\$\w+\s*=|")/y;

/**
 * Takes the parameters after a name and returns the range inside, or undefined if there are none.
 *
 * params = "(" [ param { "," param } ] ")" | ("with" | "for") param { "," param }
 */
export function readParameters(parser: LineParser): TextRange | undefined {
  if (parser.isDone()) return undefined;
  if (parser.charAt(parser.at) === "(") return takeParentheses(parser);
  if (parser.skipWord("with") || parser.skipWord("for")) {
    const range = parser.rest();
    parser.at = parser.end;
    return range;
  }
  return undefined;
}

/** Takes parentheses and returns the range inside; undefined if they are never closed, which is reported. */
export function takeParentheses(parser: LineParser): TextRange | undefined {
  const open = parser.at;
  const close = parser.findClosing(open);
  if (close === undefined) {
    parser.report("CO-109", "`(` is never closed", { start: open, end: open + 1 }, "close it with `)`");
    parser.at = parser.end;
    return undefined;
  }
  parser.at = close + 1;
  return { start: open + 1, end: close };
}

/** Reports a statement after the colon of a block header, where it would become part of a name. */
export function reportAfterColon(parser: LineParser): boolean {
  if (!parser.text.includes(":", parser.at - parser.start)) return false;
  const colon = parser.findOutside(
    parser.rest(),
    (character, at) => character === ":" && beginsStatement(parser, at + 1),
  );
  if (colon === undefined) return false;
  reportStatementAfter(parser, colon);
  return true;
}

export function reportStatementAfter(parser: LineParser, colon: number): void {
  const after = parser.trim({ start: colon + 1, end: parser.end });
  parser.report("CO-110", "statement after the colon", after, "write it on the next line, indented");
}

function beginsStatement(parser: LineParser, at: number): boolean {
  const found = parser.match(STATEMENT, at);
  return found !== undefined && (found[1] === undefined || STATEMENT_WORDS.has(found[1]));
}

/** Characters at which a name may end. */
const NAME_MARK = /["(\s]/g;

/** ` or ` between alternatives, with a word or a quote after it. */
const OR = /\s+or(?=\s|$)/y;

const AS = /\s+as\s+\$/y;

const WITH = /\s+(?:with|for)\s+(?:\$[A-Za-z_]|[A-Za-z_]\w*\s*=(?!=))/y;

const PARAMETER = /\s*(?:\$[A-Za-z_]\w*\s*[,)]|\$?[A-Za-z_]\w*\s*=(?!=)|\))/y;

interface NameStops {
  /** Alternatives may follow. */
  readonly or?: boolean;
  /** `call`: a parenthesis always begins parameters; `text`: only if it looks like that. */
  readonly parentheses: "call" | "text";
}

interface ReadName {
  readonly range: TextRange;
  /** Parentheses that are part of the name. */
  readonly parentheses?: TextRange;
}

/**
 * Takes a name: free text up to the beginning of another clause.
 *
 * INVARIANT: the parser is at the end of the name afterwards, and every character was looked at a bounded number of times.
 */
export function readName(parser: LineParser, stops: NameStops): ReadName {
  const start = parser.rest().start;
  let parentheses: TextRange | undefined;
  let isUnclosed = false;
  let at = start;
  for (; at < parser.end; at += 1) {
    at = parser.nextOf(NAME_MARK, at);
    if (at >= parser.end) break;
    const character = parser.charAt(at);
    if (character === '"') break;
    if (character === "(" && !isUnclosed) {
      if (stops.parentheses === "call" || parser.match(PARAMETER, at + 1)) break;
      const close = parser.findClosing(at);
      isUnclosed = close === undefined;
      parentheses ??= { start: at, end: close === undefined ? parser.end : close + 1 };
      at = close ?? at;
    } else if (isSpace(parser.codeAt(at)) && !isSpace(parser.codeAt(at - 1)) && beginsClause(parser, at, stops)) break;
  }
  parser.at = at;
  const range = parser.trim({ start, end: at });
  return parentheses ? { range, parentheses } : { range };
}

/** First letters of `or`, `as`, `with` and `for`. */
const CLAUSE_LETTERS: ReadonlySet<string> = new Set(["o", "a", "w", "f"]);

function beginsClause(parser: LineParser, at: number, stops: NameStops): boolean {
  let next = at;
  while (isSpace(parser.codeAt(next))) next += 1;
  if (!CLAUSE_LETTERS.has(parser.charAt(next))) return false;
  if (stops.or && parser.match(OR, at)) return true;
  return Boolean(parser.match(AS, at) ?? parser.match(WITH, at));
}

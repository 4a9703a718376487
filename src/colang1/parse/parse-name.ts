import type { TextRange } from "../../syntax/source-rows.js";
import type { LineParser } from "./line-parser.js";

/** ` or ` between alternatives, with a word or a quote after it. */
const OR = /\s+or(?=\s|$)/y;
const AS = /\s+as\s+\$/y;
const WITH = /\s+(?:with|for)\s+(?:\$[A-Za-z_]|[A-Za-z_]\w*\s*=(?!=))/y;
const PARAMETER = /\s*(?:\$[A-Za-z_]\w*\s*[,)]|\$?[A-Za-z_]\w*\s*=(?!=)|\))/y;

export interface NameStops {
  /** Alternatives may follow. */
  readonly or?: boolean;
  /** `call`: a parenthesis always begins parameters; `text`: only if it looks like that. */
  readonly parentheses: "call" | "text";
}

export interface ReadName {
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
    const character = parser.charAt(at);
    if (character === '"') break;
    if (character === "(" && !isUnclosed) {
      if (stops.parentheses === "call" || parser.match(PARAMETER, at + 1)) break;
      const close = parser.findClosing(at);
      isUnclosed = close === undefined;
      parentheses ??= { start: at, end: close === undefined ? parser.end : close + 1 };
      at = close ?? at;
    } else if (/\s/.test(character) && !/\s/.test(parser.charAt(at - 1)) && beginsClause(parser, at, stops)) break;
  }
  parser.at = at;
  const range = parser.trim({ start, end: at });
  return parentheses ? { range, parentheses } : { range };
}

function beginsClause(parser: LineParser, at: number, stops: NameStops): boolean {
  if (stops.or && parser.match(OR, at)) return true;
  return Boolean(parser.match(AS, at) ?? parser.match(WITH, at));
}

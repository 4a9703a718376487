import type { TextRange } from "../../syntax/source-rows.js";
import type { LineCursor } from "./line-cursor.js";
import { findClosing } from "./scan-text.js";

/** ` or ` between alternatives, with a word or a quote after it. */
const OR = /\s+or(?=\s|$)/y;
const AS = /\s+as\s+\$/y;
const WITH = /\s+(?:with|for)\s+(?:\$[A-Za-z_]|[A-Za-z_]\w*\s*=(?!=))/y;
const PARAMETER = /\s*(?:\$[A-Za-z_]\w*\s*[,)]|\$?[A-Za-z_]\w*\s*=(?!=)|\))/y;

export interface NameStops {
  /** Alternatives may follow. */
  readonly or?: boolean;
  /** `call`: a parenthesis always begins parameters; `text`: only if it looks like that (spec 4.16). */
  readonly parentheses: "call" | "text";
}

export interface ReadName {
  readonly range: TextRange;
  /** Parentheses that are part of the name. */
  readonly parentheses?: TextRange;
}

/**
 * Takes a name: free text up to whatever begins another clause (spec 2.6).
 *
 * INVARIANT: the cursor is at the end of the name afterwards, and every character was looked at a bounded number of times.
 */
export function readName(cursor: LineCursor, stops: NameStops): ReadName {
  const start = cursor.rest().start;
  let parentheses: TextRange | undefined;
  let isUnclosed = false;
  let at = start;
  for (; at < cursor.end; at += 1) {
    const character = cursor.charAt(at);
    if (character === '"') break;
    if (character === "(" && !isUnclosed) {
      if (stops.parentheses === "call" || cursor.match(PARAMETER, at + 1)) break;
      const close = findClosing(cursor, at);
      isUnclosed = close === undefined;
      parentheses ??= { start: at, end: close === undefined ? cursor.end : close + 1 };
      at = close ?? at;
    } else if (/\s/.test(character) && !/\s/.test(cursor.charAt(at - 1)) && beginsClause(cursor, at, stops)) break;
  }
  cursor.at = at;
  const range = cursor.trim({ start, end: at });
  return parentheses ? { range, parentheses } : { range };
}

function beginsClause(cursor: LineCursor, at: number, stops: NameStops): boolean {
  if (stops.or && cursor.match(OR, at)) return true;
  return Boolean(cursor.match(AS, at) ?? cursor.match(WITH, at));
}

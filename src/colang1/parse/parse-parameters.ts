import type { TextRange } from "../../syntax/source-rows.js";
import type { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { STATEMENT_WORDS } from "./reserved-words.js";
import { findClosing, findOutside } from "./scan-text.js";

const STATEMENT = /\s+(?:([A-Za-z_][\w-]*)(?=\s|$)|\$\w+\s*=|")/y;

/**
 * Takes the parameters after a name and gives the range inside, or nothing if there are none.
 *
 * params = "(" [ param { "," param } ] ")" | ("with" | "for") param { "," param }
 */
export function readParameters(context: ParseContext, cursor: LineCursor): TextRange | undefined {
  if (cursor.isDone()) return undefined;
  if (cursor.charAt(cursor.at) === "(") {
    const open = cursor.at;
    const close = findClosing(cursor, open);
    if (close === undefined) {
      context.report("CO-109", "`(` is never closed", { start: open, end: open + 1 }, "close it with `)`");
      cursor.at = cursor.end;
      return undefined;
    }
    cursor.at = close + 1;
    return { start: open + 1, end: close };
  }
  if (cursor.skipWord("with") || cursor.skipWord("for")) {
    const range = cursor.rest();
    cursor.at = cursor.end;
    return range;
  }
  return undefined;
}

/** Complains about whatever is left in a line that should end here. */
export function expectEnd(context: ParseContext, cursor: LineCursor, after: string, hint?: string): void {
  if (cursor.isDone()) return;
  const rest = cursor.rest();
  context.report("CO-110", `unexpected ${quoteText(cursor.text(rest))} after ${after}`, rest, hint);
  cursor.at = cursor.end;
}

/** A block header takes nothing after its colon; statements there would end up in a name (spec 2.1). */
export function reportAfterColon(context: ParseContext, cursor: LineCursor): boolean {
  const rest = cursor.rest();
  const colon = findOutside(cursor, rest, (character, at) => character === ":" && beginsStatement(cursor, at + 1));
  if (colon === undefined) return false;
  const after = cursor.trim({ start: colon + 1, end: cursor.end });
  context.report("CO-110", "statement after the colon", after, "write it on the next line, indented");
  return true;
}

function beginsStatement(cursor: LineCursor, at: number): boolean {
  const found = cursor.match(STATEMENT, at);
  return found !== undefined && (found[1] === undefined || STATEMENT_WORDS.has(found[1]));
}

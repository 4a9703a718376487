import type { TextRange } from "../../syntax/source-rows.js";
import type { LineParser } from "./line-parser.js";
import { STATEMENT_WORDS } from "./reserved-words.js";

const STATEMENT = /\s+(?:([A-Za-z_][\w-]*)(?=\s|$)|\$\w+\s*=|")/y;

/**
 * Takes the parameters after a name and returns the range inside, or undefined if there are none.
 *
 * params = "(" [ param { "," param } ] ")" | ("with" | "for") param { "," param }
 */
export function readParameters(parser: LineParser): TextRange | undefined {
  if (parser.isDone()) return undefined;
  if (parser.charAt(parser.at) === "(") {
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
  if (parser.skipWord("with") || parser.skipWord("for")) {
    const range = parser.rest();
    parser.at = parser.end;
    return range;
  }
  return undefined;
}

/** Reports a statement behind the colon of a block header, where it would end up in a name. */
export function reportAfterColon(parser: LineParser): boolean {
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

import type { TextRange } from "../../syntax/source-rows.js";
import { scanString, startsString } from "../../syntax/string-literal.js";
import type { LineCursor } from "./line-cursor.js";

const OPENERS = "([{";
const CLOSERS = ")]}";

/** The first offset in a range, outside strings and brackets, that the test accepts. */
export function findOutside(
  cursor: LineCursor,
  range: TextRange,
  test: (character: string, at: number) => boolean,
): number | undefined {
  const skip = createStringSkipper(cursor, range.end);
  let depth = 0;
  for (let at = range.start; at < range.end;) {
    const character = cursor.charAt(at);
    if (depth === 0 && test(character, at)) return at;
    if (OPENERS.includes(character)) depth += 1;
    else if (CLOSERS.includes(character) && depth > 0) depth -= 1;
    at = skip(at) ?? at + 1;
  }
  return undefined;
}

/** The offset of the bracket that closes the one at `open`. */
export function findClosing(cursor: LineCursor, open: number): number | undefined {
  const skip = createStringSkipper(cursor, cursor.end);
  let depth = 0;
  for (let at = open; at < cursor.end;) {
    const character = cursor.charAt(at);
    if (OPENERS.includes(character)) depth += 1;
    else if (CLOSERS.includes(character)) {
      depth -= 1;
      if (depth === 0) return at;
    }
    at = skip(at) ?? at + 1;
  }
  return undefined;
}

/** The parts of a range between commas that stand outside strings and brackets, without blanks around them. */
export function splitAtCommas(cursor: LineCursor, range: TextRange): readonly TextRange[] {
  const parts: TextRange[] = [];
  let start = range.start;
  findOutside(cursor, range, (character, at) => {
    if (character === ",") {
      parts.push(cursor.trim({ start, end: at }));
      start = at + 1;
    }
    return false;
  });
  parts.push(cursor.trim({ start, end: range.end }));
  return parts;
}

/**
 * A function that gives the end of the string at an offset, if one begins there. An unclosed double quote reaches to the
 * end; an unclosed single one is an apostrophe, and so are all after it, which are then not looked at again.
 */
function createStringSkipper(cursor: LineCursor, end: number): (at: number) => number | undefined {
  let hasApostrophe = false;
  return (at) => {
    const character = cursor.charAt(at);
    if (character !== '"' && (character !== "'" || hasApostrophe)) return undefined;
    if (!startsString(cursor.lineText, at - cursor.start)) return undefined;
    const scan = scanString(cursor.lineText, at - cursor.start, end - cursor.start);
    if (scan.closed) return cursor.start + scan.end;
    if (character === '"') return end;
    hasApostrophe = true;
    return undefined;
  };
}

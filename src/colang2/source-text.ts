import type { Span } from "../diagnostics/span.js";
import { lexRange } from "../syntax/lexer.js";

/**
 * A flow as prompts show it: without the margin all its lines share, without comments and blank lines. Comments are found by
 * reading tokens, so a `#` in a string stays (Q78).
 */
export function sourceTextOf({ source, start, end }: Span): string {
  const pieces: string[] = [];
  let at = start;
  for (const token of lexRange(source, start, end)) {
    pieces.push(source.text.slice(at, token.start).replace(/#[^\n]*/g, ""), source.text.slice(token.start, token.end));
    at = token.end;
  }
  pieces.push(source.text.slice(at, end));
  const lineStart = source.text.lastIndexOf("\n", start - 1) + 1;
  const margin = source.text.slice(lineStart, start);
  return pieces
    .join("")
    .split("\n")
    .map((line) => (margin.trim() === "" && line.startsWith(margin) ? line.slice(margin.length) : line).trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}

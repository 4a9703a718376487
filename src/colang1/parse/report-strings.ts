import { quoteText } from "../../diagnostics/diagnostic.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { ANY_BRANCH, splitAnyBlock } from "./parse-branch.js";

const ACTION = /^def(?:ine)?\s+action\s/;

/** Reports a string of a line that is never closed, and text behind a docstring. Returns the deeper lines to check. */
export function reportStrings(context: ParseContext, line: LayoutLine): readonly LayoutLine[] {
  if (line.openString !== undefined) reportOpenString(context, line, line.openString);
  else if (line.kind === "docstring") reportAfterDocstring(context, line);
  if (ACTION.test(line.text)) return [];
  const [dedented] = ANY_BRANCH.test(line.text) ? splitAnyBlock(line).body : [];
  if (!dedented) return line.children;
  return line.children.map((child) => (child === dedented ? { ...child, strayDedent: false } : child));
}

function reportOpenString(context: ParseContext, line: LayoutLine, start: number): void {
  if (line.kind === "docstring") {
    context.report("CO-108", "docstring is never closed", { start, end: start + 3 }, 'close it with `"""`');
    return;
  }
  const message = `string ${quoteText(line.text)} is never closed`;
  context.report("CO-108", message, { start, end: line.end }, 'close it with `"`');
}

function reportAfterDocstring(context: ParseContext, line: LayoutLine): void {
  const close = line.text.indexOf('"""', 3) + 3;
  const rest = line.text.slice(close);
  if (rest.trim() === "") return;
  const place = { start: line.end - rest.trimStart().length, end: line.end };
  context.report("CO-110", `unexpected ${quoteText(rest)} after the docstring`, place, "write it on the next line");
}

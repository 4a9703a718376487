import type { LayoutLine } from "../../syntax/layout.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { ANY_BRANCH, splitAnyBlock } from "./parse-when.js";

const ACTION = /^def(?:ine)?\s+action\s/;

/** Words the odd layout that lines recorded, each place once. */
export function reportLayout(context: ParseContext, lines: readonly LayoutLine[], maxDepth: number): void {
  const waiting = [...lines].reverse();
  let isTooDeepReported = false;
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    reportBlanks(context, line);
    if (line.strayDedent) {
      const hint = "give it the indentation of the block it belongs to";
      context.report("CO-105", "indentation fits no block above", line, hint);
    }
    if (line.tooDeep && !isTooDeepReported) {
      isTooDeepReported = true;
      context.report(
        "CO-121",
        `blocks are nested more than ${maxDepth} deep`,
        line,
        "move the inner blocks into subflows",
      );
    }
    if (line.openString !== undefined) reportOpenString(context, line, line.openString);
    else if (line.kind === "docstring") reportAfterDocstring(context, line);
    if (ACTION.test(line.text)) continue;
    const [dedented] = ANY_BRANCH.test(line.text) ? splitAnyBlock(line).body : [];
    for (const child of line.children.toReversed()) {
      waiting.push(child === dedented ? { ...child, strayDedent: false } : child);
    }
  }
}

function reportBlanks(context: ParseContext, line: LayoutLine): void {
  if (!line.oddBlank) return;
  const character = context.source.text.slice(line.oddBlank.start, line.oddBlank.start + 1);
  const name = character === "\t" ? "tab" : `character U+${hexOf(character)}`;
  context.report("CO-103", `${name} in indentation`, line.oddBlank, "indent with spaces, two for each level");
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
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
  const start = line.end - rest.trimStart().length;
  context.report(
    "CO-110",
    `unexpected ${quoteText(rest)} after the docstring`,
    { start, end: line.end },
    "write it on the next line",
  );
}

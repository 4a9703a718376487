import type { LayoutLine } from "../../syntax/layout.js";
import type { ParseContext } from "./parse-context.js";

/** Words the odd layout that lines recorded, each place once. */
export function reportLayout(context: ParseContext, lines: readonly LayoutLine[], maxDepth: number): void {
  const waiting = [...lines].reverse();
  let isTooDeepReported = false;
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    if (line.oddBlank) reportBlank(context, line.oddBlank);
    if (line.strayDedent) {
      const hint = "give it the indentation of the block it belongs to";
      context.report("C2-105", "indentation fits no block above", line, hint);
    }
    if (line.tooDeep && !isTooDeepReported) {
      isTooDeepReported = true;
      const message = `blocks are nested more than ${maxDepth} deep`;
      context.report("C2-112", message, line, "move the inner blocks into flows");
    }
    for (const child of line.children.toReversed()) waiting.push(child);
  }
}

function reportBlank(context: ParseContext, range: NonNullable<LayoutLine["oddBlank"]>): void {
  const character = context.source.text.slice(range.start, range.start + 1);
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const name = character === "\t" ? "tab" : `character U+${code}`;
  context.report("C2-301", `${name} in indentation`, range, "indent with spaces, two for each level");
}

import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";

const DEFINE = /^def(?:ine)?\s/;
const FLOW_HEADER = /^(?:flow\s+\S|@(?:active|loop|meta|override)\b)/;
const STATEMENT = /^(?:match|send|start|await|activate)\s+\S/;

/** The first line that shows a source to be Colang 2.x; none if anything in it is defined as in Colang 1.0 (spec 1.2). */
export function findColang2(lines: readonly LayoutLine[]): TextRange | undefined {
  if (lines.some((line) => DEFINE.test(line.text))) return undefined;
  const waiting = [...lines].reverse();
  const outermost = new Set(lines);
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    const isSign = STATEMENT.test(line.text) || (outermost.has(line) && FLOW_HEADER.test(line.text));
    if (line.kind === "code" && isSign) return { start: line.start, end: line.end };
    waiting.push(...line.children.toReversed());
  }
  return undefined;
}

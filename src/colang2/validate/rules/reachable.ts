import type { Statement } from "../../ast.js";
import { blocksOf } from "../../walk.js";
import type { Rule, RuleInput } from "./rule.js";

const ENDS: ReadonlyMap<Statement["kind"], string> = new Map<Statement["kind"], string>([
  ["Return", "return"],
  ["Abort", "abort"],
  ["Break", "break"],
  ["Continue", "continue"],
]);

/** Nothing is executed behind a statement that leaves its block. */
export const reachable: Rule = (input) => checkBlock(input, input.flow.body);

function checkBlock(input: RuleInput, block: readonly Statement[]): void {
  const end = block.findIndex(({ kind }) => ENDS.has(kind));
  const dead = block[end + 1];
  if (end !== -1 && dead) {
    const word = ENDS.get((block[end] as Statement).kind) ?? "";
    input.report("C2-308", `never reached: it stands behind \`${word}\``, dead.span, "remove it, or move it in front");
  }
  for (const statement of block) for (const inner of blocksOf(statement)) checkBlock(input, inner);
}

import type { StatementOf, Spec, Statement } from "../../ast.js";
import { blocksOf } from "../../walk.js";
import type { Rule, RuleInput } from "./rule.js";
import { quoteText } from "../../../diagnostics/diagnostic.js";

/** Events of a reference that have certainly happened, by variable. */
type Past = Map<string, ReadonlySet<string>>;

const STARTED: ReadonlySet<string> = new Set(["Started"]);
const OVER: ReadonlySet<string> = new Set(["Started", "Finished"]);

/** A wait for what has certainly happened already waits forever. */
export const lateWaits: Rule = (input) => checkBlock(input, input.flow.body);

function checkBlock(input: RuleInput, block: readonly Statement[]): void {
  const past: Past = new Map();
  for (const statement of block) {
    const inner = blocksOf(statement);
    for (const one of inner) checkBlock(input, one);
    // Blocks inside are not followed.
    if (inner.length > 0) past.clear();
    else if (statement.kind === "Operation") checkOperation(input, statement, past);
    else if (statement.kind === "Assign") past.delete(statement.target.name);
  }
}

function checkOperation(input: RuleInput, { operator, group, target }: StatementOf<"Operation">, past: Past): void {
  if (operator === "match" && group.kind === "Spec") reportLate(input, group, past);
  if (target) past.delete(target.name);
  if (group.kind !== "Spec") return past.clear();
  const { reference } = group;
  if (operator === "await" && reference) past.set(reference.text, OVER);
  else if (operator === "start" && reference) past.set(reference.text, STARTED);
  else if (reference) past.delete(reference.text);
  if (operator === "start" && target?.path.length === 0) past.set(target.name, STARTED);
}

function reportLate({ report }: RuleInput, { callee, members, span }: Spec, past: Past): void {
  const [only, second] = members;
  if (callee.kind !== "VariableCallee" || !only || second || !past.get(callee.variable)?.has(only.name.text)) return;
  const hint =
    only.name.text === "Started"
      ? "remove it: the statement above has waited for that"
      : `write \`it finished $${callee.variable}\`, which goes on at once`;
  report(
    "C2-310",
    `${quoteText(`$${callee.variable}`)} has ${only.name.text.toLowerCase()} already, so this waits forever`,
    span,
    hint,
  );
}

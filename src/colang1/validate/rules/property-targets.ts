import type { Expression } from "../../../expressions/ast.js";
import type { Statement, StatementOf, Target } from "../../ast.js";
import { TEXT_VARIABLES } from "../../predefined-variables.js";
import { blocksOf } from "../../walk.js";
import type { Report, Rule } from "./rule.js";

const NO_MAP: ReadonlySet<Expression["kind"]> = new Set(["Literal", "List", "Set", "Template", "Compare", "Unary"]);

/**
 * CO-206: a property can be set only on a map. Reported where it is certain: a variable that always holds text, or one
 * that was given another value just before. The rest shows when the flow runs.
 */
export const propertyTargets: Rule = (_facts, report) => ({
  flow: ({ definition }) => checkBlock(definition.body, report),
});

function checkBlock(block: readonly Statement[], report: Report): void {
  const assigned = new Map<string, StatementOf<"Assign">>();
  for (const statement of block) {
    if ("target" in statement && statement.target) checkTarget(statement.target, assigned, report);
    if (statement.kind === "Assign") {
      if (statement.target.path.length > 0) continue;
      if (NO_MAP.has(statement.value.kind)) assigned.set(statement.target.name, statement);
      else assigned.delete(statement.target.name);
    } else {
      // Anything else may wait, jump or run an action, after which nothing is certain.
      assigned.clear();
      for (const inner of blocksOf(statement)) checkBlock(inner, report);
    }
  }
}

function checkTarget(
  { name, path, span }: Target,
  assigned: ReadonlyMap<string, StatementOf<"Assign">>,
  report: Report,
): void {
  const earlier = assigned.get(name);
  if (path.length === 0 || (!earlier && !TEXT_VARIABLES.has(name))) return;
  report("CO-206", `\`$${name}\` is not a map, so its property \`${path.join(".")}\` cannot be set`, {
    span,
    labels: earlier && [{ span: earlier.target.span, text: "given another value here" }],
    hint: earlier && `begin with \`$${name} = {}\``,
  });
}

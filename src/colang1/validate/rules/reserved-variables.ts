import { createSpan, type Span } from "../../../diagnostics/span.js";
import type { Statement } from "../../ast.js";
import { RESERVED_VARIABLES } from "../../predefined-variables.js";
import type { Rule } from "./rule.js";

/** CO-117: `$config` and `$event` are set by the engine, and constants never change. */
export const reservedVariables: Rule = ({ input }, report) => {
  const constants = input.constants ?? {};
  return {
    statement: (statement) => {
      for (const { name, span } of assignedNames(statement)) {
        if (!RESERVED_VARIABLES.has(name) && !Object.hasOwn(constants, name)) continue;
        report("CO-117", `variable \`$${name}\` cannot be assigned`, { span, hint: "use a variable of another name" });
      }
    },
  };
};

/** Arguments of `do` are assignments as well. */
function assignedNames(statement: Statement): { readonly name: string; readonly span: Span }[] {
  const names: { name: string; span: Span }[] = [];
  if ("target" in statement && statement.target) names.push(statement.target);
  if (statement.kind !== "Call") return names;
  for (const { name, start, end } of statement.arguments) {
    if (name !== undefined) names.push({ name, span: createSpan(statement.span.source, start, end) });
  }
  return names;
}

import { createSpan } from "../../../diagnostics/source-file.js";
import { walkExpression } from "../../../expressions/walk-expression.js";
import type { Rule } from "./rule.js";
import { quoteText } from "../../../diagnostics/diagnostic.js";

/** Defaults are evaluated when a flow starts, before it has variables. */
export const defaultValues: Rule = ({ flow, report }) => {
  for (const parameter of [...flow.parameters, ...flow.returnMembers]) {
    if (!parameter.default) continue;
    walkExpression(parameter.default, (part) => {
      if (part.kind !== "Variable" || part.name === "system") return;
      const span = createSpan(parameter.span.source, part.start, part.end);
      const hint = "assign it in the body: `if $x is None`";
      report(
        "C2-204",
        `the default of ${quoteText(`$${parameter.name}`)} reads ${quoteText(`$${part.name}`)}`,
        span,
        hint,
      );
    });
  }
};

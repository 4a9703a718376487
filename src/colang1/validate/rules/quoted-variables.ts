import { createSpan } from "../../../diagnostics/span.js";
import { quotedVariable } from "../../lower/lower-arguments.js";
import { argumentsOf } from "../../walk.js";
import type { Rule } from "./rule.js";

/** CO-308: `"$name"` as an argument stands for the variable, as it always did; without quotes it says so. */
export const quotedVariables: Rule = (_facts, report) => ({
  statement: (statement) => {
    for (const { value } of argumentsOf(statement)) {
      const name = quotedVariable(value);
      if (name === undefined) continue;
      report("CO-308", `the argument is the value of \`$${name}\`, not the text in quotes`, {
        span: createSpan(statement.span.source, value.start, value.end),
        hint: `write \`$${name}\` without quotes`,
      });
    }
  },
});

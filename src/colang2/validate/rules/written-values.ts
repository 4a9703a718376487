import { quoteText } from "../../../diagnostics/diagnostic.js";
import { createSpan } from "../../../diagnostics/source-file.js";
import { deferPattern } from "../../../diagnostics/defer-pattern.js";
import type { Expression } from "../../../expressions/ast.js";
import { walkExpression } from "../../../expressions/walk-expression.js";
import { expressionsOf, walkStatements } from "../../walk.js";
import { writtenIn } from "./rail-variables.js";
import type { Rule } from "./rule.js";

/** A flow with a constant priority outside of 0 to 1 fails at that statement. */
export const priorities: Rule = ({ flow, report }) => {
  walkStatements(flow.body, (statement) => {
    if (statement.kind !== "Priority" || !isWrongPriority(statement.value)) return;
    const span = createSpan(flow.span.source, statement.value.start, statement.value.end);
    const written = flow.span.source.text.slice(span.start, span.end);
    report(
      "C2-315",
      `${quoteText(written)} is not a priority, so the flow fails here`,
      span,
      "write a number from 0 to 1",
    );
  });
};

function isWrongPriority(value: Expression): boolean {
  if (value.kind === "Unary")
    return value.operator === "-" && value.operand.kind === "Literal" && value.operand.value !== 0;
  return value.kind === "Literal" && !(typeof value.value === "number" && value.value >= 0 && value.value <= 1);
}

const VARIABLE = deferPattern(String.raw`(?<![\p{L}\p{N}_$\\])\$([\p{L}_][\p{L}\p{N}_]*)`, "gu");

/** A variable stands in a string only in braces: `"Hello $name"` shows the name of the variable. */
export const variablesInStrings: Rule = ({ flow, report }) => {
  const known = new Set(writtenIn(flow));
  if (known.size === 0) return;
  walkStatements(flow.body, (statement) => {
    // Instructions for a model and descriptions may name variables.
    if (statement.kind === "GenerateValue" || statement.kind === "Docstring") return;
    for (const expression of expressionsOf(statement)) {
      walkExpression(expression, (part) => {
        for (const name of new Set(namesIn(part))) {
          if (!known.has(name)) continue;
          const span = createSpan(flow.span.source, part.start, part.end);
          const message = `${quoteText(`$${name}`)} in a string is only text`;
          report("C2-316", message, span, `write ${quoteText(`{$${name}}`)} for the value of the variable`);
        }
      });
    }
  });
};

/** Names behind `$` in the texts of a string. */
function namesIn(part: Expression): readonly string[] {
  const texts: readonly unknown[] = part.kind === "Template" ? part.parts : part.kind === "Literal" ? [part.value] : [];
  return texts.flatMap((text) =>
    typeof text === "string" && text.includes("$") ? [...text.matchAll(VARIABLE())].map(([, name = ""]) => name) : [],
  );
}

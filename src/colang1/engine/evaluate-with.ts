import type { Expression } from "../../expressions/ast.js";
import { evaluate } from "../../expressions/evaluate/evaluate.js";
import type { WorkBudget } from "../../expressions/evaluate/limits.js";
import { toValue, type Value } from "../../expressions/values/value.js";
import { COLANG_1_DIALECT } from "../expression-dialect.js";

/** Evaluates an expression of a program over the engine's variables. @throws GuardrailsError */
export function evaluateWith(expression: Expression, lookup: (name: string) => unknown, budget?: WorkBudget): Value {
  // Most arguments are constants; they need no evaluation.
  if (expression.kind === "Literal") return expression.value;
  return evaluate(expression, { lookup: (name) => toValue(lookup(name)) }, COLANG_1_DIALECT, { budget });
}

import type { Argument, Expression } from "../../expressions/ast.js";
import type { ElementArgument } from "../elements.js";

const QUOTED_VARIABLE = /^\$([A-Za-z_]\w*)$/;

/** Returns the name in an argument written as `"$name"`, which stands for the variable. */
export function quotedVariable(expression: Expression): string | undefined {
  if (expression.kind !== "Literal" || typeof expression.value !== "string") return undefined;
  return QUOTED_VARIABLE.exec(expression.value)?.[1];
}

/** Lowers arguments; positional ones get their names from a declared order. */
export function lowerArguments(given: readonly Argument[], order: readonly string[] | undefined): ElementArgument[] {
  let position = 0;
  return given.map((argument): ElementArgument => {
    const value = lowerValue(argument.value);
    const name = argument.name ?? order?.[position++];
    return name === undefined ? { value } : { name, value };
  });
}

function lowerValue(value: Expression): Expression {
  const name = quotedVariable(value);
  return name === undefined ? value : { kind: "Variable", name, start: value.start, end: value.end };
}

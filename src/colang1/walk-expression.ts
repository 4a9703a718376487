import type { Argument, Expression } from "../expressions/ast.js";

/** Calls back for an expression and everything inside it, outer parts first. */
export function walkExpression(expression: Expression, visit: (part: Expression) => void): void {
  visit(expression);
  for (const part of partsOf(expression)) walkExpression(part, visit);
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "Literal":
    case "Variable":
      return [];
    case "List":
    case "Set":
      return expression.items;
    case "Map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "Template":
      return expression.parts.filter((part): part is Expression => typeof part !== "string");
    case "Unary":
      return [expression.operand];
    case "Binary":
    case "Logical":
      return [expression.left, expression.right];
    case "Compare":
      return [expression.first, ...expression.rest.map((link) => link.operand)];
    case "Conditional":
      return [expression.test, expression.whenTrue, expression.whenFalse];
    case "Member":
      return [expression.object];
    case "Index":
      return [expression.object, expression.index];
    case "Slice":
      return [expression.object, expression.from, expression.to, expression.step].filter((part) => part !== undefined);
    case "Call":
      return valuesOf(expression.arguments);
    case "MethodCall":
      return [expression.object, ...valuesOf(expression.arguments)];
  }
}

function valuesOf(given: readonly Argument[]): Expression[] {
  return given.map((argument) => argument.value);
}

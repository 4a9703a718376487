import type { Argument, Expression } from "./ast.js";

/** The expressions directly inside one, in the order they are written. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "Literal":
    case "Variable":
      return [];
    case "List":
    case "Set":
      return node.items;
    case "Map":
      return node.entries.flatMap(({ key, value }) => (key === undefined ? [value] : [key, value]));
    case "Template":
      return node.parts.filter((part) => typeof part !== "string");
    case "Unary":
      return [node.operand];
    case "Binary":
    case "Logical":
      return [node.left, node.right];
    case "Compare":
      return [node.first, ...node.rest.map(({ operand }) => operand)];
    case "Conditional":
      return [node.whenTrue, node.test, node.whenFalse];
    case "Member":
      return [node.object];
    case "Index":
      return [node.object, node.index];
    case "Slice":
      return [node.object, node.from, node.to, node.step].filter((part) => part !== undefined);
    case "Call":
      return valuesOf(node.arguments);
    case "MethodCall":
      return [node.object, ...valuesOf(node.arguments)];
  }
}

/** Calls back for an expression and everything inside it, outer parts first. */
export function walkExpression(node: Expression, visit: (part: Expression) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walkExpression(child, visit);
}

function valuesOf(given: readonly Argument[]): readonly Expression[] {
  return given.map(({ value }) => value);
}

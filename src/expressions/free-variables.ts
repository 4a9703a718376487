import type { Argument, Expression } from "./ast.js";

/**
 * The names of the variables an expression reads, each once, in the order of their first appearance.
 *
 * @example
 * ```ts
 * freeVariables(expression); // ["a", "b"] for "$a + $b * $a"
 * ```
 */
export function freeVariables(expression: Expression): readonly string[] {
  const names = new Set<string>();
  collect(expression, names);
  return [...names];
}

function collect(node: Expression, names: Set<string>): void {
  if (node.kind === "Variable") {
    names.add(node.name);
    return;
  }
  for (const child of childrenOf(node)) collect(child, names);
}

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
      return node.entries.flatMap(({ key, value }) => [key, value]);
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

function valuesOf(given: readonly Argument[]): readonly Expression[] {
  return given.map(({ value }) => value);
}

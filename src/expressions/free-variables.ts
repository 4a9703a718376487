import type { Expression } from "./ast.js";
import { childrenOf } from "./children.js";

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

import type { Expression } from "./ast.js";
import { walkExpression } from "./children.js";

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
  walkExpression(expression, (part) => {
    if (part.kind === "Variable") names.add(part.name);
  });
  return [...names];
}

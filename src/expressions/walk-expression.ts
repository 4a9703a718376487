import type { Expression } from "./ast.js";

/** Returns the expressions directly inside one, in the order in which they are written. */
export function childrenOf(node: Expression): readonly Expression[] {
  return expressionsIn(Object.values(node)).toSorted((left, right) => left.start - right.start);
}

/** Returns the outermost expressions in plain data, in the order of its fields. */
export function expressionsIn(data: unknown): readonly Expression[] {
  const found: Expression[] = [];
  mapExpressions(data, (expression) => {
    found.push(expression);
    return expression;
  });
  return found;
}

/** Copies an expression with other expressions directly inside it. */
export function mapChildren(node: Expression, change: (child: Expression) => Expression): Expression {
  return mapFields(node, change) as Expression;
}

function mapFields(data: object, change: (child: Expression) => Expression): object {
  return Object.fromEntries(Object.entries(data).map(([name, field]) => [name, mapExpressions(field, change)]));
}

function mapExpressions(data: unknown, change: (child: Expression) => Expression): unknown {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map((item) => mapExpressions(item, change));
  return "kind" in data ? change(data as Expression) : mapFields(data, change);
}

/** Calls back for an expression and everything inside it, outer parts first. */
export function walkExpression(node: Expression, visit: (part: Expression) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walkExpression(child, visit);
}

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

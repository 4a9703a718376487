import type { Argument, Expression } from "./ast.js";

/** Returns the expressions directly inside one, in the order in which they are written. */
export function childrenOf(node: Expression): readonly Expression[] {
  const children: Expression[] = [];
  mapChildren(node, (child) => {
    children.push(child);
    return child;
  });
  return children;
}

/** Copies an expression with other expressions directly inside it. */
export function mapChildren(node: Expression, change: (child: Expression) => Expression): Expression {
  switch (node.kind) {
    case "Literal":
    case "Variable":
      return node;
    case "List":
    case "Set":
      return { ...node, items: node.items.map(change) };
    case "Map":
      return {
        ...node,
        entries: node.entries.map(({ key, value }) =>
          key === undefined ? { value: change(value) } : { key: change(key), value: change(value) },
        ),
      };
    case "Template":
      return { ...node, parts: node.parts.map((part) => (typeof part === "string" ? part : change(part))) };
    case "Unary":
      return { ...node, operand: change(node.operand) };
    case "Binary":
    case "Logical":
      return { ...node, left: change(node.left), right: change(node.right) };
    case "Compare":
      return {
        ...node,
        first: change(node.first),
        rest: node.rest.map(({ operator, operand }) => ({ operator, operand: change(operand) })),
      };
    case "Conditional":
      return {
        ...node,
        whenTrue: change(node.whenTrue),
        test: change(node.test),
        whenFalse: change(node.whenFalse),
      };
    case "Member":
      return { ...node, object: change(node.object) };
    case "Index":
      return { ...node, object: change(node.object), index: change(node.index) };
    case "Slice":
      return {
        ...node,
        object: change(node.object),
        ...(node.from && { from: change(node.from) }),
        ...(node.to && { to: change(node.to) }),
        ...(node.step && { step: change(node.step) }),
      };
    case "Call":
      return { ...node, arguments: changeArguments(node.arguments, change) };
    case "MethodCall":
      return {
        ...node,
        object: change(node.object),
        arguments: changeArguments(node.arguments, change),
      };
  }
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

function changeArguments(given: readonly Argument[], change: (value: Expression) => Expression): readonly Argument[] {
  return given.map((argument) => ({ ...argument, value: change(argument.value) }));
}

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
        test: change(node.test),
        whenTrue: change(node.whenTrue),
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
      return { ...node, arguments: node.arguments.map((each) => ({ ...each, value: change(each.value) })) };
    case "MethodCall":
      return {
        ...node,
        object: change(node.object),
        arguments: node.arguments.map((each) => ({ ...each, value: change(each.value) })),
      };
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

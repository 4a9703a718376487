import type { Expression } from "../../expressions/ast.js";

/** Expressions the compiler makes up have no place of their own. */
const NOWHERE = { start: 0, end: 0 } as const;

export function variable(name: string): Expression {
  return { kind: "Variable", name, ...NOWHERE };
}

export function member(object: Expression, name: string): Expression {
  return { kind: "Member", object, name, ...NOWHERE };
}

export function literal(value: string | number | boolean | null): Expression {
  return { kind: "Literal", value, ...NOWHERE };
}

export function list(items: readonly Expression[]): Expression {
  return { kind: "List", items, ...NOWHERE };
}

export function equals(left: Expression, right: Expression): Expression {
  return { kind: "Compare", first: left, rest: [{ operator: "==", operand: right }], ...NOWHERE };
}

import type { Target } from "../ast.js";
import type { ElementTarget } from "../elements.js";
import type { ExpandContext } from "./context.js";
import { Label } from "./element-writer.js";
import { equals, literal, member, variable } from "./expressions.js";
import { atomsOf, type GroupNode, isOpen, type OrNode, startsSomething } from "./group-tree.js";

/** Assigns the references of the atoms that are part of the winning side, in source order. */
export function addReferences(context: ExpandContext, node: GroupNode): void {
  if (!atomsOf(node).some(({ atom, isNegated }) => atom.reference !== undefined && !isNegated)) return;
  if (node.kind === "Atom") {
    const { reference } = node.atom;
    if (reference !== undefined && !node.isNegated) addReference(context, { name: reference, path: [] }, node.variable);
  } else if (node.kind === "And") {
    for (const operand of node.operands) addReferences(context, operand);
  } else addForWinner(context, node, (operand) => addReferences(context, operand));
}

/** Assigns the value of a group: of the winner, of the last operand of an `and`. */
export function addValue(context: ExpandContext, node: GroupNode, target: Target): void {
  if (node.kind === "Or") addForWinner(context, node, (operand) => addValue(context, operand, target));
  else if (node.kind === "And") {
    const last = node.operands.findLast((operand) => !isOpen(operand));
    if (last) addValue(context, last, target);
  } else {
    context.writer.set(target, member(variable(node.variable), "return_value"));
  }
}

export function addReference({ writer }: ExpandContext, target: ElementTarget, from: string): void {
  writer.set(target, variable(from));
}

/** The temporaries of a group keep nothing alive once it is over. */
export function addForget({ writer }: ExpandContext, starts: boolean, ...nodes: readonly GroupNode[]): void {
  const variables = nodes.flatMap((node) => temporariesOf(node, starts));
  if (variables.length > 0) writer.add(() => ({ kind: "Forget", variables }));
}

function temporariesOf(node: GroupNode, starts: boolean): readonly string[] {
  if (node.kind === "Atom") return node.isObserved || (starts && startsSomething(node)) ? [node.variable] : [];
  const inner = node.operands.flatMap((operand) => temporariesOf(operand, starts));
  return node.kind === "Or" && node.winner !== undefined ? [...inner, node.winner] : inner;
}

function addForWinner(
  { writer }: ExpandContext,
  { operands, winner = "" }: OrNode,
  add: (operand: GroupNode) => void,
): void {
  const end = new Label();
  operands.forEach((operand, at) => {
    if (isOpen(operand)) return;
    const next = new Label();
    const condition = equals(variable(winner), literal(at));
    writer.add(() => ({ kind: "GotoIf", condition, when: false, target: next.address }));
    add(operand);
    writer.goto(end);
    writer.label(next);
  });
  writer.label(end);
}

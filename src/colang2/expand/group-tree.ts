import type { DiagnosticCode } from "../../diagnostics/codes.js";
import type { Group, Target } from "../ast.js";
import { type Atom, readAtom } from "./atom.js";
import { type ExpandContext, report, equals, literal, member, variable, Label } from "./context.js";
import type { ElementTarget } from "../elements.js";

export interface AtomNode {
  readonly kind: "Atom";
  readonly atom: Atom;
  readonly isNegated: boolean;
  /** Temporary of this occurrence: the reference of the started flow or action, or of the matched event. */
  readonly variable: string;
  /** True if a later instruction reads the reference. */
  readonly isObserved: boolean;
}

export interface AndNode {
  readonly kind: "And";
  readonly operands: readonly GroupNode[];
}

export interface OrNode {
  readonly kind: "Or";
  readonly operands: readonly GroupNode[];
  /** Temporary for the index of the winning operand, if a later instruction reads it. */
  readonly winner?: string;
}

/** A normalised group: negations only at atoms, no `and` directly in an `and`, no `or` in an `or`. */
export type GroupNode = AtomNode | AndNode | OrNode;

interface ReadGroupOptions {
  /** True if the value or the reference of the whole is assigned. */
  readonly isObserved?: boolean;
  readonly isNegated?: boolean;
}

/** Reads the atoms of a group in source order; undefined if a problem was reported. */
export function readGroup(context: ExpandContext, group: Group, options: ReadGroupOptions = {}): GroupNode | undefined {
  const { isObserved = false, isNegated = false } = options;
  if (group.kind === "Not") return readGroup(context, group.operand, { isObserved, isNegated: !isNegated });
  if (group.kind === "Spec") {
    const atom = readAtom(context, group);
    if (!atom) return undefined;
    const variable = context.writer.newTemporary();
    return { kind: "Atom", atom, isNegated, variable, isObserved: isObserved || atom.reference !== undefined };
  }
  // De Morgan: a negated `and` is an `or` of negations.
  const kind = (group.kind === "And") === isNegated ? "Or" : "And";
  const found = group.operands.map((operand) => readGroup(context, operand, options));
  const operands = found.filter((node) => node !== undefined);
  if (operands.length < found.length) return undefined;
  const flat = operands.flatMap((node) => (node.kind === kind ? node.operands : [node]));
  if (kind === "And") return { kind, operands: flat };
  const isRead = flat.some((node) => atomsOf(node).some((member) => member.isObserved));
  return isRead ? { kind, operands: flat, winner: context.writer.newTemporary() } : { kind, operands: flat };
}

/** Returns true for a group of only negated literals: it is never true, and open until violated. */
export function isOpen(node: GroupNode): boolean {
  return node.kind === "Atom" ? node.isNegated : node.operands.every(isOpen);
}

export function atomsOf(node: GroupNode): readonly AtomNode[] {
  return node.kind === "Atom" ? [node] : node.operands.flatMap(atomsOf);
}

export function hasOr(node: GroupNode): boolean {
  return node.kind !== "Atom" && (node.kind === "Or" || node.operands.some(hasOr));
}

/** Returns true if awaiting the atom starts a flow or an action first. */
export function startsSomething({ atom }: AtomNode): boolean {
  return atom.kind !== "event" && atom.member === undefined;
}

/** Returns the reason why an operation does not accept an atom. */
export type AtomProblem = readonly [code: DiagnosticCode, message: string, hint: string];

/** Reports the atoms of a group that an operation does not accept; returns true if there are none. */
export function checkAtoms(
  context: ExpandContext,
  node: GroupNode,
  problemOf: (node: AtomNode) => AtomProblem | undefined,
): boolean {
  const before = context.diagnostics.length;
  for (const member of atomsOf(node)) {
    const problem = problemOf(member);
    if (problem) report(context, problem[0], problem[1], { span: member.atom.span, hint: problem[2] });
  }
  return context.diagnostics.length === before;
}

/** Hint for a `not` after an operation that does not support it. */
export const NOT_HINT = "`not` belongs to `match`, `await` and `when`";

/** Assigns the references of the atoms on the winning side, in source order. */
export function addReferences(context: ExpandContext, node: GroupNode): void {
  if (!atomsOf(node).some(({ atom: member, isNegated }) => member.reference !== undefined && !isNegated)) return;
  if (node.kind === "Atom") {
    const { reference } = node.atom;
    if (reference !== undefined && !node.isNegated) addReference(context, { name: reference, path: [] }, node.variable);
  } else if (node.kind === "And") {
    for (const operand of node.operands) addReferences(context, operand);
  } else addForWinner(context, node, (operand) => addReferences(context, operand));
}

/** Assigns the value of a group: that of the winner, or of the last operand of an `and`. */
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

/** Temporaries are removed with their group, so that they keep nothing alive. */
export function addForget({ writer }: ExpandContext, variables: readonly string[]): void {
  if (variables.length > 0) writer.add(() => ({ kind: "Forget", variables }));
}

/** @param starts - true if what the group names was started */
export function temporariesOf(node: GroupNode, starts: boolean): readonly string[] {
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

import type { DiagnosticCode } from "../../diagnostics/codes.js";
import type { Group } from "../ast.js";
import { type Atom, readAtom } from "./atom.js";
import { type ExpandContext, report } from "./context.js";

export interface AtomNode {
  readonly kind: "Atom";
  readonly atom: Atom;
  readonly isNegated: boolean;
  /** The temporary of this occurrence: the reference of what was started, or of the event that came. */
  readonly variable: string;
  /** A later instruction reads the reference. */
  readonly isObserved: boolean;
}

export interface AndNode {
  readonly kind: "And";
  readonly operands: readonly GroupNode[];
}

export interface OrNode {
  readonly kind: "Or";
  readonly operands: readonly GroupNode[];
  /** The temporary with the index of the operand that won, if a later instruction reads it. */
  readonly winner?: string;
}

/** A group as it is evaluated: negations only at atoms, no `and` directly in an `and`, no `or` in an `or`. */
export type GroupNode = AtomNode | AndNode | OrNode;

export interface ReadGroupOptions {
  /** The value or the reference of the whole is assigned. */
  readonly isObserved?: boolean;
  readonly isNegated?: boolean;
}

/** Reads the atoms of a group in source order; undefined when something about one was reported. */
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
  const isRead = flat.some((node) => atomsOf(node).some((atom) => atom.isObserved));
  return isRead ? { kind, operands: flat, winner: context.writer.newTemporary() } : { kind, operands: flat };
}

/** Returns true for a group of negated literals only: it is never true, and open until violated. */
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

/** The reason why an operation does not take an atom. */
export type AtomProblem = readonly [code: DiagnosticCode, message: string, hint: string];

/** Reports the atoms of a group that an operation does not take; returns true if there are none. */
export function checkAtoms(
  context: ExpandContext,
  node: GroupNode,
  problemOf: (node: AtomNode) => AtomProblem | undefined,
): boolean {
  const before = context.diagnostics.length;
  for (const each of atomsOf(node)) {
    const problem = problemOf(each);
    if (problem) report(context, problem[0], problem[1], each.atom.span, problem[2]);
  }
  return context.diagnostics.length === before;
}

/** Hint for a `not` behind an operation that takes none. */
export const NOT_HINT = "`not` belongs to `match`, `await` and `when`";

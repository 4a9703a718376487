import { patternOf } from "./atom.js";
import { addWait, type ExpandContext, addFinishedWait, literal, Label } from "./context.js";
import {
  type AndNode,
  type AtomNode,
  atomsOf,
  type GroupNode,
  isOpen,
  type OrNode,
  startsSomething,
} from "./group-tree.js";
import { addStart } from "./start-atom.js";

/**
 * The action of a branch when its start phase is over: the next operand of an `and` begins, or the branch of an `or` is noted as
 * started, until all of them are.
 */
type AfterStart =
  | { readonly kind: "spawn"; readonly fork: number; readonly target: Label }
  | { readonly kind: "ready"; readonly fork: number; readonly into: number; readonly target: Label };

interface GroupContext {
  readonly context: ExpandContext;
  /** `match` starts nothing. */
  readonly starts: boolean;
}

/**
 * Writes the evaluation of a group as a tree: every atom once, start phase and wait phase. Behind it the group is
 * true; where it is false the head goes to the handler around it.
 *
 * INVARIANT: a flow grows with the size of its groups, never with the product of their alternatives.
 */
export function addGroup(context: ExpandContext, node: GroupNode, starts: boolean): void {
  addNode({ context, starts }, node, undefined, undefined);
}

function addNode(around: GroupContext, node: GroupNode, after: AfterStart | undefined, fork: number | undefined): void {
  if (node.kind === "And") addAnd(around, node, after);
  else if (node.kind === "Or") addOr(around, node, after, fork);
  else if (node.isNegated) addNegated(around, node, after);
  else {
    if (isStarted(around, node)) addStart(around.context, node);
    addAfterStart(around, after);
    addAtomWait(around, node);
  }
}

function isStarted({ starts }: GroupContext, node: AtomNode): boolean {
  return starts && startsSomething(node);
}

/** The reference of the event goes to the temporary of the atom, unless that holds what was started. */
function addAtomWait(around: GroupContext, node: AtomNode): void {
  const { context } = around;
  const pattern = patternOf(node.atom);
  if (isStarted(around, node)) addFinishedWait(context, node.variable);
  else if (pattern) addWait(context, pattern, { event: node.isObserved ? node.variable : undefined });
}

/** Writes a negated literal: the event it waits for violates it; when that has become impossible it stays open. */
function addNegated(around: GroupContext, node: AtomNode, after: AfterStart | undefined): void {
  const { writer } = around.context;
  const closed = new Label();
  const closedInStart = new Label();
  const starts = isStarted(around, node);
  if (starts) {
    writer.add(() => ({ kind: "PushHandler", target: closedInStart.address }));
    addStart(around.context, node);
    writer.add(() => ({ kind: "PopHandler" }));
  }
  addAfterStart(around, after);
  const canClose = starts || patternOf(node.atom)?.form === "reference";
  if (canClose) writer.add(() => ({ kind: "PushHandler", target: closed.address }));
  addAtomWait(around, node);
  if (canClose) writer.add(() => ({ kind: "PopHandler" }));
  writer.add(() => ({ kind: "Fail", isAbort: false }));
  if (starts) {
    writer.label(closedInStart);
    addAfterStart(around, after);
  }
  if (!canClose) return;
  writer.label(closed);
  writer.add(() => ({ kind: "Idle" }));
}

/** Writes an `and`: true when all operands but the open ones are, false with the first that is. */
function addAnd(around: GroupContext, node: AndNode, after: AfterStart | undefined): void {
  const { writer } = around.context;
  const joined = new Label();
  const { operands } = node;
  const branches = operands.map(() => new Label());
  // Operands that start something begin one after the other, each when the one before has been started.
  const isSequence = atomsOf(node).some((atom) => isStarted(around, atom));
  const targets = isSequence ? branches.slice(0, 1) : branches;
  const { fork, failed } = writer.beginFork(targets);
  operands.forEach((operand, at) => {
    const next = isSequence ? branches[at + 1] : undefined;
    writer.label(branches[at] as Label);
    addNode(around, operand, next ? { kind: "spawn", fork, target: next } : after, fork);
    if (!isOpen(operand)) writer.goto(joined);
  });
  writer.label(failed);
  writer.failFork(fork);
  const count = operands.filter((operand) => !isOpen(operand)).length;
  writer.label(joined);
  if (count === 0) return;
  writer.add(() => ({ kind: "Join", count }));
  writer.endFork(fork);
}

/** Writes an `or`: true as soon as one operand is, false when all are. */
function addOr(
  around: GroupContext,
  { operands, winner }: OrNode,
  after: AfterStart | undefined,
  outer: number | undefined,
): void {
  const { writer } = around.context;
  const end = new Label();
  const branches = operands.map(() => new Label());
  const stub = after?.kind === "ready" ? new Label() : undefined;
  const { fork, failed } = writer.beginFork(branches);
  const ready = after && readyOf(fork, after, stub, outer);
  operands.forEach((operand, at) => {
    writer.label(branches[at] as Label);
    addNode(around, operand, ready, fork);
    if (isOpen(operand)) return;
    writer.endFork(fork);
    if (winner !== undefined) writer.set({ name: winner, path: [] }, literal(at));
    writer.goto(end);
  });
  writer.label(failed);
  if (ready) addReady(around, ready, true);
  writer.add(() => ({ kind: "Join", count: operands.length }));
  writer.failFork(fork);
  if (stub && after) {
    writer.label(stub);
    addAfterStart(around, after);
    writer.add(() => ({ kind: "Vanish" }));
  }
  writer.label(end);
}

type Ready = Extract<AfterStart, { kind: "ready" }>;

/**
 * Returns the note of the branches of an `or`. Behind the last of them the next operand of the `and` around begins; where the branch of
 * another `or` has to be noted, a head of the fork around does so.
 */
function readyOf(fork: number, after: AfterStart, stub: Label | undefined, outer: number | undefined): Ready {
  if (after.kind === "spawn") return { kind: "ready", fork, into: after.fork, target: after.target };
  return { kind: "ready", fork, into: outer ?? after.into, target: stub ?? after.target };
}

function addAfterStart(around: GroupContext, after: AfterStart | undefined): void {
  if (after?.kind === "spawn") {
    const { fork, target } = after;
    around.context.writer.add(() => ({ kind: "Spawn", fork, target: target.address }));
  } else if (after) addReady(around, after, false);
}

function addReady({ context }: GroupContext, { fork, into, target }: Ready, failed: boolean): void {
  context.writer.add(() => ({ kind: "Ready", fork, failed, into, target: target.address }));
}

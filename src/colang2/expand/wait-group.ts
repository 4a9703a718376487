import { patternOf } from "./atom.js";
import { addWait, type ExpandContext, addFinishedWait, literal, Label, addStartedWait } from "./context.js";
import {
  type AndNode,
  type AtomNode,
  atomsOf,
  type GroupNode,
  isOpen,
  type OrNode,
  startsSomething,
  type AtomProblem,
  checkAtoms,
  hasOr,
  readGroup,
  addForget,
  temporariesOf,
  addReference,
  addReferences,
  addValue,
} from "./group-tree.js";
import type { StatementOf } from "../ast.js";
import { quoteText } from "../../diagnostics/diagnostic.js";

/**
 * Action of a branch at the end of its start phase: the next operand of an `and` begins, or the branch of an `or` is
 * noted as started, until all of them are.
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
 * Writes the evaluation of a group as a tree: every atom once, start phase and wait phase. Execution continues after it
 * if the group is true, and at the enclosing handler if it is false.
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

/** The temporary of the atom gets the reference of the event, unless it holds the started flow or action. */
function addAtomWait(around: GroupContext, node: AtomNode): void {
  const { context } = around;
  const pattern = patternOf(node.atom);
  if (isStarted(around, node)) addFinishedWait(context, node.variable);
  else if (pattern) addWait(context, pattern, { event: node.isObserved ? node.variable : undefined });
}

/** Writes a negated literal: its event violates it; once that is impossible, it stays open. */
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

/** Writes an `and`: true once all non-open operands are, false with the first false one. */
function addAnd(around: GroupContext, node: AndNode, after: AfterStart | undefined): void {
  const { writer } = around.context;
  const joined = new Label();
  const { operands } = node;
  const branches = operands.map(() => new Label());
  // Starting operands begin one after another, each once the previous one has started.
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

/** Writes an `or`: true once one operand is, false once all are. */
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
 * Returns the note of the branches of an `or`. After the last of them, the next operand of the enclosing `and` begins;
 * if the branch of another `or` must be noted, a head of the enclosing fork does so.
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

/**
 * Starts the flow, action or reference of an atom and waits for its start; the temporary of the atom has the reference.
 */
export function addStart(context: ExpandContext, { atom, variable: name }: AtomNode): void {
  switch (atom.kind) {
    case "flow":
      return addFlowStart(context, { flow: atom.name, arguments: atom.arguments, variable: name });
    case "action": {
      const { name: action, arguments: given } = atom;
      context.writer.add(() => ({ kind: "NewAction", action, arguments: given, variable: name }));
      return addActionStart(context, name);
    }
    case "reference": {
      const { value, arguments: given } = atom;
      const isFlow = new Label();
      const end = new Label();
      const { writer } = context;
      writer.add(() => ({ kind: "StartReference", value, arguments: given, variable: name, activate: false }));
      writer.add(() => ({ kind: "GotoIfFlow", variable: name, target: isFlow.address }));
      addActionStart(context, name);
      writer.goto(end);
      writer.label(isFlow);
      addStartedWait(context, name);
      return writer.label(end);
    }
    case "event":
      // INVARIANT: events are rejected before anything is started.
      return undefined;
  }
}

function addFlowStart(
  context: ExpandContext,
  start: { readonly flow: string; readonly arguments: AtomNode["atom"]["arguments"]; readonly variable: string },
): void {
  context.writer.add(() => ({ kind: "StartFlow", ...start, activate: false, shareContext: false }));
  addStartedWait(context, start.variable);
}

function addActionStart({ writer }: ExpandContext, name: string): void {
  writer.add(() => ({
    kind: "Act",
    request: { form: "action", variable: name, request: "Start", arguments: [] },
  }));
}

/** `await X`: starts, then waits until it has finished. */
export function expandAwait(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group, { isObserved: target !== undefined });
  if (!node || !checkAtoms(context, node, problemOfAwaited)) return;
  if (node.kind === "Atom" && !node.isNegated && node.atom.kind !== "event" && !node.atom.member) {
    addStart(context, node);
    if (node.atom.reference !== undefined)
      addReference(context, { name: node.atom.reference, path: [] }, node.variable);
    addFinishedWait(context, node.variable);
  } else {
    addScoped(context, node);
    addReferences(context, node);
  }
  if (target) addValue(context, node, target);
  addForget(context, temporariesOf(node, true));
}

/** Afterwards, stops the losers of an `or`, and flows started only to be observed. */
function addScoped(context: ExpandContext, node: GroupNode): void {
  const { writer } = context;
  const scope = hasOr(node) || atomsOf(node).some(isWatched) ? writer.newScope() : undefined;
  if (scope !== undefined) writer.add(() => ({ kind: "OpenScope", scope }));
  addGroup(context, node, true);
  if (scope !== undefined) writer.add(() => ({ kind: "CloseScope", scope }));
}

function isWatched(node: AtomNode): boolean {
  return node.isNegated && startsSomething(node);
}

function problemOfAwaited({ atom }: AtomNode): AtomProblem | undefined {
  if (atom.kind !== "event") return undefined;
  const { name } = atom;
  const hint = `write ${quoteText(`match ${name}()`)} to wait for it, or ${quoteText(`send ${name}()`)} to send it`;
  return ["C2-118", `${quoteText(name)} is an event and cannot be awaited`, hint];
}

/** `match G`: waits for events and starts nothing. */
export function expandMatch(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group, { isObserved: target !== undefined });
  if (!node || !checkAtoms(context, node, problemOfMatched)) return;
  addGroup(context, node, false);
  addReferences(context, node);
  if (target) addValue(context, node, target);
  addForget(context, temporariesOf(node, false));
}

function problemOfMatched({ atom }: AtomNode): AtomProblem | undefined {
  if (atom.kind === "event" || atom.kind === "reference" || atom.member) return undefined;
  const what = atom.kind === "flow" ? "a flow" : "an action";
  const hint = `write ${quoteText(`await ${atom.name}`)}, or wait for an event of it, as \`.Finished()\``;
  return ["C2-118", `${quoteText(atom.name)} is ${what} and no event`, hint];
}

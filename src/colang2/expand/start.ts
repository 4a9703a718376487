import type { StatementOf, Target } from "../ast.js";
import type { ExpandContext } from "./context.js";
import { Label } from "./element-writer.js";
import { type AtomNode, type AtomProblem, checkAtoms, NOT_HINT, type GroupNode, readGroup } from "./group-tree.js";
import { addForget, addReference } from "./group-results.js";
import { addStart } from "./start-atom.js";

interface Start {
  readonly context: ExpandContext;
  /** `$v = start …` binds like `start … as $v`. */
  readonly target?: Target | undefined;
}

/** `start G`: an `and` is a sequence, an `or` starts all its operands and goes on when all have been. */
export function expandStart(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group);
  if (!node || !checkAtoms(context, node, problemOfStarted)) return;
  addNode({ context, target }, node);
  addForget(context, true, node);
}

function addNode(start: Start, node: GroupNode): void {
  const { context, target } = start;
  if (node.kind === "And") {
    for (const operand of node.operands) addNode(start, operand);
  } else if (node.kind === "Or") addOr(start, node.operands);
  else {
    addStart(context, node);
    const { reference } = node.atom;
    if (reference !== undefined) addReference(context, { name: reference, path: [] }, node.variable);
    if (target) addReference(context, target, node.variable);
  }
}

function addOr(start: Start, operands: readonly GroupNode[]): void {
  const { writer } = start.context;
  const done = new Label();
  const branches = operands.map(() => new Label());
  const { fork, failed } = writer.beginFork(branches);
  const addReady = (isFailed: boolean): void =>
    writer.add(() => ({ kind: "Ready", fork, failed: isFailed, into: fork, target: done.address }));
  operands.forEach((operand, at) => {
    writer.label(branches[at] as Label);
    addNode(start, operand);
    addReady(false);
    writer.add(() => ({ kind: "Idle" }));
  });
  writer.label(failed);
  addReady(true);
  writer.add(() => ({ kind: "Join", count: operands.length }));
  writer.failFork(fork);
  writer.label(done);
  writer.endFork(fork);
}

function problemOfStarted({ atom, isNegated }: AtomNode): AtomProblem | undefined {
  if (isNegated) return ["C2-119", "`not` cannot be started", NOT_HINT];
  if (atom.kind !== "event" && atom.member === undefined) return undefined;
  return ["C2-118", "an event cannot be started", "`start` takes flows and actions; events are sent: `send`"];
}

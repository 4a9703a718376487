import type { StatementOf, Target } from "../ast.js";
import { type ExpandContext, report } from "./context.js";
import { Label } from "./element-writer.js";
import { type AtomNode, atomsOf, type GroupNode, readGroup } from "./group-tree.js";
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
  if (!node || !checkStarted(context, node)) return;
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

function checkStarted(context: ExpandContext, node: GroupNode): boolean {
  const wrong = atomsOf(node).filter(isNotStartable);
  for (const { atom, isNegated } of wrong) {
    if (isNegated)
      report(context, "C2-119", "`not` cannot be started", atom.span, "`not` belongs to `match`, `await` and `when`");
    else
      report(
        context,
        "C2-118",
        "an event cannot be started",
        atom.span,
        "`start` takes flows and actions; events are sent: `send`",
      );
  }
  return wrong.length === 0;
}

function isNotStartable({ atom, isNegated }: AtomNode): boolean {
  return isNegated || atom.kind === "event" || atom.member !== undefined;
}

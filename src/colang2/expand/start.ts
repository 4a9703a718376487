import type { StatementOf, Target, Group, Operator } from "../ast.js";
import { type ExpandContext, addWait, report } from "./context.js";
import { Label } from "./element-writer.js";
import {
  type AtomNode,
  type AtomProblem,
  checkAtoms,
  NOT_HINT,
  type GroupNode,
  readGroup,
  addForget,
  addReference,
} from "./group-tree.js";
import { addStart } from "./start-atom.js";
import type { Atom } from "./atom.js";

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

/** `stop`, `activate` and `deactivate`: sequences, and nothing that could be assigned. */
export function expandSequence(context: ExpandContext, statement: StatementOf<"Operation">): void {
  const { operator, target } = statement;
  if (target) {
    const hint = operator === "activate" ? "`start` gives a reference" : "leave out the assignment";
    report(context, "C2-122", `\`${operator}\` has no value`, target.span, hint);
  }
  const atoms = readSequence(context, statement.group, operator);
  if (!atoms) return;
  for (const node of atoms) {
    if (operator === "stop") addStop(context, node.atom, false);
    else if (operator === "deactivate") addStop(context, node.atom, true);
    else addActivate(context, node);
  }
  if (operator === "activate") addForget(context, true, ...atoms);
}

function readSequence(context: ExpandContext, group: Group, operator: Operator): readonly AtomNode[] | undefined {
  const specs = group.kind === "And" ? group.operands : [group];
  const nodes: AtomNode[] = [];
  let isGood = true;
  for (const spec of specs) {
    if (spec.kind !== "Spec") {
      const word = spec.kind === "Not" ? "not" : spec.kind === "Or" ? "or" : "and";
      const hint = "list what belongs together with `and`, without parentheses";
      report(context, "C2-119", `\`${word}\` is not possible after \`${operator}\``, spec.span, hint);
      isGood = false;
      continue;
    }
    const node = readGroup(context, spec);
    if (node?.kind === "Atom" && checkAtom(context, node.atom, operator)) nodes.push(node);
    else isGood = false;
  }
  return isGood ? nodes : undefined;
}

function checkAtom(context: ExpandContext, atom: Atom, operator: Operator): boolean {
  const isWhole = atom.kind !== "event" && !atom.member;
  if (isWhole && (operator === "stop" || atom.kind !== "action")) return true;
  const what = isWhole ? "an action" : "an event";
  const takes = operator === "stop" ? "flows, actions and references to them" : "flows";
  const hint = `\`${operator}\` takes ${takes}`;
  report(context, "C2-118", `${what} is not possible after \`${operator}\``, atom.span, hint);
  return false;
}

function addStop({ writer }: ExpandContext, atom: Atom, deactivate: boolean): void {
  if (atom.kind === "reference") {
    const { value, arguments: given } = atom;
    return writer.add(() => ({ kind: "SendReference", value, request: "Stop", deactivate, arguments: given }));
  }
  if (atom.kind === "flow") {
    const { name: flow, arguments: flowArguments } = atom;
    const request = { form: "flows", flow, request: "Stop", deactivate, flowArguments, arguments: [] } as const;
    return writer.add(() => ({ kind: "Emit", request }));
  }
  const { name: action, arguments: startArguments } = atom;
  const request = { form: "actions", action, request: "Stop", startArguments, arguments: [] } as const;
  return writer.add(() => ({ kind: "Act", request }));
}

function addActivate(context: ExpandContext, { atom, variable }: AtomNode): void {
  const { writer } = context;
  if (atom.kind === "reference") {
    const { value, arguments: given } = atom;
    writer.add(() => ({ kind: "StartReference", value, arguments: given, variable, activate: true }));
  } else if (atom.kind === "flow") {
    const { name: flow, arguments: given } = atom;
    writer.add(() => ({
      kind: "StartFlow",
      flow,
      arguments: given,
      variable,
      activate: true,
      shareContext: false,
    }));
  }
  addWait(context, { form: "activated", variable }, { quiet: true });
}

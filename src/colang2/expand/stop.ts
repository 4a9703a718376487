import type { Group, StatementOf, Operator } from "../ast.js";
import type { Atom } from "./atom.js";
import { addWait, type ExpandContext, report } from "./context.js";
import { type AtomNode, readGroup } from "./group-tree.js";
import { addForget } from "./group-results.js";

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

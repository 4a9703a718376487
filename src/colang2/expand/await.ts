import type { StatementOf } from "../ast.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import { type ExpandContext, report, addFinishedWait } from "./context.js";
import { type AtomNode, atomsOf, type GroupNode, hasOr, readGroup, startsSomething } from "./group-tree.js";
import { addForget, addReference, addReferences, addValue } from "./group-results.js";
import { addStart } from "./start-atom.js";
import { addGroup } from "./wait-group.js";

/** `await X`: starts, then waits until it has finished. */
export function expandAwait(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group, { isObserved: target !== undefined });
  if (!node || !checkAwaited(context, node)) return;
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
  addForget(context, true, node);
}

/** Stops the losers of an `or` afterwards, and flows that were started only to be watched. */
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

function checkAwaited(context: ExpandContext, node: GroupNode): boolean {
  const wrong = atomsOf(node).filter(({ atom }) => atom.kind === "event");
  for (const { atom } of wrong) {
    const name = atom.kind === "event" ? atom.name : "";
    report(context, "C2-118", `${quoteText(name)} is an event and cannot be awaited`, atom.span, eventHint(name));
  }
  return wrong.length === 0;
}

function eventHint(name: string): string {
  return `write ${quoteText(`match ${name}()`)} to wait for it, or ${quoteText(`send ${name}()`)} to send it`;
}

/** `match G`: waits for events and starts nothing. */
export function expandMatch(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group, { isObserved: target !== undefined });
  if (!node || !checkMatched(context, node)) return;
  addGroup(context, node, false);
  addReferences(context, node);
  if (target) addValue(context, node, target);
  addForget(context, false, node);
}

function checkMatched(context: ExpandContext, node: GroupNode): boolean {
  const wrong = atomsOf(node).filter(isNoEvent);
  for (const { atom } of wrong) {
    if (atom.kind === "event") continue;
    const name = atom.kind === "reference" ? "" : atom.name;
    const hint = `write ${quoteText(`await ${name}`)}, or wait for an event of it, as \`.Finished()\``;
    report(
      context,
      "C2-118",
      `${quoteText(name)} is ${atom.kind === "flow" ? "a flow" : "an action"} and no event`,
      atom.span,
      hint,
    );
  }
  return wrong.length === 0;
}

function isNoEvent({ atom }: AtomNode): boolean {
  return (atom.kind === "flow" || atom.kind === "action") && !atom.member;
}

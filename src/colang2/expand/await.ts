import type { StatementOf } from "../ast.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import { type ExpandContext, addFinishedWait } from "./context.js";
import {
  type AtomNode,
  type AtomProblem,
  atomsOf,
  checkAtoms,
  type GroupNode,
  hasOr,
  readGroup,
  startsSomething,
  addForget,
  addReference,
  addReferences,
  addValue,
} from "./group-tree.js";
import { addStart } from "./start-atom.js";
import { addGroup } from "./wait-group.js";

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
  addForget(context, false, node);
}

function problemOfMatched({ atom }: AtomNode): AtomProblem | undefined {
  if (atom.kind === "event" || atom.kind === "reference" || atom.member) return undefined;
  const what = atom.kind === "flow" ? "a flow" : "an action";
  const hint = `write ${quoteText(`await ${atom.name}`)}, or wait for an event of it, as \`.Finished()\``;
  return ["C2-118", `${quoteText(atom.name)} is ${what} and no event`, hint];
}

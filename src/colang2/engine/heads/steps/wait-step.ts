import type { ElementOf } from "../../../elements.js";
import { buildPattern } from "../build-pattern.js";
import type { EngineState, Head } from "../../state/state.js";
import type { Move, Step } from "./move.js";

export function wait({ state, head, element }: Step<ElementOf<"Wait">>): Move {
  head.pattern = buildPattern(state, head.instance, element.pattern);
  head.waits = element.quiet ? "quiet" : "open";
  if (!element.quiet) head.instance.hasWaited = true;
  state.index.add(head);
  for (const name of element.reads) {
    if (head.instance.globalNames.has(name)) readsGlobal(state, head, name);
  }
  warnIfLate(state, head);
  return "wait";
}

function readsGlobal(state: EngineState, head: Head, name: string): void {
  const readers = state.globalReaders.get(name);
  if (readers === undefined) state.globalReaders.set(name, new Set([head]));
  else readers.add(head);
}

/** A bound wait whose event has been there goes on waiting (R-LATE). */
function warnIfLate(state: EngineState, head: Head): void {
  const { bound, isOnce, names } = head.pattern ?? {};
  if (bound === undefined || isOnce !== true || head.waits === "quiet") return;
  const isExpected = state.expected.has(bound.uid) || state.queue.some((event) => event.flow?.uid === bound.uid);
  const isKnown = bound.kind === "flow" ? state.instances.has(bound.uid) || isExpected : true;
  if (isKnown) return;
  const message = `${names?.join(" or ")} is waited for after the flow has ended; \`it finished\` also sees what is over`;
  state.trace.push({ type: "warning", code: "C2-406", message, flow: head.instance.definition.id });
}

import type { ElementOf } from "../../../elements.js";
import { buildPattern } from "../build-pattern.js";
import type { FlowInstance, Head } from "../../state/records.js";
import type { EngineState } from "../../state/state.js";
import type { Move, Step } from "./move.js";

export function wait({ state, instance, head, element }: Step<ElementOf<"Wait">>): Move {
  head.pattern = buildPattern(state, instance, element.pattern);
  head.waits = element.quiet ? "quiet" : "open";
  if (!element.quiet) instance.hasWaited = true;
  state.index.addWait(head, globalsReadBy(element, instance), false);
  warnIfLate(state, instance, head);
  return "wait";
}

/** Names of the global variables that the pattern of a wait reads. */
export function globalsReadBy({ reads }: ElementOf<"Wait">, { globalNames }: FlowInstance): readonly string[] {
  return reads.length === 0 ? reads : reads.filter((name) => globalNames.includes(name));
}

/** A bound wait whose event has passed continues to wait, with a warning. */
function warnIfLate(state: EngineState, instance: FlowInstance, head: Head): void {
  const { bound, isOnce, names } = head.pattern ?? {};
  if (bound === undefined || isOnce !== true || head.waits === "quiet") return;
  const isExpected =
    state.round.expected.has(bound.uid) || state.round.queue.some((event) => event.flow?.uid === bound.uid);
  const isKnown = bound.kind === "flow" ? state.data.flows.has(bound.uid) || isExpected : true;
  if (isKnown) return;
  const message = `${names?.join(" or ")} is waited for after the flow has ended; \`it finished\` also sees what is over`;
  state.round.trace.push({ type: "warning", code: "C2-406", message, flow: instance.flow });
}

import type { ElementOf } from "../../../elements.js";
import { buildPattern } from "../build-pattern.js";
import type { FlowInstance, ReadyPattern } from "../../state/records.js";
import type { EngineState } from "../../state/state.js";
import type { Move, Step } from "./move.js";

export function wait({ state, instance, head, element }: Step<ElementOf<"Wait">>): Move {
  head.pattern = buildPattern(state, instance, element.pattern);
  head.waits = element.quiet ? "quiet" : "open";
  if (!element.quiet) instance.hasWaited = true;
  state.index.addWait(head, element.reads.length === 0 ? [] : globalsReadBy(element, instance), false);
  if (head.pattern.isOnce && !element.quiet) warnIfLate(state, instance, head.pattern);
  return "wait";
}

/** Names of the global variables that the pattern of a wait reads. */
export function globalsReadBy({ reads }: ElementOf<"Wait">, { globalNames }: FlowInstance): readonly string[] {
  return reads.filter((name) => globalNames.includes(name));
}

/** A bound wait whose event has passed continues to wait, with a warning. */
function warnIfLate({ data, round }: EngineState, instance: FlowInstance, { bound, names }: ReadyPattern): void {
  if (bound?.kind !== "flow" || data.flows.has(bound.uid) || round.expected.has(bound.uid)) return;
  if (round.queue.some((event) => event.flow?.uid === bound.uid)) return;
  const message = `${names.join(" or ")} is waited for after the flow has ended; \`it finished\` also sees what is over`;
  round.trace.push({ type: "warning", code: "C2-406", message, flow: instance.flow });
}

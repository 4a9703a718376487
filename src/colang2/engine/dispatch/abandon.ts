import { endFlow } from "../flows/endings.js";
import type { EngineEvent } from "../state/event.js";
import { scoresOf, type EngineState, type FlowInstance, type Head } from "../state/state.js";

const FLOW_EVENTS = ["FlowStarted", "FlowFinished", "FlowFailed", "FlowPaused", "FlowResumed"] as const;

/**
 * Drops everything that is pending in a round that does not end (spec 6.10). Flows that stand in the middle of something, or
 * wait for what was dropped, fail: nothing else would ever move them again. Activated flows whose start was dropped begin
 * with the next event.
 */
export function abandonPending(state: EngineState, acting: Iterable<Head>): void {
  const dropped = state.queue.splice(0);
  const stuck = new Map<FlowInstance, readonly number[]>();
  for (const head of acting) stuck.set(head.instance, scoresOf(state, head));
  for (const event of dropped) {
    const activation = event.origin?.activation;
    if (activation !== undefined && !activation.hasEnded) state.dormant.add(activation);
    for (const head of waitersOf(state, event)) stuck.set(head.instance, event.scores);
  }
  for (const [instance, scores] of stuck) endFlow(state, instance, { kind: "failed", reason: "budget" }, { scores });
}

/** Heads that wait for one instance, which the event would have made, moved or ended. */
function waitersOf(state: EngineState, event: EngineEvent): Head[] {
  const uid = event.origin?.reference.uid ?? (event.flow === undefined ? undefined : event.fields["flow_instance_uid"]);
  if (!event.isInternal || typeof uid !== "string") return [];
  const names = event.name === "StartFlow" ? FLOW_EVENTS : [event.name];
  return names.flatMap((name) => [...state.index.boundTo(name, uid), ...state.latches.boundTo(name, uid)]);
}

import { endFlow } from "../flows/endings.js";
import type { EngineEvent, FlowInstance, Head } from "../state/records.js";
import { instanceOf, scoresOf, type EngineState } from "../state/state.js";

const FLOW_EVENTS = ["FlowStarted", "FlowFinished", "FlowFailed", "FlowPaused", "FlowResumed"] as const;

/**
 * Drops everything that is pending in a round that does not end. Flows that stand in the middle of something, or
 * wait for what was dropped, fail: nothing else would ever move them again. Activated flows whose start was dropped begin
 * with the next event.
 */
export function abandonPending(state: EngineState, acting: Iterable<Head>): void {
  const dropped = state.round.queue.splice(0);
  const stuck = new Map<FlowInstance, readonly number[]>();
  for (const head of acting) stuck.set(instanceOf(state, head), scoresOf(state, head));
  for (const event of dropped) {
    const activation = state.data.activations.get(event.origin?.activation ?? -1);
    if (activation !== undefined) state.index.setDormant(activation, true);
    for (const head of waitersOf(state, event)) stuck.set(instanceOf(state, head), event.scores);
  }
  for (const [instance, scores] of stuck) endFlow(state, instance, { kind: "failed", reason: "budget" }, { scores });
}

/** Heads that wait for one instance, which the event would have made, moved or ended. */
function waitersOf(state: EngineState, event: EngineEvent): Head[] {
  const uid = event.origin?.target.uid ?? (event.flow === undefined ? undefined : event.fields["flow_instance_uid"]);
  if (!event.isInternal || typeof uid !== "string") return [];
  const names = event.name === "StartFlow" ? FLOW_EVENTS : [event.name];
  return names.flatMap((name) => [
    ...state.index.waiting.boundTo(name, uid),
    ...state.index.latches.boundTo(name, uid),
  ]);
}

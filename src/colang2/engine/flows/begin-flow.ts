import { pauseIfAsked } from "./pause.js";
import { queueFlowEvent } from "../dispatch/queue.js";
import type { EngineState, FlowInstance } from "../state/state.js";

/** From now on the flow has started (spec 6.3.6): who started it goes on. */
export function beginFlow(state: EngineState, instance: FlowInstance, scores: readonly number[]): void {
  instance.status = "started";
  queueFlowEvent(state, "FlowStarted", instance, { scores });
  pauseIfAsked(state, instance);
}

import type { TraceEvent } from "../../engine/trace.js";
import type { Origin } from "./processing.js";
import { liveFlows, turnStartOf } from "./rollback.js";
import type { Colang1State, FlowInstance } from "./state.js";

/** What a stop leaves. It takes no step. */
export interface Stopped {
  readonly state: Colang1State;
  readonly trace: readonly TraceEvent[];
}

/**
 * `BotIntent(stop)` (spec 4.14, [D-10]). From a rail or a system action: the pipeline ends and users' flows are where
 * they were at the start of the turn. From a dialog flow or its action: that flow and its callers end, and what they
 * had suspended waits again. From outside: the pipeline ends. Context variables stay as they are.
 */
export function stopTurn(state: Colang1State, origin: Origin): Stopped {
  const ended =
    origin.kind !== "external" && origin.tier === "user" ? endCaller(state, origin) : endSystem(state, origin);
  const kept = new Set(ended.map((instance) => instance.uid));
  const trace = state.instances
    .filter((instance) => !kept.has(instance.uid))
    .map(({ flow, uid }): TraceEvent => ({ type: "aborted", flow, instance: uid, why: "the turn was stopped" }));
  const flows = liveFlows({ ...turnStartOf(state)?.flows, ...state.flows }, ended);
  const quiet = { next: null, lastAction: null, announced: [], running: [] };
  return { state: { ...state, ...quiet, instances: ended, flows }, trace };
}

function endSystem(state: Colang1State, origin: Origin): readonly FlowInstance[] {
  const start = origin.kind === "external" ? undefined : turnStartOf(state);
  return (start?.instances ?? state.instances).filter((instance) => instance.tier === "user");
}

function endCaller(state: Colang1State, origin: Exclude<Origin, { kind: "external" }>): readonly FlowInstance[] {
  const ended = new Set<string | null>([origin.instance, ...(origin.kind === "action" ? origin.callers : [])]);
  let caller = find(state, origin.instance)?.caller ?? null;
  while (caller !== null && !ended.has(caller)) {
    ended.add(caller);
    caller = find(state, caller)?.caller ?? null;
  }
  return state.instances
    .filter((instance) => !ended.has(instance.uid))
    .map((instance): FlowInstance => {
      const wakes = instance.status === "interrupted" && ended.has(instance.suspendedBy);
      return wakes ? { ...instance, status: "active", suspendedBy: null } : instance;
    });
}

function find(state: Colang1State, uid: string): FlowInstance | undefined {
  return state.instances.find((instance) => instance.uid === uid);
}

import type { CompiledFlow } from "../elements.js";
import type { Colang1State, FlowInstance, Snapshot } from "./state.js";
import type { TraceEvent } from "../../engine/trace.js";
import type { Origin } from "./processing.js";

/** Turns that `hide_prev_turn` can take back one after the other. */
const MAX_TURNS = 2;

/**
 * Marks the start of a call into the conversation. `hide_prev_turn` goes back to here when the call brings no user
 * utterance, and so does a stop of a rail.
 */
export function markCallStart(state: Colang1State): Colang1State {
  return { ...state, call: snapshotOf(state), callHas: "nothing", next: null, lastAction: null, announced: [] };
}

/** Remembers the conversation as it is before a user utterance. */
export function markTurnStart(state: Colang1State): Colang1State {
  const turns = [...state.turns.slice(1 - MAX_TURNS), snapshotOf(state)];
  return { ...state, turns, callHas: "utterance" };
}

function snapshotOf(state: Colang1State): Snapshot {
  const { context, instances, flows, changed, utterance, initialised } = state;
  return { context, instances, flows, changed, utterance, initialised };
}

/**
 * `hide_prev_turn`: flows and context are as they were before the last utterance; in a call that brought events but no
 * utterance, as they were when it began.
 */
export function hideTurn(state: Colang1State): Colang1State {
  const turn = state.turns.at(-1);
  const target = state.call && (state.callHas === "events" || !turn) ? state.call : turn;
  const turns = target === turn ? state.turns.slice(0, -1) : state.turns;
  // A second one in the same call takes back the turn before.
  const left = { turns, callHas: "nothing" as const };
  const cleared = { ...state, next: null, running: [], lastAction: null, announced: [], failure: null };
  return target ? { ...cleared, ...target, ...left } : { ...cleared, instances: [], ...left };
}

/** The state that a stop of a rail goes back to. */
function turnStartOf(state: Colang1State): Snapshot | undefined {
  const turn = state.turns.at(-1);
  return (state.callHas === "utterance" ? turn : (state.call ?? turn)) ?? undefined;
}

/** Returns the LLM-written flows that still have an instance. */
export function liveFlows(
  flows: Readonly<Record<string, CompiledFlow>>,
  instances: readonly FlowInstance[],
  keep?: (id: string) => boolean,
): Readonly<Record<string, CompiledFlow>> {
  const ids = Object.keys(flows);
  if (ids.length === 0) return flows;
  const live = ids.filter((id) => keep?.(id) || instances.some((instance) => instance.flow === id));
  return live.length === ids.length ? flows : Object.fromEntries(live.map((id) => [id, flows[id] as CompiledFlow]));
}

/** The state after a stop, which takes no step. */
export interface Stopped {
  readonly state: Colang1State;
  readonly trace: readonly TraceEvent[];
}

/**
 * Processes `BotIntent(stop)`. From a rail or a system action: the pipeline ends and users' flows are where
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

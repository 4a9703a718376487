import type { TraceEvent } from "../../engine/explain.js";
import type { Colang1Program } from "../elements.js";
import { readOwn } from "../../engine/plain-data.js";
import { indexOf } from "./program-index.js";
import { liveFlows, type Colang1State, type FlowInstance, type Snapshot } from "./state.js";

/** Stored form of a conversation. Released versions must stay readable. */
export interface SerializedState {
  readonly version: 1;
  readonly dialect: "1.0";
  /** Hash of the program that the state was made with. */
  readonly program: string;
  /** Hashes of the flows with instances. */
  readonly flows: Readonly<Record<string, string>>;
  readonly state: Colang1State;
}

export interface Restored {
  readonly state: Colang1State;
  /** CO-502 for every dropped instance. */
  readonly trace: readonly TraceEvent[];
}

/**
 * Returns the conversation as plain JSON.
 *
 * @example
 * ```ts
 * const stored = JSON.stringify(serializeState(program, state));
 * const { state: again } = restoreState(program, JSON.parse(stored));
 * ```
 */
export function serializeState(program: Colang1Program, state: Colang1State): SerializedState {
  const { flows: known } = indexOf(program);
  const flows: Record<string, string> = {};
  const instances = [state, ...state.turns, ...(state.call ? [state.call] : [])].flatMap((holder) => holder.instances);
  for (const { flow } of instances) {
    const hash = known.get(flow)?.hash;
    if (hash !== undefined) flows[flow] = hash;
  }
  return { version: 1, dialect: "1.0", program: program.hash, flows, state };
}

/**
 * Reads a stored conversation. Instances whose flow has changed are dropped along with those that wait for them; the
 * rest continues.
 */
export function restoreState(program: Colang1Program, data: SerializedState): Restored {
  if (data.program === program.hash) return { state: data.state, trace: [] };
  const { flows: known } = indexOf(program);
  const trace: TraceEvent[] = [];
  const keep = (instances: readonly FlowInstance[], dynamic: Snapshot["flows"], report: boolean): FlowInstance[] => {
    const isStale = ({ flow }: FlowInstance): boolean =>
      !Object.hasOwn(dynamic, flow) && known.get(flow)?.hash !== readOwn(data.flows, flow);
    const dropped = new Set(instances.filter(isStale).map((instance) => instance.uid));
    // A caller cannot continue without the callee it waits for, nor a callee return to a dropped caller.
    for (let size = -1; size !== dropped.size;) {
      size = dropped.size;
      for (const { uid, caller, sleeping, suspendedBy } of instances) {
        const needed = [caller, sleeping ? suspendedBy : null];
        if (needed.some((other) => other !== null && dropped.has(other))) dropped.add(uid);
      }
    }
    for (const { uid, flow } of report ? instances : []) {
      if (!dropped.has(uid)) continue;
      const message = `flow \`${flow}\` has changed since the conversation was stored; it does not go on`;
      trace.push({ type: "warning", code: "CO-502", flow, message });
    }
    return instances.filter((instance) => !dropped.has(instance.uid));
  };
  const rewind = (snapshot: Snapshot): Snapshot => {
    const instances = keep(snapshot.instances, snapshot.flows, false);
    return { ...snapshot, instances, flows: liveFlows(snapshot.flows, instances) };
  };
  const { state } = data;
  const instances = keep(state.instances, state.flows, true);
  const turns = state.turns.map(rewind);
  const call = state.call && rewind(state.call);
  return { state: { ...state, instances, turns, call, next: null }, trace };
}

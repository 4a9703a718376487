import { createMap, type Value } from "../../../expressions/values/value.js";
import type { InternalEventName } from "../../internal-events.js";
import type { CompiledParameter } from "../../program.js";
import { NO_VALUES } from "../state/event.js";
import type { EngineEvent, FlowInstance, FlowTarget, StartOrigin, ValueRecord } from "../state/records.js";
import { definitionOf, nextUid, variablesOf, type EngineState } from "../state/state.js";

interface InternalParts {
  readonly fields: ValueRecord;
  readonly payload?: ValueRecord;
  readonly extras?: ValueRecord;
  readonly scores?: readonly number[];
  readonly origin?: StartOrigin;
  readonly source?: string;
  readonly flow?: FlowTarget | undefined;
}

export function internalEvent(state: EngineState, name: InternalEventName, parts: InternalParts): EngineEvent {
  return {
    name,
    uid: nextUid(state),
    isInternal: true,
    fields: parts.fields,
    payload: parts.payload ?? NO_VALUES,
    meta: NO_VALUES,
    extras: parts.extras,
    scores: parts.scores ?? [],
    origin: parts.origin,
    source: parts.source,
    flow: parts.flow,
  };
}

type FlowEventName = "FlowStarted" | "FlowFinished" | "FlowFailed" | "FlowPaused" | "FlowResumed";

/** Queues an event about a flow instance. */
export function queueFlowEvent(
  state: EngineState,
  name: FlowEventName,
  instance: FlowInstance,
  more: { readonly fields?: ValueRecord; readonly scores?: readonly number[] } = {},
): void {
  const fields = createMap();
  fields["flow_id"] = instance.flow;
  fields["flow_instance_uid"] = instance.uid;
  fields["source_flow_instance_uid"] = instance.parent ?? null;
  Object.assign(fields, more.fields);
  const { returnMembers } = definitionOf(state, instance);
  const scores = more.scores ?? [];
  const flow = { uid: instance.uid, flow: instance.flow, instance: undefined };
  const extras = returnMembers.length === 0 ? NO_VALUES : returnValues(state, instance, returnMembers);
  const parts = { fields, payload: instance.bound, extras, scores, flow };
  state.round.queue.push(internalEvent(state, name, parts));
}

function returnValues(
  state: EngineState,
  instance: FlowInstance,
  members: readonly CompiledParameter[],
): Record<string, Value> {
  const values = createMap();
  const variables = variablesOf(state, instance);
  for (const { name } of members) values[name] = variables[name] ?? null;
  return values;
}

/** Queues the engine's report of an error in a flow; programs can wait for it. */
export function queueError(
  state: EngineState,
  type: string,
  error: string,
  at: { readonly flow: string; readonly uid?: string; readonly line?: number },
): void {
  const payload = createMap();
  payload["type"] = type;
  payload["error"] = error;
  payload["flow_id"] = at.flow;
  payload["flow_instance_uid"] = at.uid ?? null;
  payload["source_line"] = at.line ?? null;
  state.round.queue.push({
    name: "ColangError",
    uid: nextUid(state),
    isInternal: false,
    fields: NO_VALUES,
    payload,
    meta: NO_VALUES,
    scores: [],
  });
}

export function field(name: string, value: Value): ValueRecord {
  const record = createMap();
  record[name] = value;
  return record;
}

import { createMap, type Value } from "../../../expressions/values/value.js";
import type { InternalEventName } from "../../internal-events.js";
import { NO_VALUES, type EngineEvent, type StartOrigin, type ValueRecord } from "../state/event.js";
import type { FlowReference } from "../state/references.js";
import { nextUid, type EngineState, type FlowInstance } from "../state/state.js";

interface InternalParts {
  readonly fields: ValueRecord;
  readonly payload?: ValueRecord;
  readonly extras?: ValueRecord;
  readonly scores?: readonly number[];
  readonly origin?: StartOrigin;
  readonly source?: FlowInstance;
  readonly flow?: FlowReference | undefined;
}

export function internalEvent(state: EngineState, name: InternalEventName, parts: InternalParts): EngineEvent {
  return {
    name,
    uid: nextUid(state),
    isInternal: true,
    fields: parts.fields,
    payload: parts.payload ?? NO_VALUES,
    meta: NO_VALUES,
    scores: parts.scores ?? [],
    ...(parts.extras === undefined ? {} : { extras: parts.extras }),
    ...(parts.origin === undefined ? {} : { origin: parts.origin }),
    ...(parts.source === undefined ? {} : { source: parts.source }),
    ...(parts.flow === undefined ? {} : { flow: parts.flow }),
  };
}

type FlowEventName = "FlowStarted" | "FlowFinished" | "FlowFailed" | "FlowPaused" | "FlowResumed";

/** Tells of a flow instance (spec 5.3). */
export function queueFlowEvent(
  state: EngineState,
  name: FlowEventName,
  instance: FlowInstance,
  more: { readonly fields?: ValueRecord; readonly scores?: readonly number[]; readonly uid?: string } = {},
): void {
  const fields = createMap();
  fields["flow_id"] = instance.definition.id;
  fields["flow_instance_uid"] = more.uid ?? instance.uid;
  fields["source_flow_instance_uid"] = instance.parent?.uid ?? null;
  Object.assign(fields, more.fields);
  const extras = createMap();
  for (const { name: member } of instance.definition.returnMembers)
    extras[member] = instance.variables.get(member) ?? null;
  state.queue.push(
    internalEvent(state, name, {
      fields,
      payload: instance.bound,
      extras,
      scores: more.scores ?? [],
      flow: instance.reference,
    }),
  );
}

/** The engine's own report of something that went wrong in a flow (spec 3.7); programs can wait for it. */
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
  state.queue.push({
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

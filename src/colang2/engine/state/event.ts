import { createMap, readOwn, type Value } from "../../../expressions/values/value.js";
import { splitActionEvent } from "../../action-events.js";
import type { Activation, FlowInstance } from "./state.js";
import type { ActionObject } from "./action-object.js";
import type { FlowReference } from "./references.js";

/** Values by name, without a prototype. */
export type ValueRecord = Readonly<Record<string, Value>>;

/** Fields that are the envelope of an event and never its payload (spec 5.1). */
const META_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "uid",
  "event_created_at",
  "source_uid",
  "action_uid",
  "parent_action_uids",
  "tags",
  "action_info_modality",
  "action_info_modality_policy",
  "action_info_lifetime",
  "action_started_at",
  "action_updated_at",
  "action_finished_at",
  "is_success",
  "was_stopped",
  "failure_reason",
]);

/** Who asks for the start of a flow; only events the engine makes itself have one. */
export interface StartOrigin {
  readonly source: FlowInstance | undefined;
  /** Address of the statement, for the order of instances. */
  readonly address: number;
  /** Of the instance to be made. */
  readonly reference: FlowReference;
  /** The activation that starts its flow again. */
  readonly activation?: Activation;
  /** The instance whose place the new one takes. */
  readonly predecessor?: FlowInstance;
  /** What is wrong with the arguments. */
  readonly problem?: string;
}

/** An event on its way through the engine: what is on the wire, taken apart (spec 5.1). */
export interface EngineEvent {
  readonly name: string;
  readonly uid: string;
  readonly isInternal: boolean;
  /** Fields of an internal event (spec 5.3). */
  readonly fields: ValueRecord;
  /** Payload, or the user part of an internal event. */
  readonly payload: ValueRecord;
  readonly meta: ValueRecord;
  /** Return members: they can be asked for, but nobody has to. */
  readonly extras?: ValueRecord;
  /** Of the chain of matches that led to the event. */
  readonly scores: readonly number[];
  readonly origin?: StartOrigin;
  /** The instance that made a request. */
  readonly source?: FlowInstance;
  /** The flow instance the event tells of. */
  readonly flow?: FlowReference;
  /** The action the event tells of, once somebody asked for it. */
  action?: ActionObject;
}

export function isMetaField(name: string): boolean {
  return META_FIELDS.has(name);
}

export const NO_VALUES: ValueRecord = Object.freeze(createMap());

export function recordOf(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const record = createMap();
  for (const [name, value] of entries) record[name] = value;
  return record;
}

/** An event of the world, already made of values of our own. */
export function externalEvent(flat: ValueRecord, uid: string): EngineEvent {
  const payload = createMap();
  const meta = createMap();
  for (const name of Object.keys(flat)) {
    (META_FIELDS.has(name) ? meta : payload)[name] = readOwn(flat, name) ?? null;
  }
  const given = flat["uid"];
  const name = typeof flat["type"] === "string" ? flat["type"] : "";
  return {
    name,
    uid: typeof given === "string" ? given : uid,
    isInternal: false,
    fields: NO_VALUES,
    payload,
    meta,
    scores: [],
  };
}

/** The action an event belongs to, by its name and its envelope. */
export function actionUidOf(event: EngineEvent): string | undefined {
  const uid = event.meta["action_uid"];
  return typeof uid === "string" && splitActionEvent(event.name) !== undefined ? uid : undefined;
}

/** What a pattern or a program reads by this name (spec 5.1): the event's own part first, then the rest. */
export function readEventField(event: EngineEvent, name: string): Value | undefined {
  const parts = event.isInternal
    ? [event.fields, event.payload, event.extras, event.meta]
    : [event.payload, event.meta, event.extras];
  for (const part of parts) {
    const value = part === undefined ? undefined : readOwn(part, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

import { createMap, readOwn, type Value } from "../../../expressions/values/value.js";
import { splitActionEvent } from "../../event-names.js";
import type { EngineEvent, ValueRecord } from "./records.js";

/** Fields that are the envelope of an event and never its payload. */
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

export function isMetaField(name: string): boolean {
  return META_FIELDS.has(name);
}

export const NO_VALUES: ValueRecord = Object.freeze(createMap());

/** INVARIANT: all events have the same fields, which makes them fast to read. */
export const BLANK_EVENT: EngineEvent = {
  name: "",
  uid: "",
  isInternal: false,
  fields: NO_VALUES,
  payload: NO_VALUES,
  meta: NO_VALUES,
  extras: NO_VALUES,
  scores: [],
  origin: undefined,
  source: undefined,
  flow: undefined,
  action: undefined,
};

/** The entries in a map of the engine, which has no prototype. */
export function mapOf(entries: ValueRecord): Record<string, Value> {
  return Object.assign(createMap(), entries);
}

/** An event of the world, made of a map of the engine. */
export function externalEvent(flat: ValueRecord, uid: string): EngineEvent {
  const payload = createMap();
  const meta = createMap();
  for (const name of Object.keys(flat)) {
    (META_FIELDS.has(name) ? meta : payload)[name] = flat[name] ?? null;
  }
  const given = flat["uid"];
  const name = typeof flat["type"] === "string" ? flat["type"] : "";
  return { ...BLANK_EVENT, name, uid: typeof given === "string" ? given : uid, payload, meta };
}

/** The action an event belongs to, by its name and its envelope. */
export function actionUidOf(event: EngineEvent): string | undefined {
  const uid = event.meta["action_uid"];
  return typeof uid === "string" && splitActionEvent(event.name) !== undefined ? uid : undefined;
}

/** The value that a pattern or a program reads by this name: the event's own part first, then the rest. */
export function readEventField(event: EngineEvent, name: string): Value | undefined {
  const parts = event.isInternal
    ? [event.fields, event.payload, event.extras, event.meta]
    : [event.payload, event.meta, event.extras];
  for (const part of parts) {
    const value = readOwn(part, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

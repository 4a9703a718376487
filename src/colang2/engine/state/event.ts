import type { Value } from "../../../expressions/values/value.js";
import { splitActionEvent } from "../../event-names.js";
import type { EngineEvent, ValueRecord } from "./records.js";

/** Envelope fields of an event, which are never payload. */
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

/** The prototype of tables. It is empty, so every key is an ordinary key. */
const NO_MEMBERS: object = Object.freeze(Object.create(null));

/**
 * Creates a table of the engine: the payload of an event, the fields of an action. V8 makes a hash table of an object
 * without any prototype, which takes several times as long to create and to read.
 *
 * INVARIANT: a table is part of a record and never a program value; `copyRecord` converts it to one.
 */
export const createTable: () => Record<string, Value> = Object.create.bind(Object, NO_MEMBERS) as () => Record<
  string,
  Value
>;

export const NO_VALUES: ValueRecord = Object.freeze(createTable());

export const NO_SCORES: readonly number[] = Object.freeze([]);

/** INVARIANT: all events have the same fields in the same order, which makes them fast to create and to read. */
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

/** Returns the entries as a table. */
export function tableOf(entries: ValueRecord): Record<string, Value> {
  return Object.assign(createTable(), entries);
}

/** An external event, created from a flat record. */
export function externalEvent(flat: ValueRecord, uid: string): EngineEvent {
  const payload = createTable();
  const meta = createTable();
  for (const name of Object.keys(flat)) {
    (META_FIELDS.has(name) ? meta : payload)[name] = flat[name] ?? null;
  }
  const given = flat["uid"];
  const name = typeof flat["type"] === "string" ? flat["type"] : "";
  return outerEvent(name, typeof given === "string" ? given : uid, payload, meta);
}

/** An event to or from the outside. */
export function outerEvent(
  name: string,
  uid: string,
  payload: ValueRecord,
  meta: ValueRecord = NO_VALUES,
): EngineEvent {
  return {
    name,
    uid,
    isInternal: false,
    fields: NO_VALUES,
    payload,
    meta,
    extras: NO_VALUES,
    scores: NO_SCORES,
    origin: undefined,
    source: undefined,
    flow: undefined,
    action: undefined,
  };
}

/** The action an event belongs to, by its name and its envelope. */
export function actionUidOf(event: EngineEvent): string | undefined {
  const uid = event.meta["action_uid"];
  return typeof uid === "string" && splitActionEvent(event.name) !== undefined ? uid : undefined;
}

/** Returns the value that a pattern or program reads by this name: the event's own part first, then the rest. */
export function readEventField(event: EngineEvent, name: string): Value | undefined {
  const { fields, payload, meta, extras } = event;
  const value = event.isInternal && fields[name] !== undefined ? fields[name] : payload[name];
  if (value !== undefined) return value;
  const [second, third] = event.isInternal ? [extras, meta] : [meta, extras];
  return second[name] === undefined ? third[name] : second[name];
}

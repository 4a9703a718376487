import type { Value } from "../../../expressions/values/value.js";
import { actionUidOf, isMetaField } from "./event.js";
import { Groups } from "./groups.js";
import type { EngineEvent, Head, ReadyPattern, ValueRecord } from "./records.js";

/** What a waiting head is found by: values that a string or a number can be a key of. */
type Key = string | number | boolean | null;

/** The waiting heads of one event name. Each is in one of the groups. */
class HeadsOfName {
  /** Heads that any event of the name may concern. */
  any: Set<Head> | undefined;
  /** Heads bound to one flow instance or action. */
  readonly bound = new Groups<Key, Head>();
  /** Heads that wait for any instance of one flow. */
  readonly flows = new Groups<Key, Head>();
  /** Heads whose pattern asks for a plain value, by the field and the value. */
  fields: Map<string, Groups<Key, Head>> | undefined;
  size = 0;
}

/** The place of a head in the groups of its event names. */
interface Place {
  readonly in: "any" | "bound" | "flows" | "fields";
  readonly field: string;
  readonly key: Key;
}

/**
 * The waiting heads by the events they wait for, so that an event costs as much as the heads it concerns. It finds candidates
 * in no order; the caller scores and sorts them.
 */
export class WaitingIndex {
  /** An event name stays when no head waits for it any more: programs have few, and wait for them again. */
  readonly #names = new Map<string, HeadsOfName>();
  readonly #places = new Map<Head, Place>();
  /** All waiting heads. */
  readonly heads: Pick<ReadonlyMap<Head, unknown>, "keys" | "has" | "size"> = this.#places;

  add(head: Head): void {
    const { pattern } = head;
    if (pattern === undefined) return;
    if (this.#places.has(head)) this.remove(head);
    const place = placeOf(pattern);
    this.#places.set(head, place);
    for (const name of pattern.names) this.#addTo(name, place, head);
    for (const name of pattern.impossibleBy) this.#addTo(name, place, head);
  }

  remove(head: Head): void {
    const place = this.#places.get(head);
    if (place === undefined || head.pattern === undefined) return;
    this.#places.delete(head);
    for (const name of head.pattern.names) this.#removeFrom(name, place, head);
    for (const name of head.pattern.impossibleBy) this.#removeFrom(name, place, head);
  }

  #addTo(name: string, place: Place, head: Head): void {
    let heads = this.#names.get(name);
    if (heads === undefined) this.#names.set(name, (heads = new HeadsOfName()));
    heads.size += 1;
    if (place.in === "any") (heads.any ??= new Set()).add(head);
    else if (place.in !== "fields") heads[place.in].add(place.key, head);
    else {
      const fields = (heads.fields ??= new Map());
      let values = fields.get(place.field);
      if (values === undefined) fields.set(place.field, (values = new Groups()));
      values.add(place.key, head);
    }
  }

  #removeFrom(name: string, place: Place, head: Head): void {
    const heads = this.#names.get(name);
    if (heads === undefined) return;
    heads.size -= 1;
    if (place.in === "any") heads.any?.delete(head);
    else if (place.in !== "fields") heads[place.in].delete(place.key, head);
    else {
      const values = heads.fields?.get(place.field);
      values?.delete(place.key, head);
      if (values?.isEmpty === true) heads.fields?.delete(place.field);
    }
  }

  /** Returns true if any head waits for an event of this name. */
  awaits(name: string): boolean {
    return (this.#names.get(name)?.size ?? 0) > 0;
  }

  /** The heads that wait for this event of this one flow instance or action, or whose wait it makes impossible. */
  boundTo(name: string, uid: string): Iterable<Head> {
    return this.#names.get(name)?.bound.of(uid) ?? [];
  }

  /** The heads that could match the event, or whose wait it could make impossible, each once. */
  candidates(event: EngineEvent): readonly Head[] {
    const heads = this.#names.get(event.name);
    if (heads === undefined || heads.size === 0) return NO_HEADS;
    let found = heads.any === undefined || heads.any.size === 0 ? undefined : [...heads.any];
    const uid = event.isInternal ? event.fields["flow_instance_uid"] : actionUidOf(event);
    if (typeof uid === "string") found = heads.bound.addTo(found, uid);
    const flowId = event.isInternal ? event.fields["flow_id"] : undefined;
    if (typeof flowId === "string") found = heads.flows.addTo(found, flowId);
    if (heads.fields !== undefined && heads.fields.size > 0) {
      found = addByFields(found, heads.fields, event.payload);
      found = addByFields(found, heads.fields, event.extras);
    }
    return found ?? NO_HEADS;
  }
}

function addByFields(
  found: Head[] | undefined,
  fields: ReadonlyMap<string, Groups<Key, Head>>,
  part: ValueRecord,
): Head[] | undefined {
  let all = found;
  for (const field of Object.keys(part)) {
    const groups = fields.get(field);
    const key = groups === undefined ? undefined : keyOf(part[field] ?? null);
    if (key !== undefined) all = groups?.addTo(all, key);
  }
  return all;
}

const NO_HEADS: readonly Head[] = [];

const ANYWHERE: Place = { in: "any", field: "", key: null };

function placeOf({ bound, flowId, constraints, fields }: ReadyPattern): Place {
  if (bound !== undefined) return { in: "bound", field: "", key: bound.uid };
  if (flowId !== undefined) return { in: "flows", field: "", key: flowId };
  for (const [field, expected] of constraints) {
    // The index looks into the payload only.
    const key = isMetaField(field) ? undefined : keyOf(expected);
    if (key !== undefined) return { in: "fields", field, key };
  }
  for (const [field, expected] of fields) {
    if (field === "flow_id" && typeof expected === "string") return { in: "flows", field: "", key: expected };
  }
  return ANYWHERE;
}

/** Returns the value as a key; undefined for values that are equal to others than themselves, and for long texts. */
function keyOf(value: Value): Key | undefined {
  if (typeof value === "string") return value.length > MAX_KEY ? undefined : value;
  return typeof value === "object" && value !== null ? undefined : value;
}

const MAX_KEY = 256;

import type { Value } from "../../../expressions/values/value.js";
import { actionUidOf, isMetaField } from "./event.js";
import { Groups } from "./groups.js";
import type { EngineEvent, Head, ReadyPattern, ValueRecord } from "./records.js";

/** Lookup values of a waiting head. */
type Key = string | number | boolean | null;

/** Unbound heads that wait for events of one name, each in one of the groups. */
class HeadsOfName {
  /** Heads that any event of the name may concern. */
  any: Set<Head> | undefined;
  /** Heads that wait for any instance of one flow. */
  readonly flows = new Groups<Key, Head>();
  /** Heads whose pattern expects a plain value, by field and value. */
  fields: Map<string, Groups<Key, Head>> | undefined;
  size = 0;
}

/** Position of a head in the groups of its event names. */
interface Place {
  readonly in: "any" | "bound" | "flows" | "fields";
  readonly field: string;
  readonly key: Key;
}

/**
 * Waiting heads by their events, so that an event only costs the heads it concerns. Finds candidates in no particular
 * order; the caller scores and sorts them.
 */
export class WaitingIndex {
  /** Event names are kept after their last head: programs have few, and wait for them again. */
  readonly #names = new Map<string, HeadsOfName>();
  /** Heads bound to one flow instance or action, whatever its events. */
  readonly #bound = new Map<string, Head | Set<Head>>();
  readonly #places = new Map<Head, Place>();
  /** All waiting heads. */
  readonly heads: Pick<ReadonlyMap<Head, unknown>, "keys" | "has" | "size"> = this.#places;
  /** Number of heads that wait for unhandled events. */
  unhandled = 0;

  add(head: Head): void {
    const { pattern } = head;
    if (pattern === undefined) return;
    if (this.#places.has(head)) this.remove(head);
    if (pattern.names.includes(UNHANDLED)) this.unhandled += 1;
    const uid = pattern.bound?.uid;
    if (uid !== undefined) {
      this.#places.set(head, BOUND);
      const others = this.#bound.get(uid);
      if (others === undefined) this.#bound.set(uid, head);
      else if (others instanceof Set) others.add(head);
      else this.#bound.set(uid, new Set([others, head]));
      return;
    }
    const place = placeOf(pattern);
    this.#places.set(head, place);
    for (const name of pattern.names) this.#addTo(name, place, head);
    for (const name of pattern.impossibleBy) this.#addTo(name, place, head);
  }

  remove(head: Head): void {
    const place = this.#places.get(head);
    const { pattern } = head;
    if (place === undefined || pattern === undefined) return;
    this.#places.delete(head);
    if (pattern.names.includes(UNHANDLED)) this.unhandled -= 1;
    const uid = pattern.bound?.uid;
    if (uid !== undefined) {
      const bound = this.#bound.get(uid);
      const isLast = bound instanceof Set ? bound.delete(head) && bound.size === 0 : bound === head;
      if (isLast) this.#bound.delete(uid);
      return;
    }
    for (const name of pattern.names) this.#removeFrom(name, place, head);
    for (const name of pattern.impossibleBy) this.#removeFrom(name, place, head);
  }

  #addTo(name: string, place: Place, head: Head): void {
    let heads = this.#names.get(name);
    if (heads === undefined) this.#names.set(name, (heads = new HeadsOfName()));
    heads.size += 1;
    if (place.in === "any") (heads.any ??= new Set()).add(head);
    else if (place.in === "flows") heads.flows.add(place.key, head);
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
    else if (place.in === "flows") heads.flows.delete(place.key, head);
    else {
      const values = heads.fields?.get(place.field);
      values?.delete(place.key, head);
      if (values?.isEmpty === true) heads.fields?.delete(place.field);
    }
  }

  /** Heads that wait for this event of this flow instance or action, or whose wait it makes impossible. */
  boundTo(name: string, uid: string): Iterable<Head> {
    const bound = this.#bound.get(uid);
    return bound === undefined ? NO_HEADS : concernedBy(name, bound);
  }

  /** Heads that the event could match, or whose wait it could make impossible, each once. */
  candidates(event: EngineEvent): readonly Head[] {
    const { name, isInternal } = event;
    const uid = isInternal ? event.fields["flow_instance_uid"] : actionUidOf(event);
    const bound = typeof uid === "string" ? this.#bound.get(uid) : undefined;
    let concerned = NO_HEADS;
    if (bound instanceof Set) concerned = concernedBy(name, bound);
    else if (bound?.pattern !== undefined) {
      const { names, impossibleBy } = bound.pattern;
      if (names.includes(name) || impossibleBy.includes(name)) concerned = [bound];
    }
    const heads = this.#names.get(name);
    if (heads === undefined || heads.size === 0) return concerned;
    let found = heads.any === undefined || heads.any.size === 0 ? undefined : [...heads.any];
    if (concerned.length > 0) found = found === undefined ? [...concerned] : [...found, ...concerned];
    const flowId = isInternal ? event.fields["flow_id"] : undefined;
    if (typeof flowId === "string") found = heads.flows.addTo(found, flowId);
    if (heads.fields !== undefined && heads.fields.size > 0) {
      found = addByFields(found, heads.fields, event.payload);
      found = addByFields(found, heads.fields, event.extras);
    }
    return found ?? NO_HEADS;
  }
}

const UNHANDLED = "UnhandledEvent";

const NO_HEADS: readonly Head[] = [];

function concernedBy(name: string, bound: Head | Set<Head>): readonly Head[] {
  if (bound instanceof Set) return [...bound].flatMap((head) => concernedBy(name, head));
  const { pattern } = bound;
  const isConcerned = pattern !== undefined && (pattern.names.includes(name) || pattern.impossibleBy.includes(name));
  return isConcerned ? [bound] : NO_HEADS;
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

const BOUND: Place = { in: "bound", field: "", key: null };
const ANYWHERE: Place = { in: "any", field: "", key: null };

function placeOf({ flowId, constraints, fields }: ReadyPattern): Place {
  if (flowId !== undefined) return { in: "flows", field: "", key: flowId };
  for (const [field, expected] of constraints) {
    // The index only covers the payload.
    const key = isMetaField(field) ? undefined : keyOf(expected);
    if (key !== undefined) return { in: "fields", field, key };
  }
  for (const [field, expected] of fields) {
    if (field === "flow_id" && typeof expected === "string") return { in: "flows", field: "", key: expected };
  }
  return ANYWHERE;
}

/** Returns the value as a key; undefined for values that equal others besides themselves, and for long texts. */
function keyOf(value: Value): Key | undefined {
  if (typeof value === "string") return value.length > MAX_KEY ? undefined : value;
  return typeof value === "object" && value !== null ? undefined : value;
}

const MAX_KEY = 256;

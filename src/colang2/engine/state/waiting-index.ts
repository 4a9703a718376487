import { readOwn, type Value } from "../../../expressions/values/value.js";
import { actionUidOf, isMetaField } from "./event.js";
import { Groups } from "./groups.js";
import type { EngineEvent, Head, ReadyPattern } from "./records.js";

/**
 * The waiting heads by the events they wait for, so that an event costs as much as the heads it concerns. It finds candidates
 * in no order; the caller scores and sorts them.
 */
export class WaitingIndex {
  readonly #heads = new Groups<string, Head>();
  readonly #keys = new Map<Head, readonly string[]>();
  /** Number of heads that wait for an event of this name in any way. */
  readonly #names = new Map<string, number>();

  add(head: Head): void {
    if (head.pattern === undefined) return;
    this.remove(head);
    const keys = keysOf(head.pattern);
    this.#keys.set(head, keys);
    for (const key of keys) this.#heads.add(key, head);
    for (const name of head.pattern.names) this.#names.set(name, (this.#names.get(name) ?? 0) + 1);
  }

  remove(head: Head): void {
    const keys = this.#keys.get(head);
    if (keys === undefined) return;
    this.#keys.delete(head);
    for (const key of keys) this.#heads.delete(key, head);
    for (const name of head.pattern?.names ?? []) {
      const count = (this.#names.get(name) ?? 0) - 1;
      if (count > 0) this.#names.set(name, count);
      else this.#names.delete(name);
    }
  }

  has(head: Head): boolean {
    return this.#keys.has(head);
  }

  /** Returns true if any head waits for an event of this name. */
  awaits(name: string): boolean {
    return this.#names.has(name);
  }

  /** The heads that wait for this event of this one flow instance or action, or whose wait it makes impossible. */
  boundTo(name: string, uid: string): Iterable<Head> {
    return this.#heads.get(boundKey(name, uid));
  }

  /** All waiting heads. */
  heads(): Iterable<Head> {
    return this.#keys.keys();
  }

  /** The heads that could match the event, or whose wait it could make impossible. */
  candidates(event: EngineEvent): Head[] {
    const found: Head[] = [];
    const collect = (key: string | undefined): void => {
      if (key !== undefined) for (const head of this.#heads.get(key)) found.push(head);
    };
    const { name } = event;
    collect(anyKey(name));
    const flowUid = event.isInternal ? event.fields["flow_instance_uid"] : undefined;
    const uid = typeof flowUid === "string" ? flowUid : actionUidOf(event);
    if (uid !== undefined) collect(boundKey(name, uid));
    const flowId = event.isInternal ? event.fields["flow_id"] : undefined;
    if (typeof flowId === "string") collect(flowKey(name, flowId));
    if (!this.#names.has(name)) return found;
    for (const part of event.extras === undefined ? [event.payload] : [event.payload, event.extras]) {
      for (const field of Object.keys(part)) collect(fieldKey(name, field, readOwn(part, field) ?? null));
    }
    return found;
  }
}

/** Keys under which a waiting head is found. */
function keysOf(pattern: ReadyPattern): string[] {
  const { bound } = pattern;
  if (bound !== undefined) {
    const names = new Set([...pattern.names, ...pattern.impossibleBy]);
    return [...names].map((name) => boundKey(name, bound.uid));
  }
  return pattern.names.map((name) => nameKey(name, pattern));
}

function nameKey(name: string, pattern: ReadyPattern): string {
  if (pattern.flowId !== undefined) return flowKey(name, pattern.flowId);
  for (const [field, expected] of pattern.constraints) {
    // The index looks into the payload only.
    const key = isMetaField(field) ? undefined : fieldKey(name, field, expected);
    if (key !== undefined) return key;
  }
  for (const [field, expected] of pattern.fields) {
    if (field === "flow_id" && typeof expected === "string") return flowKey(name, expected);
  }
  return anyKey(name);
}

function boundKey(name: string, uid: string): string {
  return `${name}\nu${uid}`;
}

function flowKey(name: string, flowId: string): string {
  return `${name}\nf${flowId}`;
}

function anyKey(name: string): string {
  return name;
}

/** Undefined for values that are equal to others than themselves. */
function fieldKey(name: string, field: string, value: Value): string | undefined {
  switch (typeof value) {
    case "string":
      return value.length > 256 ? undefined : `${name}\np${field}\ns${value}`;
    case "number":
      return `${name}\np${field}\nn${value}`;
    case "boolean":
      return `${name}\np${field}\nb${value}`;
    default:
      return value === null ? `${name}\np${field}\n` : undefined;
  }
}

import { readOwn } from "../../../expressions/values/value.js";
import { actionUidOf, type EngineEvent } from "./event.js";
import { anyKey, boundKey, fieldKey, flowKey, keysOf } from "./ready-pattern.js";
import type { Head } from "./state.js";

/**
 * The waiting heads by what they wait for (spec 14), so that an event costs as much as the heads it concerns. What it finds
 * are candidates in no order; whoever asks scores and sorts them.
 */
export class WaitingIndex {
  readonly #heads = new Map<string, Set<Head>>();
  readonly #keys = new Map<Head, readonly string[]>();
  /** How many heads wait for an event of this name in any way. */
  readonly #names = new Map<string, number>();

  add(head: Head): void {
    if (head.pattern === undefined) return;
    this.remove(head);
    const keys = keysOf(head.pattern);
    this.#keys.set(head, keys);
    for (const key of keys) {
      const heads = this.#heads.get(key);
      if (heads === undefined) this.#heads.set(key, new Set([head]));
      else heads.add(head);
    }
    for (const name of head.pattern.names) this.#names.set(name, (this.#names.get(name) ?? 0) + 1);
  }

  remove(head: Head): void {
    const keys = this.#keys.get(head);
    if (keys === undefined) return;
    this.#keys.delete(head);
    for (const key of keys) {
      const heads = this.#heads.get(key);
      heads?.delete(head);
      if (heads?.size === 0) this.#heads.delete(key);
    }
    for (const name of head.pattern?.names ?? []) {
      const count = (this.#names.get(name) ?? 0) - 1;
      if (count > 0) this.#names.set(name, count);
      else this.#names.delete(name);
    }
  }

  has(head: Head): boolean {
    return this.#keys.has(head);
  }

  /** Whether any head waits for an event of this name. */
  awaits(name: string): boolean {
    return this.#names.has(name);
  }

  /** The heads that wait for this event of this one flow instance or action, or that it tells they wait in vain. */
  boundTo(name: string, uid: string): Iterable<Head> {
    return this.#heads.get(boundKey(name, uid)) ?? [];
  }

  /** All waiting heads. */
  heads(): Iterable<Head> {
    return this.#keys.keys();
  }

  /** The heads that could match the event, or could be told by it that they wait in vain. */
  candidates(event: EngineEvent): Head[] {
    const found: Head[] = [];
    const collect = (key: string | undefined): void => {
      const heads = key === undefined ? undefined : this.#heads.get(key);
      if (heads !== undefined) for (const head of heads) found.push(head);
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

import { type Value, isObject } from "../../../expressions/values/value.js";
import type { CompiledFlow } from "../../program.js";
import { actionUidOf, isMetaField } from "./event.js";
import type {
  ActionRecord,
  Activation,
  EngineEvent,
  FlowInstance,
  Head,
  Ownership,
  ReadyPattern,
  ValueRecord,
} from "./records.js";

/** Lookup tables derived from the data of a conversation. */
export class StateIndex {
  /** The instance of `main` that was made last, while it lives. */
  main: FlowInstance | undefined;
  /** Live instances, by flow. */
  readonly byFlow = new Groups<string, FlowInstance>();
  /** Live instances and activations, by the instance that started or owns them, the oldest first. */
  readonly children = new Groups<string, FlowInstance | Activation>();
  /** Live instances, by the activation that keeps them running. */
  readonly activated = new Groups<number, FlowInstance>();
  /** Number of live instances that are not paused, by interaction loop. */
  readonly loops = new Map<string, number>();
  /** Live instances that may be interrupted by a digression. */
  readonly interruptible = new Set<FlowInstance>();
  /** Instances paused by a digression. */
  readonly digressions = new Set<FlowInstance>();
  readonly heads = new Map<number, Head>();
  /** Heads of a fork, by the head that made it. */
  readonly branches = new Groups<number, Head>();
  /** Heads whose fork has branches in their start phase. */
  readonly startingForks = new Set<Head>();
  readonly waiting = new WaitingIndex();
  /** Heads of paused instances whose events are kept for them. */
  readonly latches = new WaitingIndex();
  /** Waiting heads whose patterns read a global variable. */
  readonly globalReaders = new Groups<string, Head>();
  readonly staleHeads = new Set<Head>();
  readonly activations = new Groups<string, Activation>();
  readonly #activationsByArguments = new Groups<string, Activation>();
  readonly dormant = new Set<Activation>();
  /** Known actions, by identifier. */
  readonly actions = new Map<string, ActionRecord>();
  /** Ownerships, by action. */
  readonly ownerships = new Groups<number, Ownership>();

  addFlow(instance: FlowInstance, definition: CompiledFlow): void {
    if (definition.isInterruptible) this.interruptible.add(instance);
    if (instance.flow === "main") this.main = instance;
    this.byFlow.add(instance.flow, instance);
    if (instance.status !== "paused") this.countLoop(instance.loop, 1);
    if (instance.pause?.reason === "digression") this.digressions.add(instance);
    if (instance.activation !== undefined) this.activated.add(instance.activation, instance);
    else if (instance.parent !== undefined) this.children.add(instance.parent, instance);
  }

  deleteFlow(instance: FlowInstance, wasPaused: boolean): void {
    this.interruptible.delete(instance);
    this.digressions.delete(instance);
    if (this.main === instance) this.main = undefined;
    this.byFlow.delete(instance.flow, instance);
    if (!wasPaused) this.countLoop(instance.loop, -1);
    if (instance.activation !== undefined) this.activated.delete(instance.activation, instance);
    if (instance.parent !== undefined) this.children.delete(instance.parent, instance);
    this.children.deleteAll(instance.uid);
  }

  /** Loops with an instance that is alive and not paused are the active ones. */
  countLoop(loop: string, by: 1 | -1): void {
    const count = (this.loops.get(loop) ?? 0) + by;
    if (count > 0) this.loops.set(loop, count);
    else this.loops.delete(loop);
  }

  addHead(head: Head): void {
    this.heads.set(head.id, head);
    if (head.parent !== undefined) this.branches.add(head.parent, head);
  }

  deleteHead(head: Head): void {
    this.heads.delete(head.id);
    if (head.parent !== undefined) this.branches.delete(head.parent, head);
  }

  /** @param reads - names of the global variables that its pattern reads */
  addWait(head: Head, reads: readonly string[], isPaused: boolean): void {
    if (!isPaused) this.waiting.add(head);
    else if (head.pattern?.bound !== undefined && head.pattern.isOnce) this.latches.add(head);
    for (const name of reads) this.globalReaders.add(name, head);
    if (head.isStale) this.staleHeads.add(head);
  }

  addActivation(activation: Activation): void {
    this.activations.add(activation.flow, activation);
    this.#activationsByArguments.add(keyOf(activation.flow, activation.bound), activation);
    if (activation.isDormant) this.dormant.add(activation);
  }

  deleteActivation(activation: Activation): void {
    this.dormant.delete(activation);
    this.activations.delete(activation.flow, activation);
    this.#activationsByArguments.delete(keyOf(activation.flow, activation.bound), activation);
  }

  /** Activations of the flow whose arguments may be equal to these. */
  activationsLike(flow: string, bound: ValueRecord): ReadonlySet<Activation> {
    return this.#activationsByArguments.get(keyOf(flow, bound));
  }

  setDormant(activation: Activation, isDormant: boolean): void {
    activation.isDormant = isDormant;
    if (isDormant) this.dormant.add(activation);
    else this.dormant.delete(activation);
  }
}

/** Equal arguments have equal keys. Lists, sets and maps are all alike here: a program may change them later. */
function keyOf(flow: string, bound: ValueRecord): string {
  let key = flow;
  for (const name of Object.keys(bound).sort()) key += `\n${name}\t${textOf(bound[name] ?? null)}`;
  return key;
}

function textOf(value: Value): string {
  if (typeof value !== "object" || value === null) return `${typeof value} ${String(value)}`;
  return isObject(value) ? "object" : "items";
}

const NONE: ReadonlySet<never> = new Set();

/** Sets of items by key, in the order in which they were added. A group without items takes no memory. */
class Groups<Key, Item> {
  readonly #groups = new Map<Key, Set<Item>>();

  add(key: Key, item: Item): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, new Set([item]));
    else group.add(item);
  }

  delete(key: Key, item: Item): void {
    const group = this.#groups.get(key);
    group?.delete(item);
    if (group?.size === 0) this.#groups.delete(key);
  }

  deleteAll(key: Key): void {
    this.#groups.delete(key);
  }

  has(key: Key): boolean {
    return this.#groups.has(key);
  }

  get(key: Key): ReadonlySet<Item> {
    return this.#groups.get(key) ?? NONE;
  }

  entries(): Iterable<readonly [Key, ReadonlySet<Item>]> {
    return this.#groups;
  }
}

/** Waiting heads of one event name, by the key of their patterns. */
type HeadsByKey = Map<string, Set<Head>>;

/**
 * The waiting heads by the events they wait for, so that an event costs as much as the heads it concerns. It finds candidates
 * in no order; the caller scores and sorts them.
 */
class WaitingIndex {
  /** An event name stays when no head waits for it any more: programs have few, and wait for them again. */
  readonly #names = new Map<string, HeadsByKey>();
  readonly #keys = new Map<Head, string>();
  /** All waiting heads, with the key of their patterns. */
  readonly heads: ReadonlyMap<Head, string> = this.#keys;

  add(head: Head): void {
    const { pattern } = head;
    if (pattern === undefined) return;
    if (this.#keys.has(head)) this.remove(head);
    const key = keyOfPattern(pattern);
    this.#keys.set(head, key);
    for (const names of [pattern.names, pattern.impossibleBy]) {
      for (const name of names) {
        let heads = this.#names.get(name);
        if (heads === undefined) this.#names.set(name, (heads = new Map()));
        const same = heads.get(key);
        if (same === undefined) heads.set(key, new Set([head]));
        else same.add(head);
      }
    }
  }

  remove(head: Head): void {
    const key = this.#keys.get(head);
    if (key === undefined || head.pattern === undefined) return;
    this.#keys.delete(head);
    for (const names of [head.pattern.names, head.pattern.impossibleBy]) {
      for (const name of names) {
        const heads = this.#names.get(name);
        const same = heads?.get(key);
        same?.delete(head);
        if (same?.size === 0) heads?.delete(key);
      }
    }
  }

  /** Returns true if any head waits for an event of this name. */
  awaits(name: string): boolean {
    return (this.#names.get(name)?.size ?? 0) > 0;
  }

  /** The heads that wait for this event of this one flow instance or action, or whose wait it makes impossible. */
  boundTo(name: string, uid: string): Iterable<Head> {
    return this.#names.get(name)?.get(BOUND + uid) ?? [];
  }

  /** The heads that could match the event, or whose wait it could make impossible, each once. */
  candidates(event: EngineEvent): readonly Head[] {
    const heads = this.#names.get(event.name);
    if (heads === undefined || heads.size === 0) return [];
    const keys = [ANY];
    const uid = event.isInternal ? event.fields["flow_instance_uid"] : actionUidOf(event);
    if (typeof uid === "string") keys.push(BOUND + uid);
    const flowId = event.isInternal ? event.fields["flow_id"] : undefined;
    if (typeof flowId === "string") keys.push(FLOW + flowId);
    for (const part of [event.payload, event.extras]) {
      for (const field of Object.keys(part)) {
        const key = fieldKey(field, part[field] ?? null);
        if (key !== undefined) keys.push(key);
      }
    }
    const found: Head[] = [];
    for (const key of keys) for (const head of heads.get(key) ?? NONE) found.push(head);
    return found;
  }
}

const ANY = "";
const BOUND = "u";
const FLOW = "f";

/** The key under which a waiting head is found, for each of its names. */
function keyOfPattern({ bound, flowId, constraints, fields }: ReadyPattern): string {
  if (bound !== undefined) return BOUND + bound.uid;
  if (flowId !== undefined) return FLOW + flowId;
  for (const [field, expected] of constraints) {
    // The index looks into the payload only.
    const key = isMetaField(field) ? undefined : fieldKey(field, expected);
    if (key !== undefined) return key;
  }
  for (const [field, expected] of fields) {
    if (field === "flow_id" && typeof expected === "string") return FLOW + expected;
  }
  return ANY;
}

/** Undefined for values that are equal to others than themselves. */
function fieldKey(field: string, value: Value): string | undefined {
  if (typeof value === "string") return value.length > 256 ? undefined : `p${field}\ns${value}`;
  return typeof value === "object" && value !== null ? undefined : `p${field}\n${value}`;
}

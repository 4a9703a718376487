import { isList, isObject, isSet, readOwn, toValue, type Value } from "../../../expressions/values/value.js";
import type { EngineEvent, FlowInstance, FlowTarget } from "./records.js";
import { ActionReference, EventReference, FlowReference, Specification } from "./references.js";
import { findFlow, type EngineState } from "./state.js";

/** Values below this depth are stored as shared ones, so that nothing stored is deep. */
const MAX_NESTING = 40;

/**
 * Drops the ended flows, actions and scopes that nothing refers to any more. Runs between two rounds.
 *
 * @returns the lists, sets, maps, events and specifications with several references
 */
export function collect(state: EngineState): ReadonlySet<object> {
  state.written().begin();
  const collector = new Collector(state);
  collector.run();
  const { data, round } = state;
  for (const uid of data.ended.keys()) if (!collector.flows.has(uid)) data.ended.delete(uid);
  for (const id of data.actions.keys()) if (!collector.actions.has(id)) data.actions.delete(id);
  for (const instance of data.flows.values()) {
    if (instance.scopes.length === 0) continue;
    const open = new Set(instance.heads.flatMap(({ scopes }) => scopes));
    const kept = instance.scopes.filter(({ order }) => open.has(order));
    instance.scopes.splice(0, instance.scopes.length, ...kept);
    for (const { members } of kept) {
      const live = members.filter((item) => (typeof item === "string" ? data.flows.has(item) : data.actions.has(item)));
      members.splice(0, members.length, ...live);
    }
  }
  round.kept = data.ended.size + data.actions.size;
  return collector.shared;
}

/** Marks reachable records, without recursion, since a program may build values of any depth. */
class Collector {
  /** Ended flows that are reachable. */
  readonly flows = new Set<string>();
  readonly actions = new Set<number>();
  readonly shared = new Set<object>();
  readonly #state: EngineState;
  readonly #ancestors = new Set<string>();
  readonly #met = new Set<object>();
  readonly #open: { readonly value: Value; readonly depth: number }[] = [];

  constructor(state: EngineState) {
    this.#state = state;
  }

  run(): void {
    const { data } = this.#state;
    const written = this.#state.written();
    this.#table(data.globals, 0);
    const isPlainFlow = written.examine("flows");
    for (const instance of data.flows.values()) {
      this.#ancestor(instance.parent);
      if (!isPlainFlow(instance)) this.#instance(instance);
    }
    const isPlainActivation = written.examine("activations");
    for (const activation of data.activations.values()) {
      if (!isPlainActivation(activation)) this.#table(activation.bound, 0);
      this.#ancestor(activation.parent);
    }
    for (const action of data.actions.values()) if (action.isKnown) this.#action(action.id);
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) this.#value(next.value, next.depth);
  }

  /** Marks an ended instance; live ones are examined anyway. */
  #flow(uid: string): void {
    const instance = this.#state.data.ended.get(uid);
    if (instance === undefined || this.flows.has(uid)) return;
    this.flows.add(uid);
    if (instance.sharesVariables) this.#ancestor(instance.parent);
    this.#instance(instance);
  }

  #instance(instance: FlowInstance): void {
    this.#table(instance.variables, 0);
    this.#table(instance.bound, 0);
    this.#push(instance.returnValue, 0);
    for (const { action } of instance.ownerships) this.#action(action);
    for (const { act, pattern } of instance.heads) {
      for (const table of [pattern?.fields, pattern?.constraints, pattern?.startArguments]) {
        for (const [, value] of table ?? []) this.#push(value, 0);
      }
      for (const { action, payload } of act?.requests ?? []) {
        this.#table(payload, 0);
        if (action !== undefined) this.#action(action);
      }
    }
    for (const pause of [instance.pause, instance.pausesWhenStarted]) {
      for (const event of pause?.latched ?? []) this.#event(event, 0);
      for (const other of pause?.until ?? []) this.#flow(other);
    }
  }

  /** A live flow sees its position even if its ancestors have ended. */
  #ancestor(uid: string | undefined): void {
    for (let at = uid; at !== undefined && !this.#ancestors.has(at);) {
      this.#ancestors.add(at);
      this.#flow(at);
      at = findFlow(this.#state, at)?.parent;
    }
  }

  #target(target: FlowTarget): void {
    this.#flow(target.instance ?? target.uid);
  }

  #action(id: number): void {
    const action = this.#state.data.actions.get(id);
    if (action === undefined || this.actions.has(id)) return;
    this.actions.add(id);
    this.#table(action.startArguments, 0);
    this.#table(action.context, 0);
    if (action.sharedWith !== undefined) this.#action(action.sharedWith);
  }

  #event(event: EngineEvent, depth: number): void {
    for (const table of [event.fields, event.payload, event.meta, event.extras]) this.#table(table, depth);
    if (event.flow !== undefined) this.#target(event.flow);
    if (event.action !== undefined) this.#action(event.action);
  }

  #table(table: Readonly<Record<string, Value>>, depth: number): void {
    for (const name of Object.keys(table)) this.#push(table[name] ?? null, depth);
  }

  #push(value: Value, depth: number): void {
    if (typeof value === "object" && value !== null) this.#open.push({ value, depth });
  }

  #value(value: Value, depth: number): void {
    if (value instanceof FlowReference) return this.#target(value.target);
    if (value instanceof ActionReference) return this.#action(value.id);
    const holder = holderOf(value);
    if (holder === undefined) return;
    if (this.#met.has(holder) || depth >= MAX_NESTING) this.shared.add(holder);
    if (this.#met.has(holder)) return;
    this.#met.add(holder);
    if (value instanceof EventReference) this.#event(value.event, depth + 1);
    else if (value instanceof Specification) this.#table(value.arguments, depth + 1);
    else for (const item of itemsOf(value)) this.#push(item, depth + 1);
  }
}

/** The identity of a value; undefined for values without parts. */
export function holderOf(value: Value): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof EventReference) return value.event;
  return isObject(value) && !(value instanceof Specification) ? undefined : value;
}

function itemsOf(value: Value): readonly Value[] {
  if (typeof value !== "object" || value === null || isObject(value)) return [];
  if (isList(value)) return value.map(toValue);
  if (isSet(value)) return [...value];
  return Object.keys(value).map((key) => readOwn(value, key) ?? null);
}

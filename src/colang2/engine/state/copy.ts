import { createMap, isList, isObject, isSet, readOwn, toValue, type Value } from "../../../expressions/values/value.js";
import { createEngineState } from "../conversation.js";
import { buildIndex } from "./build-index.js";
import { VALUE_TABLES, type EngineEvent, type ValueRecord } from "./records.js";
import { ActionReference, EventReference, FlowReference, Specification } from "./references.js";
import type { EngineState } from "./state.js";

/** Copies a conversation between two events; the copy changes independently. */
export function copyState(state: EngineState): EngineState {
  const { program, options, data, definitions } = state;
  const copy = createEngineState(program, { ...options, prefix: data.prefix });
  const { ids, orders, random, hasBegun, mainFailed } = data;
  Object.assign(copy.data, { ids, orders, random, hasBegun, mainFailed });
  for (const id of data.removedFlows) copy.data.removedFlows.add(id);
  for (const [id, source] of data.addedFlows) copy.data.addedFlows.set(id, source);
  if (data.removedFlows.size + data.addedFlows.size > 0) copy.definitions = new Map(definitions);
  const copier = new StateCopier(copy);
  Object.assign(copy.data.globals, copier.map(data.globals));
  for (const name of ["flows", "ended", "activations", "actions"] as const) {
    const table = copy.data[name] as Map<unknown, object>;
    for (const [key, record] of data[name] as ReadonlyMap<unknown, object>) table.set(key, copier.record(record));
  }
  copier.finish();
  copy.data.history.push(...data.history);
  buildIndex(copy);
  return copy;
}

/** Copies records and their values. Shared values stay shared. */
class StateCopier {
  readonly #state: EngineState;
  readonly #copies = new Map<object, Value>();
  /** Values whose items are not copied yet: a program may build values of any depth. */
  readonly #open: (() => void)[] = [];

  /** @param state - the copy that references point into */
  constructor(state: EngineState) {
    this.#state = state;
  }

  /** Copies the items of all values, after every record has been copied. */
  finish(): void {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) next();
  }

  record<Record extends object>(record: Record): Record {
    const copy = { ...record } as { [field: string]: unknown };
    for (const field of Object.keys(copy)) {
      const item = copy[field];
      if (typeof item === "object" && item !== null) copy[field] = this.#field(field, item);
    }
    return copy as Record;
  }

  map(values: ValueRecord): { [name: string]: Value } {
    const copy = createMap();
    for (const name of Object.keys(values)) copy[name] = this.#value(readOwn(values, name) ?? null);
    return copy;
  }

  #field(field: string, item: object): unknown {
    if (field === "returnValue") return this.#value(item as Value);
    const isTable = VALUE_TABLES.has(field);
    if (!Array.isArray(item)) return isTable ? this.map(item as ValueRecord) : this.record(item);
    if (isTable) return (item as [string, Value][]).map(([name, value]) => [name, this.#value(value)]);
    return (item as unknown[]).map((entry) =>
      typeof entry === "object" && entry !== null ? this.record(entry) : entry,
    );
  }

  #value(value: Value): Value {
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof FlowReference) return new FlowReference(this.#state, { ...value.target });
    if (value instanceof ActionReference) return new ActionReference(this.#state, value.id);
    const key = value instanceof EventReference ? value.event : value;
    const known = this.#copies.get(key);
    if (known !== undefined) return known;
    const copy = this.#copyHolder(value);
    this.#copies.set(key, copy);
    return copy;
  }

  /** Creates an empty container; its items are added later. */
  #copyHolder(value: Exclude<Value, string | number | boolean | null>): Value {
    if (value instanceof EventReference) {
      const event = {} as EngineEvent;
      this.#open.push(() => Object.assign(event, this.record({ ...value.event, origin: undefined })));
      return new EventReference(this.#state, event);
    }
    if (value instanceof Specification) {
      const given = createMap();
      this.#open.push(() => Object.assign(given, this.map(value.arguments)));
      return new Specification(value.subject, value.name, given);
    }
    if (isObject(value)) return value;
    if (isList(value)) {
      const list: Value[] = [];
      this.#open.push(() => {
        for (const item of value) list.push(this.#value(toValue(item)));
      });
      return list;
    }
    if (isSet(value)) {
      const set = new Set<Value>();
      this.#open.push(() => {
        for (const item of value) set.add(this.#value(item));
      });
      return set;
    }
    const map = createMap();
    this.#open.push(() => Object.assign(map, this.map(value as ValueRecord)));
    return map;
  }
}

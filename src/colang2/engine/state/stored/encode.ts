import { type DataSize, StateSize } from "../../../../engine/limits.js";
import { isEmpty, type PlainData, writeOwn } from "../../../../engine/plain-data.js";
import { ComparisonValue } from "../../../../expressions/values/number-text.js";
import { PatternValue } from "../../../../expressions/values/pattern.js";
import { isList, isObject, isSet, readOwn, toValue, type Value } from "../../../../expressions/values/value.js";
import { holderOf, collect } from "../collect.js";
import { VALUE_TABLES } from "../records.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../references.js";
import type { EngineState } from "../state.js";
import type { PackedTable, StoredRow } from "./pack.js";
import { TABLE_NAMES, type TableName, type WrittenRecords, type WrittenRow } from "./row.js";

/**
 * Writes records as JSON. A record is written unchanged, without empty fields; non-plain values become objects with the
 * key `$`, and shared lists and maps stay shared.
 */
class Encoder {
  /** Values with several references, by number. */
  readonly shared: PlainData[] = [];
  readonly #isShared: ReadonlySet<object>;
  readonly #numbers = new Map<object, number>();
  readonly #pending: { readonly number: number; readonly value: Value }[] = [];
  readonly #size = new StateSize();
  readonly #written: WrittenRecords;
  /** Size of the written values not yet counted. */
  #values = 0;
  #characters = 0;

  /** @param isShared - result of `collect` on the written state */
  constructor(isShared: ReadonlySet<object>, written: WrittenRecords) {
    this.#isShared = isShared;
    this.#written = written;
  }

  /** @throws LimitError if the values together exceed `stateSize` */
  table(name: TableName, records: ReadonlyMap<unknown, object>): StoredRow[] {
    const write = (record: object): WrittenRow => ({ row: this.record(record), size: this.#count() });
    return this.#written.rows(name, records.values(), write, (size) => this.#size.add(size));
  }

  /** @param owner - identifier of the record's flow instance, which heads and ownerships do not repeat */
  record(record: object, owner?: unknown): { [field: string]: PlainData } {
    const written: { [field: string]: PlainData } = {};
    const fields = record as Readonly<Record<string, unknown>>;
    // Only instances have heads; other identifiers may be names of flows.
    const instance = fields["heads"] === undefined ? undefined : fields["uid"];
    for (const field of Object.keys(fields)) {
      const item = fields[field];
      if (item === undefined || item === null || item === false || (field === "flow" && item === owner)) continue;
      const stored = this.#field(field, item, instance);
      if (typeof stored !== "object" || !isEmpty(stored)) written[field] = stored;
    }
    return written;
  }

  /** Writes the remaining values, which may add further ones. */
  flush(): void {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      this.shared[next.number] = this.#holder(next.value);
      this.#count();
    }
  }

  #count(): DataSize {
    const size = { values: this.#values, characters: this.#characters };
    this.#values = 0;
    this.#characters = 0;
    this.#size.add(size);
    return size;
  }

  #field(field: string, item: unknown, owner: unknown): PlainData {
    if (field === "returnValue") return this.#value(item as Value);
    if (VALUE_TABLES.has(field)) {
      if (!Array.isArray(item)) return this.#map(item as Readonly<Record<string, Value>>);
      return (item as [string, Value][]).map(([name, value]) => [name, this.#value(value)]);
    }
    if (Array.isArray(item)) return item.map((entry) => this.#field("", entry, owner));
    return typeof item === "object" && item !== null ? this.record(item, owner) : (item as PlainData);
  }

  #value(value: Value): PlainData {
    this.#values += 1;
    if (typeof value === "string") this.#characters += value.length;
    if (typeof value === "number") return Number.isFinite(value) ? value : { $: "number", v: String(value) };
    if (typeof value !== "object" || value === null) return value;
    const holder = holderOf(value);
    if (holder === undefined || !this.#isShared.has(holder)) return this.#holder(value);
    const known = this.#numbers.get(holder);
    if (known !== undefined) return { $: "same", i: known };
    const number = this.#numbers.size;
    this.#numbers.set(holder, number);
    // INVARIANT: never written inside another value, so the depth of the stored form is bounded.
    this.#pending.push({ number, value });
    return { $: "same", i: number };
  }

  #holder(value: Value): PlainData {
    if (typeof value !== "object" || value === null) return value;
    if (isObject(value)) return this.#object(value);
    if (isList(value)) return value.map((item) => this.#value(toValue(item)));
    if (isSet(value)) return { $: "set", v: [...value].map((item) => this.#value(item)) };
    return this.#map(value as Readonly<Record<string, Value>>);
  }

  #map(value: Readonly<Record<string, Value>>): PlainData {
    // Not a map without a prototype: V8 makes a hidden class for each frozen one.
    const map: Record<string, PlainData> = {};
    for (const key of Object.keys(value)) {
      this.#characters += key.length;
      writeOwn(map, key, this.#value(readOwn(value, key) ?? null));
    }
    return Object.hasOwn(map, "$") ? { $: "map", v: Object.entries(map) } : map;
  }

  #object(value: Value): PlainData {
    if (value instanceof FlowReference) return { $: "flow", v: this.record(value.target) };
    if (value instanceof ActionReference) return { $: "action", id: value.id };
    if (value instanceof EventReference)
      return { $: "event", v: this.record({ ...value.event, origin: undefined, source: undefined, scores: [] }) };
    if (value instanceof PatternValue) return { $: "pattern", v: value.source };
    if (value instanceof ComparisonValue) return { $: value.comparison, v: this.#value(value.bound) };
    if (value instanceof Specification) {
      const entries = Object.keys(value.arguments).map((key) => [key, this.#value(value.arguments[key] ?? null)]);
      return { $: "specification", of: value.subject, name: value.name, v: entries };
    }
    return null;
  }
}

export const STATE_FORMAT = "langchain-guardrails/colang-2.x" as const;

/** The version of the stored form, and that of one with packed tables. */
export const STATE_VERSION = 3 as const;
export const PACKED_STATE_VERSION = 4 as const;

/** A conversation as plain JSON, without the program and the configuration. */
export interface StoredState {
  readonly format: typeof STATE_FORMAT;
  readonly version: typeof STATE_VERSION | typeof PACKED_STATE_VERSION;
  readonly programHash: string;
  readonly [part: string]: unknown;
}

type StoredTables = Readonly<Record<TableName, readonly StoredRow[]>>;

export interface WriteOptions {
  /** Texts stored along with the state: log events refer to them by number. */
  readonly texts?: readonly (string | undefined)[];
  /** Maps the stored data, which the conversation itself keeps. Returns the same object if nothing changes. */
  readonly change?: (state: StoredState) => StoredState;
}

/**
 * Writes a conversation between two events; it can continue afterwards.
 *
 * @throws LimitError if its values exceed `stateSize`
 */
export function writeState(state: EngineState, { texts = [], change }: WriteOptions = {}): StoredState {
  const { addedFlows, removedFlows, history, flows, ended, activations, actions, ...rest } = state.data;
  const records = state.written();
  const encoder = new Encoder(collect(state), records);
  const head = encoder.record(rest);
  const tables: StoredTables = {
    flows: encoder.table("flows", flows),
    ended: encoder.table("ended", ended),
    activations: encoder.table("activations", activations),
    actions: encoder.table("actions", actions),
  };
  encoder.flush();
  const logs = records.logs.write(history, texts);
  const written: StoredState & StoredTables = {
    format: STATE_FORMAT,
    version: STATE_VERSION,
    programHash: state.program.hash,
    ...head,
    ...tables,
    shared: encoder.shared,
    added: Object.fromEntries(addedFlows),
    removed: [...removedFlows],
    history: logs,
    ...(records.logs.first === 0 ? {} : { firstText: records.logs.first }),
  };
  const changed = (change?.(written) ?? written) as typeof written;
  const packed: Record<string, readonly StoredRow[] | PackedTable> = {};
  let version: StoredState["version"] = STATE_VERSION;
  for (const name of TABLE_NAMES) {
    const table = records.packing.pack(name, changed[name]);
    if (!Array.isArray(table)) version = PACKED_STATE_VERSION;
    packed[name] = table;
  }
  // No spread: a spread copy gets its own hidden class when it is frozen.
  return Object.assign({}, changed, { version }, packed);
}

import { GuardrailsError } from "../../../../diagnostics/errors.js";
import { COMPARISONS, ComparisonValue, type ComparisonName } from "../../../../expressions/values/comparison-value.js";
import { PatternValue } from "../../../../expressions/values/pattern-value.js";
import { createMap, isMap, type Value } from "../../../../expressions/values/value.js";
import type { ActionObject } from "../action-object.js";
import type { EngineEvent } from "../event.js";
import { ActionReference, EventReference, Specification, type FlowReference } from "../references.js";
import { damaged, own, readCount, readList, readNumber, readOneOf, readRecord, readText } from "./read-stored.js";

/** Finds what values refer to. */
export interface ReferenceSource {
  flow(uid: string): FlowReference;
  action(key: string): ActionObject;
  event(key: string): EngineEvent;
}

const MAX_DEPTH = 100;

type StoredRecord = Readonly<Record<string, unknown>>;

/** Reads what `ValueEncoder` wrote; everything else is refused. */
export class ValueDecoder {
  readonly #source: ReferenceSource;
  readonly #table: readonly unknown[];
  readonly #shared = new Map<number, Value>();
  /** Shared values that are made but not filled: one may contain itself, and a long chain of others. */
  readonly #unfilled: (() => void)[] = [];

  /** @param table - the values that are reached on several ways */
  constructor(source: ReferenceSource, table: readonly unknown[]) {
    this.#source = source;
    this.#table = table;
  }

  /** @throws InputShapeError when the stored value is none of ours */
  read(stored: unknown): Value {
    const value = this.#read(stored, 0);
    for (let fill = this.#unfilled.pop(); fill !== undefined; fill = this.#unfilled.pop()) fill();
    return value;
  }

  /** A map of named values, as parameters and variables are. */
  readMap(stored: unknown, what: string): Record<string, Value> {
    const value = this.read(stored);
    if (!isMap(value)) throw damaged(`${what} is no dictionary`);
    return value as Record<string, Value>;
  }

  #read(stored: unknown, depth: number): Value {
    if (depth > MAX_DEPTH) throw damaged("a value is too deep");
    if (stored === null || typeof stored === "string" || typeof stored === "boolean") return stored;
    if (typeof stored === "number") return readNumber(stored, "a value");
    if (Array.isArray(stored)) return this.#fillList([], stored, depth);
    const record = readRecord(stored, "a value");
    const kind = own(record, "$");
    return kind === undefined ? this.#fillMap(createMap(), record, depth) : this.#readTagged(kind, record, depth);
  }

  #fillList(list: Value[], stored: readonly unknown[], depth: number): Value[] {
    for (const item of stored) list.push(this.#read(item, depth + 1));
    return list;
  }

  #fillMap(map: Record<string, Value>, stored: StoredRecord, depth: number): Value {
    for (const key of Object.keys(stored)) map[key] = this.#read(stored[key], depth + 1);
    return map;
  }

  #fillSet(set: Set<Value>, stored: unknown, depth: number): Set<Value> {
    for (const item of readList(stored, "a set")) set.add(this.#read(item, depth + 1));
    return set;
  }

  #readTagged(kind: unknown, record: StoredRecord, depth: number): Value {
    const value = own(record, "v");
    switch (kind) {
      case "number":
        return Number(readOneOf(value, ["NaN", "Infinity", "-Infinity"], "a number"));
      case "set":
        return this.#fillSet(new Set(), value, depth);
      case "map":
        return this.#fillEntries(createMap(), value, depth);
      case "same":
        return this.#readShared(readCount(own(record, "i"), "a shared value"));
      case "flow":
        return this.#source.flow(readText(own(record, "uid"), "a flow reference"));
      case "action":
        return new ActionReference(this.#source.action(readText(own(record, "uid"), "an action reference")));
      case "event":
        return new EventReference(this.#source.event(readText(own(record, "uid"), "an event reference")));
      case "pattern":
        return readPatternValue(readText(value, "a pattern"));
      case "specification": {
        const subject = readOneOf(own(record, "of"), ["flow", "action"], "a specification");
        const given = createMap();
        this.#fillEntries(given, value, depth);
        return new Specification(subject, readText(own(record, "name"), "a name"), given);
      }
      default: {
        const comparison = readOneOf(kind, Object.keys(COMPARISONS) as ComparisonName[], "a kind of value");
        const bound = this.#read(value, depth + 1);
        if (typeof bound !== "number") throw damaged("a bound is no number");
        return new ComparisonValue(comparison, bound);
      }
    }
  }

  #fillEntries(map: Record<string, Value>, stored: unknown, depth: number): Value {
    for (const entry of readList(stored, "a dictionary")) {
      const [key, item] = readList(entry, "an entry");
      map[readText(key, "a key")] = this.#read(item, depth + 1);
    }
    return map;
  }

  #readShared(number: number): Value {
    const known = this.#shared.get(number);
    if (known !== undefined) return known;
    const stored = this.#table[number];
    if (Array.isArray(stored)) {
      const items: unknown[] = stored;
      const list: Value[] = [];
      return this.#share(number, list, () => this.#fillList(list, items, 0));
    }
    const record = readRecord(stored, "a shared value");
    const kind = own(record, "$");
    if (kind === "set") {
      const set = new Set<Value>();
      return this.#share(number, set, () => this.#fillSet(set, own(record, "v"), 0));
    }
    if (kind !== undefined && kind !== "map") throw damaged("a shared value is of a wrong kind");
    const map = createMap();
    return this.#share(number, map, () =>
      kind === undefined ? this.#fillMap(map, record, 0) : this.#fillEntries(map, own(record, "v"), 0),
    );
  }

  #share(number: number, value: Value, fill: () => unknown): Value {
    this.#shared.set(number, value);
    this.#unfilled.push(fill);
    return value;
  }
}

function readPatternValue(source: string): PatternValue {
  try {
    return new PatternValue(source);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    throw damaged("a pattern cannot be read");
  }
}

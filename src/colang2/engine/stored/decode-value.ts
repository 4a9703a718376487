import { COMPARISONS, ComparisonValue, type ComparisonName } from "../../../expressions/comparison-value.js";
import { PatternValue } from "../../../expressions/pattern-value.js";
import { createMap, isMap, type Value } from "../../../expressions/value.js";
import type { ActionObject } from "../action-object.js";
import type { EngineEvent } from "../event.js";
import { ActionReference, EventReference, Specification, type FlowReference } from "../references.js";
import { damaged, own, readCount, readList, readNumber, readOneOf, readRecord, readText } from "./read-stored.js";

/** Finds what values refer to. */
export interface ReferenceSource {
  flow(uid: string): FlowReference;
  action(uid: string): ActionObject;
  event(uid: string): EngineEvent;
}

const MAX_DEPTH = 200;

/** Reads what `ValueEncoder` wrote; everything else is refused. */
export class ValueDecoder {
  readonly #source: ReferenceSource;
  readonly #table: readonly unknown[];
  readonly #shared = new Map<number, Value>();

  /** @param table - the values that are reached on several ways */
  constructor(source: ReferenceSource, table: readonly unknown[]) {
    this.#source = source;
    this.#table = table;
  }

  /** @throws InputShapeError when the stored value is none of ours */
  read(stored: unknown, depth = 0): Value {
    if (depth > MAX_DEPTH) throw damaged("a value is too deep");
    if (stored === null || typeof stored === "string" || typeof stored === "boolean") return stored;
    if (typeof stored === "number") return readNumber(stored, "a value");
    if (Array.isArray(stored)) return this.#fillList([], stored, depth);
    const record = readRecord(stored, "a value");
    const kind = own(record, "$");
    return kind === undefined ? this.#fillMap(createMap(), record, depth) : this.#readTagged(kind, record, depth);
  }

  /** A map of named values, as parameters and variables are. */
  readMap(stored: unknown, what: string): Record<string, Value> {
    const value = this.read(stored);
    if (!isMap(value)) throw damaged(`${what} is no dictionary`);
    return value as Record<string, Value>;
  }

  #fillList(list: Value[], stored: readonly unknown[], depth: number): Value[] {
    for (const item of stored) list.push(this.read(item, depth + 1));
    return list;
  }

  #fillMap(map: Record<string, Value>, stored: Readonly<Record<string, unknown>>, depth: number): Value {
    for (const key of Object.keys(stored)) map[key] = this.read(stored[key], depth + 1);
    return map;
  }

  #readTagged(kind: unknown, record: Readonly<Record<string, unknown>>, depth: number): Value {
    const value = own(record, "v");
    switch (kind) {
      case "number":
        return Number(readOneOf(value, ["NaN", "Infinity", "-Infinity"], "a number"));
      case "set":
        return new Set(this.#fillList([], readList(value, "a set"), depth));
      case "map":
        return this.#fillEntries(createMap(), value, depth);
      case "same":
        return this.#readShared(readCount(own(record, "i"), "a shared value"), depth);
      case "flow":
        return this.#source.flow(readText(own(record, "uid"), "a flow reference"));
      case "action":
        return new ActionReference(this.#source.action(readText(own(record, "uid"), "an action reference")));
      case "event":
        return new EventReference(this.#source.event(readText(own(record, "uid"), "an event reference")));
      case "pattern":
        return new PatternValue(readText(value, "a pattern"));
      case "specification": {
        const subject = readOneOf(own(record, "of"), ["flow", "action"], "a specification");
        return new Specification(subject, readText(own(record, "name"), "a name"), this.readMap(value, "arguments"));
      }
      default: {
        const comparison = readOneOf(kind, Object.keys(COMPARISONS) as ComparisonName[], "a kind of value");
        return new ComparisonValue(comparison, readNumber(value, "a bound"));
      }
    }
  }

  #fillEntries(map: Record<string, Value>, stored: unknown, depth: number): Value {
    for (const entry of readList(stored, "a dictionary")) {
      const [key, item] = readList(entry, "an entry");
      map[readText(key, "a key")] = this.read(item, depth + 1);
    }
    return map;
  }

  /** Registered before it is filled: a value may contain itself. */
  #readShared(number: number, depth: number): Value {
    const known = this.#shared.get(number);
    if (known !== undefined) return known;
    const stored = this.#table[number];
    if (Array.isArray(stored)) {
      const list: Value[] = [];
      this.#shared.set(number, list);
      return this.#fillList(list, stored, depth);
    }
    const record = readRecord(stored, "a shared value");
    const kind = own(record, "$");
    if (kind === "set") {
      const set = new Set<Value>();
      this.#shared.set(number, set);
      for (const item of readList(own(record, "v"), "a set")) set.add(this.read(item, depth + 1));
      return set;
    }
    const map = createMap();
    this.#shared.set(number, map);
    if (kind === "map") return this.#fillEntries(map, own(record, "v"), depth);
    if (kind !== undefined) throw damaged("a shared value is of a wrong kind");
    return this.#fillMap(map, record, depth);
  }
}

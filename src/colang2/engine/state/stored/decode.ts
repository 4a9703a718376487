import { GuardrailsError } from "../../../../diagnostics/errors.js";
import { COMPARISONS, ComparisonValue, type ComparisonName } from "../../../../expressions/values/number-text.js";
import { PatternValue } from "../../../../expressions/values/pattern.js";
import { createMap, type Value } from "../../../../expressions/values/value.js";
import type { EngineEvent, FlowTarget } from "../records.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../references.js";
import type { EngineState } from "../state.js";
import { damaged, list, number, oneOf, own, record, text, count, type StoredRecord } from "./shape.js";

const MAX_DEPTH = 100;

/** Reads of references, which are records themselves. */
export interface ReferenceReaders {
  target(stored: unknown): FlowTarget;
  event(stored: unknown): EngineEvent;
}

/** Reads values that `Encoder` wrote; everything else is refused. */
export class Decoder {
  /** Numbers of the actions that values refer to. */
  readonly actions = new Set<number>();
  readonly #state: EngineState;
  readonly #table: readonly unknown[];
  readonly #readers: ReferenceReaders;
  readonly #shared = new Map<number, Value>();
  /** Shared values that are made but not filled: one may contain itself, and a long chain of others. */
  readonly #unfilled: (() => void)[] = [];
  #depth = 0;

  /** @param table - the values that are reached on several ways */
  constructor(state: EngineState, table: readonly unknown[], readers: (decoder: Decoder) => ReferenceReaders) {
    this.#state = state;
    this.#table = table;
    this.#readers = readers(this);
  }

  /** Makes the shared values complete. To be done after everything is read. */
  fill(): void {
    for (let fill = this.#unfilled.pop(); fill !== undefined; fill = this.#unfilled.pop()) fill();
  }

  /** @throws InputShapeError when the stored value is not one of the engine's */
  value(stored: unknown): Value {
    if (stored === null || typeof stored === "string" || typeof stored === "boolean") return stored;
    if (typeof stored === "number") return number(stored, "a value");
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw damaged("a value is too deep");
    const value = Array.isArray(stored) ? this.#fillList([], stored) : this.#holder(record(stored, "a value"));
    this.#depth -= 1;
    return value;
  }

  /** A table of named values, as parameters and variables are. */
  map(stored: unknown, name: string): Record<string, Value> {
    const entries = record(stored ?? {}, name);
    const map = createMap();
    const kind = own(entries, "$");
    if (kind === undefined) return this.#fillMap(map, entries);
    if (kind !== "map") throw damaged(`\`${name}\` is not a dictionary`);
    return this.#fillEntries(map, own(entries, "v"));
  }

  /** Notes the number of an action that is referred to. */
  action(id: number): number {
    this.actions.add(id);
    return id;
  }

  #holder(stored: StoredRecord): Value {
    const kind = own(stored, "$");
    return kind === undefined ? this.#fillMap(createMap(), stored) : this.#tagged(kind, stored);
  }

  #fillList(items: Value[], stored: readonly unknown[]): Value[] {
    for (const item of stored) items.push(this.value(item));
    return items;
  }

  #fillMap(map: Record<string, Value>, stored: StoredRecord): Record<string, Value> {
    for (const key of Object.keys(stored)) map[key] = this.value(stored[key]);
    return map;
  }

  #fillSet(set: Set<Value>, stored: unknown): Set<Value> {
    for (const item of list(stored, "a set")) set.add(this.value(item));
    return set;
  }

  #fillEntries(map: Record<string, Value>, stored: unknown): Record<string, Value> {
    for (const entry of list(stored, "a dictionary")) {
      const [key, item] = list(entry, "an entry");
      map[text(key, "a key")] = this.value(item);
    }
    return map;
  }

  #tagged(kind: unknown, stored: StoredRecord): Value {
    const value = own(stored, "v");
    switch (kind) {
      case "number":
        return Number(oneOf(["NaN", "Infinity", "-Infinity"])(value, "a number"));
      case "set":
        return this.#fillSet(new Set(), value);
      case "map":
        return this.#fillEntries(createMap(), value);
      case "same":
        return this.#sharedValue(count(own(stored, "i"), "a shared value"));
      case "flow":
        return new FlowReference(this.#state, this.#readers.target(value));
      case "action":
        return new ActionReference(this.#state, this.action(count(own(stored, "id"), "an action")));
      case "event":
        return new EventReference(this.#state, this.#readers.event(value));
      case "pattern":
        return readPattern(text(value, "a pattern"));
      case "specification":
        return this.#specification(stored, this.#fillEntries(createMap(), value));
      default: {
        const comparison = oneOf(Object.keys(COMPARISONS) as ComparisonName[])(kind, "a kind of value");
        return new ComparisonValue(comparison, number(value, "a bound"));
      }
    }
  }

  #specification(stored: StoredRecord, given: Record<string, Value>): Specification {
    const subject = oneOf(["flow", "action"])(own(stored, "of"), "a specification");
    return new Specification(subject, text(own(stored, "name"), "a specification"), given);
  }

  #sharedValue(place: number): Value {
    const known = this.#shared.get(place);
    if (known !== undefined) return known;
    const stored = this.#table[place];
    if (Array.isArray(stored)) {
      const items: Value[] = [];
      return this.#share(place, items, () => this.#fillList(items, stored));
    }
    const fields = record(stored, "a shared value");
    const kind = own(fields, "$");
    const content = own(fields, "v");
    if (kind === "set") {
      const set = new Set<Value>();
      return this.#share(place, set, () => this.#fillSet(set, content));
    }
    if (kind === "event") {
      const event = {} as EngineEvent;
      return this.#share(place, new EventReference(this.#state, event), () =>
        Object.assign(event, this.#readers.event(content)),
      );
    }
    const map = createMap();
    if (kind === "specification") {
      return this.#share(place, this.#specification(fields, map), () => this.#fillEntries(map, content));
    }
    if (kind !== undefined && kind !== "map") throw damaged("a shared value is of a wrong kind");
    return this.#share(place, map, () =>
      kind === undefined ? this.#fillMap(map, fields) : this.#fillEntries(map, content),
    );
  }

  #share(place: number, value: Value, fill: () => unknown): Value {
    this.#shared.set(place, value);
    this.#unfilled.push(fill);
    return value;
  }
}

function readPattern(source: string): PatternValue {
  try {
    return new PatternValue(source);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    throw damaged("a pattern cannot be read");
  }
}

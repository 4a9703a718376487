import { GuardrailsError } from "../../../../diagnostics/errors.js";
import {
  count,
  damaged,
  list,
  number,
  oneOf,
  record,
  text,
  type StoredRecord,
} from "../../../../engine/stored-shape.js";
import { COMPARISONS, ComparisonValue, type ComparisonName } from "../../../../expressions/values/number-text.js";
import { PatternValue } from "../../../../expressions/values/pattern.js";
import { createMap, type Value } from "../../../../expressions/values/value.js";
import { ENGINE_EVENT, FLOW_TARGET, type EngineEvent, type ValueReader } from "../records.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../references.js";
import type { EngineState } from "../state.js";

const MAX_DEPTH = 100;

/** Reads values written by `Encoder` and rejects everything else. */
export class Decoder implements ValueReader {
  /** Numbers of the actions referenced by values. */
  readonly actions = new Set<number>();
  flow = "";
  readonly #state: EngineState;
  readonly #table: readonly unknown[];
  readonly #shared = new Map<number, Value>();
  /** Shared values that are created but not filled: they may contain themselves, or form long chains. */
  readonly #unfilled: { readonly value: Value; readonly stored: unknown }[] = [];
  #depth = 0;

  /** @param table - values with several references */
  constructor(state: EngineState, table: readonly unknown[]) {
    this.#state = state;
    this.#table = table;
  }

  /** Fills the shared values, after everything has been read. */
  finish(): void {
    for (let next = this.#unfilled.pop(); next !== undefined; next = this.#unfilled.pop()) {
      this.#fill(next.value, next.stored);
    }
  }

  /** @throws InputShapeError if the stored value is not one of the engine's */
  value(stored: unknown): Value {
    if (stored === null || typeof stored === "string" || typeof stored === "boolean") return stored;
    if (typeof stored === "number") return number(stored, "a value");
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw damaged("a value is too deep");
    const value = this.#create(stored);
    this.#fill(value, stored);
    this.#depth -= 1;
    return value;
  }

  /** A table of named values, as parameters and variables are. */
  map(stored: unknown, name: string): Record<string, Value> {
    const map = createMap();
    if (stored === undefined) return map;
    const { $: kind } = record(stored, name);
    if (kind !== undefined && kind !== "map") throw damaged(`\`${name}\` is not a dictionary`);
    this.#fill(map, stored);
    return map;
  }

  action(id: number): number {
    this.actions.add(id);
    return id;
  }

  /** Creates a value; containers are empty. */
  #create(stored: unknown): Value {
    if (Array.isArray(stored)) return [];
    const fields = record(stored, "a value");
    const { $: kind, v: content } = fields;
    switch (kind) {
      case undefined:
      case "map":
        return createMap();
      case "set":
        return new Set();
      case "number":
        return Number(oneOf("NaN", "Infinity", "-Infinity")(content, "a number", undefined));
      case "same":
        return this.#sharedValue(count(fields["i"], "a shared value"));
      case "flow":
        return new FlowReference(this.#state, FLOW_TARGET(content, "a flow reference", undefined));
      case "action":
        return new ActionReference(this.#state, this.action(count(fields["id"], "an action")));
      case "event":
        return new EventReference(this.#state, {} as EngineEvent);
      case "pattern":
        return readPattern(text(content, "a pattern"));
      case "specification": {
        const subject = oneOf("flow", "action")(fields["of"], "a specification", undefined);
        return new Specification(subject, text(fields["name"], "a specification"), createMap());
      }
      default: {
        const names = Object.keys(COMPARISONS) as ComparisonName[];
        return new ComparisonValue(oneOf(...names)(kind, "a kind of value", undefined), number(content, "a bound"));
      }
    }
  }

  /** Adds the items to a value created from the same stored one. */
  #fill(value: Value, stored: unknown): void {
    if (Array.isArray(stored)) {
      for (const item of stored as unknown[]) (value as Value[]).push(this.value(item));
      return;
    }
    const fields = stored as StoredRecord;
    const { $: kind, v: content } = fields;
    if (kind === undefined) {
      for (const key of Object.keys(fields)) (value as Record<string, Value>)[key] = this.value(fields[key]);
    } else if (kind === "set") {
      for (const item of list(content, "a set")) (value as Set<Value>).add(this.value(item));
    } else if (kind === "event") {
      Object.assign((value as EventReference).event, ENGINE_EVENT(content, "an event reference", this));
    } else if (kind === "map" || kind === "specification") {
      const map = (value instanceof Specification ? value.arguments : value) as Record<string, Value>;
      for (const entry of list(content, "a dictionary")) {
        const [key, item] = list(entry, "an entry");
        map[text(key, "a key")] = this.value(item);
      }
    }
  }

  #sharedValue(place: number): Value {
    const known = this.#shared.get(place);
    if (known !== undefined) return known;
    const stored = this.#table[place];
    if (!Array.isArray(stored) && !CONTAINERS.has(record(stored, "a shared value")["$"])) {
      throw damaged("a shared value is of a wrong kind");
    }
    const value = this.#create(stored);
    this.#shared.set(place, value);
    this.#unfilled.push({ value, stored });
    return value;
  }
}

/** Kinds of containers, which may be shared. */
const CONTAINERS: ReadonlySet<unknown> = new Set([undefined, "map", "set", "event", "specification"]);

function readPattern(source: string): PatternValue {
  try {
    return new PatternValue(source);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    throw damaged("a pattern cannot be read");
  }
}

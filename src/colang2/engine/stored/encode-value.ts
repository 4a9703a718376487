import { ComparisonValue } from "../../../expressions/comparison-value.js";
import { PatternValue } from "../../../expressions/pattern-value.js";
import { createMap, isList, isMap, isObject, isSet, readOwn, toValue, type Value } from "../../../expressions/value.js";
import type { ActionObject } from "../action-object.js";
import type { EngineEvent } from "../event.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../references.js";

/** Plain JSON. */
export type Stored = null | boolean | number | string | Stored[] | { [key: string]: Stored };

/** What a value refers to is stored in tables of its own, once (spec 6.11). */
export interface ReferenceSink {
  flow(reference: FlowReference): void;
  action(action: ActionObject): void;
  event(event: EngineEvent): void;
}

/**
 * Writes values as JSON. Lists and maps that are reached on two ways stay one after reading. Everything that is not plain is
 * an object with the key `$`.
 */
export class ValueEncoder {
  readonly #sink: ReferenceSink;
  /** The values that are reached on several ways, by number. */
  readonly shared: Stored[] = [];
  /** How often each list, set or map was met while counting; then its number. */
  readonly #seen = new Map<object, number>();
  readonly #numbers = new Map<object, number>();

  constructor(sink: ReferenceSink) {
    this.#sink = sink;
  }

  /** INVARIANT: every value is counted before the first one is written. */
  count(value: Value): void {
    if (typeof value !== "object" || value === null) return;
    if (isObject(value)) {
      if (value instanceof Specification) this.count(value.arguments);
      return;
    }
    const times = (this.#seen.get(value) ?? 0) + 1;
    this.#seen.set(value, times);
    if (times > 1) return;
    if (isList(value) || isSet(value)) for (const item of value) this.count(toValue(item));
    else for (const key of Object.keys(value)) this.count(readOwn(value, key) ?? null);
  }

  write(value: Value): Stored {
    if (typeof value === "number") return Number.isFinite(value) ? value : { $: "number", v: String(value) };
    if (typeof value !== "object" || value === null) return value;
    if (isObject(value)) return this.#writeObject(value);
    if ((this.#seen.get(value) ?? 0) < 2) return this.#writeHolder(value);
    const known = this.#numbers.get(value);
    if (known !== undefined) return { $: "same", i: known };
    const number = this.#numbers.size;
    this.#numbers.set(value, number);
    this.shared[number] = null;
    this.shared[number] = this.#writeHolder(value);
    return { $: "same", i: number };
  }

  #writeHolder(value: Value & object): Stored {
    if (isList(value)) return value.map((item) => this.write(toValue(item)));
    if (isSet(value)) return { $: "set", v: [...value].map((item) => this.write(item)) };
    if (!isMap(value)) return null;
    const keys = Object.keys(value);
    const entries = keys.map((key): [string, Stored] => [key, this.write(readOwn(value, key) ?? null)]);
    if (keys.includes("$")) return { $: "map", v: entries };
    const map = createMap() as Record<string, Stored>;
    for (const [key, item] of entries) map[key] = item;
    return map;
  }

  #writeObject(value: Value): Stored {
    if (value instanceof FlowReference) {
      this.#sink.flow(value);
      return { $: "flow", uid: value.uid };
    }
    if (value instanceof ActionReference) {
      this.#sink.action(value.action);
      return { $: "action", uid: value.action.uid };
    }
    if (value instanceof EventReference) {
      this.#sink.event(value.event);
      return { $: "event", uid: value.event.uid };
    }
    if (value instanceof PatternValue) return { $: "pattern", v: value.source };
    if (value instanceof ComparisonValue) return { $: value.comparison, v: value.bound };
    if (value instanceof Specification) {
      return { $: "specification", of: value.subject, name: value.name, v: this.write(value.arguments) };
    }
    return null;
  }
}

import { StateSize } from "../../../../engine/limits.js";
import { ComparisonValue } from "../../../../expressions/values/comparison-value.js";
import { PatternValue } from "../../../../expressions/values/pattern-value.js";
import {
  createMap,
  isList,
  isMap,
  isObject,
  isSet,
  readOwn,
  toValue,
  type Value,
} from "../../../../expressions/values/value.js";
import type { ActionObject } from "../action-object.js";
import type { EngineEvent } from "../event.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../references.js";

/** Plain JSON. */
export type Stored = null | boolean | number | string | Stored[] | { [key: string]: Stored };

/** What a value refers to is stored in tables of its own, once (spec 6.11). Gives the key in its table. */
export interface ReferenceSink {
  flow(reference: FlowReference): string;
  action(action: ActionObject): string;
  event(event: EngineEvent): string;
}

export interface ValueWriter {
  write(value: Value): Stored;
  /** Writes what was put off; it may refer to further things. */
  flush(): void;
}

/**
 * Writes values as JSON. Lists and maps that are reached on two ways stay one after reading. Everything that is not plain is
 * an object with the key `$`.
 */
export class ValueEncoder implements ValueWriter {
  readonly #sink: ReferenceSink;
  readonly #isShared: ReadonlySet<object>;
  /** The values that are reached on several ways, by number. */
  readonly shared: Stored[] = [];
  readonly #numbers = new Map<object, number>();
  readonly #pending: { readonly number: number; readonly value: Value & object }[] = [];

  readonly #size = new StateSize();

  /** @param isShared - what a `ValueCounter` found in the same state */
  constructor(sink: ReferenceSink, isShared: ReadonlySet<object>) {
    this.#sink = sink;
    this.#isShared = isShared;
  }

  /** @throws LimitError when the values together exceed `stateSize` */
  write(value: Value): Stored {
    this.#size.add({ values: 1, characters: typeof value === "string" ? value.length : 0 });
    if (typeof value === "number") return Number.isFinite(value) ? value : { $: "number", v: String(value) };
    if (typeof value !== "object" || value === null) return value;
    if (isObject(value)) return this.#writeObject(value);
    if (!this.#isShared.has(value)) return this.#writeHolder(value);
    const known = this.#numbers.get(value);
    if (known !== undefined) return { $: "same", i: known };
    const number = this.#numbers.size;
    this.#numbers.set(value, number);
    // INVARIANT: never written from inside another value, so the depth of what is stored has a bound.
    this.#pending.push({ number, value });
    return { $: "same", i: number };
  }

  flush(): void {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      this.shared[next.number] = this.#writeHolder(next.value);
    }
  }

  #writeHolder(value: Value & object): Stored {
    if (isList(value)) return value.map((item) => this.write(toValue(item)));
    if (isSet(value)) return { $: "set", v: [...value].map((item) => this.write(item)) };
    if (!isMap(value)) return null;
    const keys = Object.keys(value);
    const entries = keys.map((key): [string, Stored] => {
      this.#size.add({ values: 0, characters: key.length });
      return [key, this.write(readOwn(value, key) ?? null)];
    });
    if (keys.includes("$")) return { $: "map", v: entries };
    const map = createMap() as Record<string, Stored>;
    for (const [key, item] of entries) map[key] = item;
    return map;
  }

  #writeObject(value: Value): Stored {
    const reference = noteReference(this.#sink, value);
    if (reference !== undefined) return reference;
    if (value instanceof PatternValue) return { $: "pattern", v: value.source };
    if (value instanceof ComparisonValue) return { $: value.comparison, v: this.write(value.bound) };
    if (value instanceof Specification) {
      const given = createMap() as Record<string, Stored>;
      for (const name of Object.keys(value.arguments)) given[name] = this.write(value.arguments[name] ?? null);
      return { $: "specification", of: value.subject, name: value.name, v: Object.entries(given) };
    }
    return null;
  }
}

/** Puts what a reference stands for into its table. */
export function noteReference(sink: ReferenceSink, value: Value): Stored | undefined {
  if (value instanceof FlowReference) return { $: "flow", uid: sink.flow(value) };
  if (value instanceof ActionReference) return { $: "action", uid: sink.action(value.action) };
  if (value instanceof EventReference) return { $: "event", uid: sink.event(value.event) };
  return undefined;
}

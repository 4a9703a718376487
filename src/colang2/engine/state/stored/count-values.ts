import { isList, isObject, isSet, readOwn, toValue, type Value } from "../../../../expressions/values/value.js";
import { Specification } from "../references.js";
import { noteReference, type ReferenceSink, type Stored, type ValueWriter } from "./encode-value.js";

/** Deeper than this a value is written as one of the shared ones, so that nothing stored is deep. */
const MAX_NESTING = 40;

/**
 * Finds the lists, sets and maps that are reached on several ways: the first of two passes over a state. Without recursion,
 * since a program may build values of any depth.
 */
export class ValueCounter implements ValueWriter {
  readonly #sink: ReferenceSink;
  readonly #met = new Set<object>();
  readonly shared = new Set<object>();

  constructor(sink: ReferenceSink) {
    this.#sink = sink;
  }

  write(value: Value): Stored {
    const open: { readonly value: Value; readonly depth: number }[] = [{ value, depth: 0 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { depth } = next;
      for (const inner of this.#enter(next.value, depth)) open.push({ value: inner, depth: depth + 1 });
    }
    return null;
  }

  flush(): void {
    // Everything is counted at once.
  }

  #enter(value: Value, depth: number): readonly Value[] {
    if (typeof value !== "object" || value === null) return [];
    if (isObject(value)) {
      noteReference(this.#sink, value);
      return value instanceof Specification ? itemsOf(value.arguments) : [];
    }
    if (this.#met.has(value) || depth >= MAX_NESTING) this.shared.add(value);
    if (this.#met.has(value)) return [];
    this.#met.add(value);
    return itemsOf(value);
  }
}

function itemsOf(value: Value & object): readonly Value[] {
  if (isList(value)) return value.map(toValue);
  if (isSet(value)) return [...value];
  return Object.keys(value).map((key) => readOwn(value as Parameters<typeof readOwn>[0], key) ?? null);
}

import { LimitError } from "../../../diagnostics/errors.js";
import type { WorkBudget } from "../../../expressions/evaluate/limits.js";
import {
  createMap,
  isList,
  isMap,
  isObject,
  isSet,
  readOwn,
  toValue,
  type Value,
} from "../../../expressions/values/value.js";
import { ENGINE_WORK } from "../limits.js";

const MAX_DEPTH = 100;
const MAX_ITEMS = 100_000;

/** Counts copied items; an item that is reached on several ways counts on each of them. */
class Allowance {
  #left = MAX_ITEMS;

  /** @param depth - of the items */
  take(items: number, depth: number): void {
    if (items > 0 && depth > MAX_DEPTH) throw tooMuch("valueDepth", MAX_DEPTH);
    if ((this.#left -= items) < 0) throw tooMuch("valueItems", MAX_ITEMS);
  }

  get taken(): number {
    return MAX_ITEMS - this.#left;
  }
}

/**
 * A deep copy, so that an event is frozen at the moment of sending. Objects are the things they stand for and are not copied.
 *
 * @throws LimitError when the value is too deep, as one that contains itself is, or too large
 */
export function copyValue(value: Value, budget?: WorkBudget): Value {
  if (typeof value !== "object" || value === null || isObject(value)) return value;
  const allowance = new Allowance();
  const copied = copyItems(value, 1, allowance);
  budget?.spend(allowance.taken * ENGINE_WORK.item);
  return copied;
}

function copyItems(
  value: Exclude<Value, null | boolean | number | string>,
  depth: number,
  allowance: Allowance,
): Value {
  if (isObject(value)) return value;
  const copy = (raw: unknown): Value => {
    const item = toValue(raw);
    return typeof item === "object" && item !== null ? copyItems(item, depth + 1, allowance) : item;
  };
  if (isList(value)) {
    allowance.take(value.length, depth);
    return value.map(copy);
  }
  if (isSet(value)) {
    allowance.take(value.size, depth);
    return new Set([...value].map(copy));
  }
  const keys = Object.keys(value);
  allowance.take(keys.length, depth);
  const map = createMap();
  for (const key of keys) {
    const item = readOwn(value, key) ?? null;
    map[key] = typeof item === "object" && item !== null ? copyItems(item, depth + 1, allowance) : item;
  }
  return map;
}

/**
 * A value of the runtime as one of ours: a copy, with maps that have no prototype. Values of the world outside have been
 * made plain data before (`engine/plain-data.ts`).
 *
 * @throws LimitError when the value is too deep or too large
 */
export function fromOutside(value: unknown): Value {
  return copyValue(toValue(value));
}

/** A value as JSON can carry it: sets as lists, numbers without a word as null, objects as texts. @throws LimitError */
export function toOutside(value: Value): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  const allowance = new Allowance();
  const convert = (item: Value, depth: number): unknown => {
    allowance.take(1, depth);
    if (typeof item === "number") return Number.isFinite(item) ? item : null;
    if (typeof item !== "object" || item === null) return item;
    if (isObject(item)) return item.toText();
    if (isList(item) || isSet(item)) return [...item].map((entry) => convert(toValue(entry), depth + 1));
    const map: Record<string, unknown> = {};
    if (!isMap(item)) return map;
    for (const key of Object.keys(item)) {
      // INVARIANT: no key of a program reaches a prototype.
      if (key !== "__proto__") map[key] = convert(readOwn(item, key) ?? null, depth + 1);
    }
    return map;
  };
  return convert(value, 0);
}

function tooMuch(limit: string, maximum: number): LimitError {
  return new LimitError(`a value exceeds the limit \`${limit}\` of ${maximum}`, { limit, maximum });
}

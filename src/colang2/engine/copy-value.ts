import { LimitError } from "../../diagnostics/errors.js";
import { createMap, isList, isMap, isObject, isSet, readOwn, toValue, type Value } from "../../expressions/value.js";

const MAX_DEPTH = 100;
const MAX_ITEMS = 100_000;

/**
 * A deep copy, so that what is sent is frozen at the moment of sending (spec 3.1). Objects are the things they stand for
 * and are not copied.
 *
 * @throws LimitError when the value is too deep, as one that contains itself is, or too large
 */
export function copyValue(value: Value): Value {
  let left = MAX_ITEMS;
  const copy = (item: Value, depth: number): Value => {
    if (typeof item !== "object" || item === null || isObject(item)) return item;
    if (depth > MAX_DEPTH) throw tooMuch("valueDepth", MAX_DEPTH);
    if ((left -= 1) < 0) throw tooMuch("valueItems", MAX_ITEMS);
    if (isList(item)) return item.map((entry) => copy(toValue(entry), depth + 1));
    if (isSet(item)) return new Set([...item].map((entry) => copy(entry, depth + 1)));
    const map = createMap();
    for (const key of Object.keys(item)) map[key] = copy(readOwn(item, key) ?? null, depth + 1);
    return map;
  };
  return copy(value, 0);
}

/** A value of the world outside as one of ours: a copy, with maps that have no prototype. */
export function fromOutside(value: unknown): Value {
  return copyValue(toValue(value));
}

/** A value as JSON can carry it: sets as lists, numbers without a word as null, objects as texts. */
export function toOutside(value: Value, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw tooMuch("valueDepth", MAX_DEPTH);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (isObject(value)) return value.toText();
  if (isList(value) || isSet(value)) return [...value].map((item) => toOutside(toValue(item), depth + 1));
  const map: Record<string, unknown> = {};
  if (isMap(value)) {
    for (const key of Object.keys(value)) {
      // INVARIANT: no key of a program reaches a prototype.
      if (key !== "__proto__") map[key] = toOutside(readOwn(value, key) ?? null, depth + 1);
    }
  }
  return map;
}

function tooMuch(limit: string, maximum: number): LimitError {
  return new LimitError(`a value exceeds the limit \`${limit}\` of ${maximum}`, { limit, maximum });
}

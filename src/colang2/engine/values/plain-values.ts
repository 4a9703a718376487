import type { EngineState } from "../state/state.js";
import { LimitError } from "../../../diagnostics/errors.js";
import type { WorkBudget } from "../../../expressions/evaluate/runtime.js";
import {
  createMap,
  isList,
  isMap,
  isObject,
  isSet,
  readOwn,
  toValue,
  type Value,
  type ValueMap,
} from "../../../expressions/values/value.js";
import { ENGINE_WORK } from "../limits.js";
import { createTable } from "../state/event.js";

const MAX_DEPTH = 100;
const MAX_ITEMS = 100_000;

/** Counts copied items; a shared item counts once per reference. */
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
 * A deep copy, so that an event is frozen when it is sent. References are not copied.
 *
 * @throws LimitError if the value is too large or too deep, as when it contains itself
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
  if (isList(value)) {
    allowance.take(value.length, depth);
    return value.map((item) => copyItem(item, depth, allowance));
  }
  if (isSet(value)) {
    allowance.take(value.size, depth);
    return new Set([...value].map((item) => copyItem(item, depth, allowance)));
  }
  return copyEntries(createMap(), value as ValueMap, depth, allowance);
}

function copyItem(raw: unknown, depth: number, allowance: Allowance): Value {
  const item = toValue(raw);
  return typeof item === "object" && item !== null ? copyItems(item, depth + 1, allowance) : item;
}

function copyEntries(
  copy: Record<string, Value>,
  map: ValueMap,
  depth: number,
  allowance: Allowance,
): Record<string, Value> {
  const keys = Object.keys(map);
  allowance.take(keys.length, depth);
  for (const key of keys) {
    const value: unknown = Object.getOwnPropertyDescriptor(map, key)?.value;
    const isText = typeof value === "string" || typeof value === "boolean" || value === null;
    copy[key] = isText ? value : copyItem(value, depth, allowance);
  }
  return copy;
}

/** Like `fromOutside`, for a map whose entries become a table of the engine. */
export function tableFromOutside(map: Readonly<Record<string, unknown>>): Record<string, Value> {
  return copyEntries(createTable(), map as ValueMap, 1, new Allowance());
}

/**
 * Copies a runtime value to an engine value, whose maps have no prototype. External values were converted to plain data
 * before (`engine/plain-data.ts`).
 *
 * @throws LimitError if the value is too deep or too large
 */
export function fromOutside(value: unknown): Value {
  return copyValue(toValue(value));
}

/** Converts a value to JSON: sets become lists, non-finite numbers null, objects texts. @throws LimitError */
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
      // INVARIANT: no program key reaches a prototype.
      if (key !== "__proto__") map[key] = convert(readOwn(item, key) ?? null, depth + 1);
    }
    return map;
  };
  return convert(value, 0);
}

function tooMuch(limit: string, maximum: number): LimitError {
  return new LimitError(`a value exceeds the limit \`${limit}\` of ${maximum}`, { limit, maximum });
}

/** All global variables as plain data; null for one that is too large or contains itself. */
export function plainGlobals(state: EngineState): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(state.data.globals))
    if (name !== "__proto__") plain[name] = plainOrNull(value);
  return plain;
}

/** INVARIANT: a self-containing value fails its readers, but never later turns. */
export function plainOrNull(value: Value): unknown {
  try {
    return toOutside(value);
  } catch (error) {
    if (!LimitError.isInstance(error)) throw error;
    return null;
  }
}

/** Maximum comparisons of one value with another, since shared lists would otherwise be compared repeatedly. */
const MAX_COMPARED = 200_000;

/** `==` of the language, without the cost of an evaluation. Values too large to compare count as different. */
export function equalValues(left: Value, right: Value, budget: WorkBudget): boolean {
  const comparison = new Comparison();
  const isEqual = comparison.compare(left, right, 0);
  budget.add(comparison.count * ENGINE_WORK.item);
  return isEqual && !comparison.isTooLarge;
}

class Comparison {
  count = 0;

  get isTooLarge(): boolean {
    return this.count > MAX_COMPARED;
  }

  compare(left: Value, right: Value, depth: number): boolean {
    this.count += 1;
    if (left === right) return true;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (depth > MAX_DEPTH || this.isTooLarge) return false;
    if (isObject(left)) return left.equals(right);
    if (isList(left)) {
      return (
        isList(right) &&
        left.length === right.length &&
        left.every((item, at) => this.compare(toValue(item), toValue(right[at]), depth + 1))
      );
    }
    if (isSet(left)) return isSet(right) && this.#compareSets(left, right, depth);
    if (!isMap(right) || !isMap(left)) return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    return keys.every((key) => {
      const other = readOwn(right, key);
      return other !== undefined && this.compare(readOwn(left, key) ?? null, other, depth + 1);
    });
  }

  #compareSets(left: ReadonlySet<Value>, right: ReadonlySet<Value>, depth: number): boolean {
    if (left.size !== right.size) return false;
    const others = [...right];
    return [...left].every((item) => right.has(item) || others.some((other) => this.compare(item, other, depth + 1)));
  }
}

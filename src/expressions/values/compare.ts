import type { CompareOperator } from "../ast.js";
import { WORK, type Runtime } from "../evaluate/runtime.js";
import { numberText } from "./number-text.js";
import { compareText, findText } from "./text.js";
import {
  describeType,
  isList,
  isMap,
  isObject,
  isSet,
  readOwn,
  toValue,
  UNDEFINED,
  type Value,
  type ValueMap,
} from "./value.js";

/** Returns true if a comparison holds. */
export function compareValues(runtime: Runtime, operator: CompareOperator, left: Value, right: Value): boolean {
  switch (operator) {
    case "==":
      return isEqual(runtime, left, right);
    case "!=":
      return !isEqual(runtime, left, right);
    case "is":
    case "is not":
      // Objects are equal if they refer to the same entity.
      return (left === right || (isObject(left) && left.equals(right))) === (operator === "is");
    case "in":
      return isIn(runtime, left, right);
    case "not in":
      return !isIn(runtime, left, right);
    default:
      // A condition on a variable that may be missing needs no guard.
      if (left === UNDEFINED || right === UNDEFINED) return false;
      return typeof left === "number" && typeof right === "number"
        ? IS_IN_ORDER[operator](left, right)
        : IS_IN_ORDER[operator](orderValues(runtime, left, right), 0);
  }
}

const IS_IN_ORDER = {
  "<": (left: number, right: number) => left < right,
  "<=": (left: number, right: number) => left <= right,
  ">": (left: number, right: number) => left > right,
  ">=": (left: number, right: number) => left >= right,
} as const;

/** Deep for lists, sets and maps; a number never equals a string, and a boolean equals a number only in dialects with `booleansAreNumbers`. */
export function isEqual(runtime: Runtime, left: Value, right: Value, depth = 0): boolean {
  // INVARIANT: immediate equality is charged too, since long strings are compared to their ends.
  if (typeof left === "string" && typeof right === "string" && left.length === right.length) {
    runtime.chargeText(left.length);
  }
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") {
    const number = toNumber(runtime, left);
    return number !== undefined && number === toNumber(runtime, right);
  }
  if (left === null || right === null) return false;
  if (depth > runtime.limits.depth) runtime.exceed("depth", "the values to compare are too deeply nested");
  runtime.charge(WORK.comparison);
  if (isList(left)) return isList(right) && isEqualList(runtime, left, right, depth);
  if (isObject(left)) return left.equals(right);
  if (isMap(left)) return isMap(right) && isEqualMap(runtime, left, right, depth);
  if (!isSet(left) || !isSet(right) || left.size !== right.size) return false;
  runtime.chargeEntries(left.size);
  return [...left].every((item) => isInSet(runtime, right, item, depth));
}

/** Returns true if a set has an item equal to this one; lists, maps and special values are compared one by one. */
export function isInSet(runtime: Runtime, set: ReadonlySet<Value>, item: Value, depth = 0): boolean {
  if (typeof item === "string") runtime.chargeText(item.length);
  if (set.has(item)) return true;
  if (typeof item !== "object" || item === null) return false;
  runtime.chargeItems(set.size);
  for (const member of set) {
    if (typeof member === "object" && member !== null && isEqual(runtime, member, item, depth + 1)) return true;
  }
  return false;
}

/** A number, or a boolean as 0 or 1 if the dialect allows it. */
export function toNumber(runtime: Runtime, value: Value): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "boolean" && runtime.dialect.booleansAreNumbers ? Number(value) : undefined;
}

function isEqualList(runtime: Runtime, left: readonly Value[], right: readonly Value[], depth: number): boolean {
  if (left.length !== right.length) return false;
  runtime.chargeItems(left.length);
  for (let at = 0; at < left.length; at += 1) {
    if (!isEqual(runtime, toValue(left[at]), toValue(right[at]), depth + 1)) return false;
  }
  return true;
}

function isEqualMap(runtime: Runtime, left: ValueMap, right: ValueMap, depth: number): boolean {
  const keys = keysOf(runtime, left);
  if (keysOf(runtime, right).length !== keys.length) return false;
  return keys.every((key) => {
    const other = readOwn(right, key);
    return other !== undefined && isEqual(runtime, readOwn(left, key) ?? null, other, depth + 1);
  });
}

/** Part of a string, member of a list or set, key of a map. */
function isIn(runtime: Runtime, item: Value, container: Value): boolean {
  if (typeof container === "string") {
    if (typeof item === "string") return findText(runtime, container, item) !== -1;
    if (runtime.dialect.lenient) return false;
    return runtime.fail(`only a string can be in a string, not ${describeType(item)}`);
  }
  if (isList(container)) {
    runtime.chargeItems(container.length);
    return container.some((member) => isEqual(runtime, toValue(member), item));
  }
  if (isSet(container)) return isInSet(runtime, container, item);
  if (isMap(container)) {
    const key = toKey(item);
    return key !== undefined && readOwn(container, key) !== undefined;
  }
  return runtime.dialect.lenient ? false : runtime.fail(`nothing can be in ${describeType(container)}`);
}

/** The keys of a map, counted as work. */
export function keysOf(runtime: Runtime, map: ValueMap): readonly string[] {
  const keys = Object.keys(map);
  runtime.charge(keys.length * WORK.key);
  return keys;
}

/** The text under which a map holds a key; lists, sets and maps are no keys. */
export function toKey(value: Value): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return numberText(value);
    case "boolean":
      return value ? "True" : "False";
    default:
      return value === null ? "None" : undefined;
  }
}

/**
 * Returns a negative, zero or positive number if `left` sorts before, with or after `right`. Values of different types
 * have no order.
 */
export function orderValues(runtime: Runtime, left: Value, right: Value, depth = 0): number {
  runtime.charge(WORK.comparison);
  const first = toNumber(runtime, left);
  const second = toNumber(runtime, right);
  if (first !== undefined && second !== undefined) return first - second;
  if (typeof left === "string" && typeof right === "string") {
    runtime.chargeText(Math.min(left.length, right.length) * 4);
    return compareText(left, right);
  }
  if (isList(left) && isList(right)) return orderLists(runtime, left, right, depth);
  return runtime.fail(`cannot order ${describeType(left)} and ${describeType(right)}`);
}

function orderLists(runtime: Runtime, left: readonly Value[], right: readonly Value[], depth: number): number {
  if (depth > runtime.limits.depth) runtime.exceed("depth", "the values to compare are too deeply nested");
  const shorter = Math.min(left.length, right.length);
  runtime.chargeItems(shorter);
  for (let at = 0; at < shorter; at += 1) {
    const first = toValue(left[at]);
    const second = toValue(right[at]);
    if (!isEqual(runtime, first, second, depth + 1)) return orderValues(runtime, first, second, depth + 1);
  }
  return left.length - right.length;
}

import { isEqual, isInSet, orderValues, toKey } from "./compare.js";
import { toPythonText } from "./format.js";
import { defineFunction, type FunctionArguments, type FunctionDefinition } from "./function-definition.js";
import type { Runtime } from "./runtime.js";
import { createMap, describeType, isList, isMap, isSet, isTruthy, readOwn, toValue, type Value } from "./value.js";

/*
 * Methods that change the list or map they are called on, for a dialect whose collections have reference semantics. The host
 * owns every collection an expression can reach: what comes from outside has been copied before.
 */

function listMethod(
  name: string,
  signature: string,
  run: (runtime: Runtime, list: Value[], given: FunctionArguments) => Value,
): FunctionDefinition {
  // INVARIANT: the evaluator calls a method only on a value of the type whose table it was found in.
  return defineFunction(name, signature, (runtime, [self, ...given]) =>
    run(runtime, self as unknown as Value[], given),
  );
}

const APPEND = listMethod("append", "item", (runtime, list, [item]) => {
  runtime.checkList(list.length + 1);
  list.push(item ?? null);
  return null;
});

const EXTEND = listMethod("extend", "items", (runtime, list, [given]) => {
  const items = itemsOf(runtime, "extend", given);
  runtime.checkList(list.length + items.length);
  for (const item of items) list.push(toValue(item));
  return null;
});

const INSERT = listMethod("insert", "index, item", (runtime, list, [index, item]) => {
  runtime.checkList(list.length + 1);
  list.splice(positionOf(runtime, "insert", index), 0, item ?? null);
  return null;
});

const REMOVE = listMethod("remove", "item", (runtime, list, [item]) => {
  runtime.chargeItems(list.length);
  const at = list.findIndex((member) => isEqual(runtime, toValue(member), item ?? null));
  if (at === -1) return runtime.fail(`${shortText(runtime, item)} is not in the list`);
  list.splice(at, 1);
  return null;
});

const POP_ITEM = listMethod("pop", "index?", (runtime, list, [index]) => {
  const given = index === undefined ? -1 : positionOf(runtime, "pop", index);
  const at = given < 0 ? given + list.length : given;
  if (at < 0 || at >= list.length) return runtime.fail(`\`pop\` of a list of length ${list.length}`);
  runtime.chargeItems(list.length);
  return toValue(list.splice(at, 1)[0]);
});

const SORT = listMethod("sort", "reverse?", (runtime, list, [reverse]) => {
  runtime.checkList(list.length);
  const sign = isTruthy(reverse ?? false) ? -1 : 1;
  // Sorted apart, so that an error in the middle leaves the list as it was.
  const sorted = list.map(toValue).sort((left, right) => sign * orderValues(runtime, left, right));
  list.splice(0, list.length, ...sorted);
  return null;
});

const REVERSE = listMethod("reverse", "", (runtime, list) => {
  runtime.chargeItems(list.length);
  list.reverse();
  return null;
});

const COPY_LIST = listMethod("copy", "", (runtime, list) => {
  runtime.checkList(list.length);
  return [...list];
});

const CLEAR_LIST = listMethod("clear", "", (_, list) => {
  list.length = 0;
  return null;
});

export const LIST_MUTATORS: readonly FunctionDefinition[] = [
  APPEND,
  EXTEND,
  INSERT,
  REMOVE,
  POP_ITEM,
  SORT,
  REVERSE,
  COPY_LIST,
  CLEAR_LIST,
];

function mapMethod(
  name: string,
  signature: string,
  run: (runtime: Runtime, map: Record<string, Value>, given: FunctionArguments) => Value,
): FunctionDefinition {
  return defineFunction(name, signature, (runtime, [self, ...given]) =>
    run(runtime, self as Record<string, Value>, given),
  );
}

const UPDATE_MAP = mapMethod("update", "other?, **named", (runtime, map, [other, named]) => {
  for (const source of [other, named]) {
    if (source === undefined) continue;
    if (!isMap(source)) return runtime.fail(`\`update\` needs a map, not ${describeType(source)}`);
    const keys = Object.keys(source);
    runtime.checkList(keys.length);
    for (const key of keys) writeKey(map, key, readOwn(source, key) ?? null);
  }
  return null;
});

const POP_KEY = mapMethod("pop", "key, default?", (runtime, map, [key, otherwise]) => {
  const name = keyOf(runtime, key);
  const value = readOwn(map, name);
  if (value === undefined) {
    return otherwise === undefined ? runtime.fail(`the map has no key ${shortText(runtime, key)}`) : otherwise;
  }
  delete map[name];
  return value;
});

const SET_DEFAULT = mapMethod("setdefault", "key, default?", (runtime, map, [key, otherwise]) => {
  const name = keyOf(runtime, key);
  const value = readOwn(map, name);
  if (value !== undefined) return value;
  writeKey(map, name, otherwise ?? null);
  return otherwise ?? null;
});

const COPY_MAP = mapMethod("copy", "", (runtime, map) => {
  const keys = Object.keys(map);
  runtime.checkList(keys.length);
  const copy = createMap();
  for (const key of keys) copy[key] = readOwn(map, key) ?? null;
  return copy;
});

const CLEAR_MAP = mapMethod("clear", "", (_, map) => {
  for (const key of Object.keys(map)) delete map[key];
  return null;
});

export const MAP_MUTATORS: readonly FunctionDefinition[] = [UPDATE_MAP, POP_KEY, SET_DEFAULT, COPY_MAP, CLEAR_MAP];

/** Also for a map with a prototype: the key becomes a property of its own, whatever it is called. */
function writeKey(map: Record<string, Value>, key: string, value: Value): void {
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
}

function keyOf(runtime: Runtime, key: Value | undefined): string {
  return toKey(key ?? null) ?? runtime.fail(`${describeType(key ?? null)} cannot be a key`);
}

function positionOf(runtime: Runtime, name: string, index: Value | undefined): number {
  if (typeof index === "number" && Number.isInteger(index)) return index;
  return runtime.fail(`\`${name}\` needs a whole number as index`);
}

/** What a loop would go over. */
export function itemsOf(runtime: Runtime, name: string, value: Value | undefined): readonly Value[] {
  if (value !== undefined && isList(value)) return value;
  if (value !== undefined && isSet(value)) return [...value];
  if (typeof value === "string") {
    runtime.checkList(value.length);
    return Array.from(value);
  }
  if (value !== undefined && isMap(value)) return Object.keys(value);
  return runtime.fail(`\`${name}\` needs a list, not ${describeType(value ?? null)}`);
}

/** Adds an item unless an equal one is in the set. */
export function addToSet(runtime: Runtime, set: Set<Value>, item: Value): void {
  if (isInSet(runtime, set, item)) return;
  runtime.checkList(set.size + 1);
  set.add(item);
}

function shortText(runtime: Runtime, value: Value | undefined): string {
  return `\`${toPythonText(value ?? null, runtime.limits).slice(0, 40)}\``;
}

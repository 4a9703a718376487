import { isEqual, isInSet, keysOf, orderValues, toKey } from "../values/compare.js";
import { toPythonText } from "../values/format.js";
import {
  defineFunction,
  defineMutator,
  type FunctionArguments,
  type FunctionDefinition,
} from "./function-definition.js";
import { WORK } from "../evaluate/limits.js";
import type { Runtime } from "../evaluate/runtime.js";
import { itemsOf } from "./items.js";
import {
  createMap,
  describeType,
  isMap,
  isTruthy,
  readOwn,
  toValue,
  type Value,
  type ValueMap,
} from "../values/value.js";

/*
 * Methods of lists and maps for a dialect whose collections have reference semantics: most change the value they are called on. The host
 * owns every collection an expression can reach: what comes from outside has been copied before.
 */

function listMutator(
  name: string,
  signature: string,
  run: (runtime: Runtime, list: Value[], given: FunctionArguments) => Value,
): FunctionDefinition {
  // INVARIANT: the evaluator calls a method only on a value of the type whose table it was found in.
  return defineMutator(name, signature, (runtime, [self, ...given]) => run(runtime, self as unknown as Value[], given));
}

const APPEND = listMutator("append", "item", (runtime, list, [item]) => {
  runtime.checkSize(list.length + 1);
  list.push(item ?? null);
  return null;
});

const EXTEND = listMutator("extend", "items", (runtime, list, [given]) => {
  const items = itemsOf(runtime, "extend", given);
  runtime.checkList(list.length + items.length);
  // INVARIANT: what is added is counted before anything is, for the list may be given to itself.
  const count = items.length;
  for (let at = 0; at < count; at += 1) list.push(toValue(items[at]));
  return null;
});

const INSERT = listMutator("insert", "index, item", (runtime, list, [index, item]) => {
  runtime.checkSize(list.length + 1);
  runtime.chargeText(list.length);
  list.splice(positionOf(runtime, "insert", index), 0, item ?? null);
  return null;
});

const REMOVE = listMutator("remove", "item", (runtime, list, [item]) => {
  runtime.chargeItems(list.length);
  const at = list.findIndex((member) => isEqual(runtime, toValue(member), item ?? null));
  if (at === -1) return runtime.fail(`${shortText(runtime, item)} is not in the list`);
  list.splice(at, 1);
  return null;
});

const POP_ITEM = listMutator("pop", "index?", (runtime, list, [index]) => {
  const given = index === undefined ? -1 : positionOf(runtime, "pop", index);
  const at = given < 0 ? given + list.length : given;
  if (at < 0 || at >= list.length) return runtime.fail(`\`pop\` of a list of length ${list.length}`);
  runtime.chargeText(list.length - at);
  return toValue(list.splice(at, 1)[0]);
});

const SORT = listMutator("sort", "reverse?", (runtime, list, [reverse]) => {
  runtime.checkList(list.length);
  const sign = isTruthy(reverse ?? false) ? -1 : 1;
  // Sorted apart, so that an error in the middle leaves the list as it was.
  const sorted = list.map(toValue).sort((left, right) => sign * orderValues(runtime, left, right));
  for (let at = 0; at < sorted.length; at += 1) list[at] = sorted[at] ?? null;
  return null;
});

const REVERSE = listMutator("reverse", "", (runtime, list) => {
  runtime.chargeItems(list.length);
  list.reverse();
  return null;
});

const COPY_LIST = defineFunction("copy", "", (runtime, [self]) => {
  const list = self as readonly Value[];
  runtime.checkList(list.length);
  return [...list];
});

const CLEAR_LIST = listMutator("clear", "", (_, list) => {
  list.length = 0;
  return null;
});

export const REFERENCE_LIST_METHODS: readonly FunctionDefinition[] = [
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

function mapMutator(
  name: string,
  signature: string,
  run: (runtime: Runtime, map: Record<string, Value>, given: FunctionArguments) => Value,
): FunctionDefinition {
  return defineMutator(name, signature, (runtime, [self, ...given]) =>
    run(runtime, self as Record<string, Value>, given),
  );
}

const UPDATE_MAP = mapMutator("update", "other?, **named", (runtime, map, [other, named]) => {
  for (const source of [other, named]) {
    if (source === undefined) continue;
    if (!isMap(source)) return runtime.fail(`\`update\` needs a map, not ${describeType(source)}`);
    const keys = keysOf(runtime, source);
    const added = source === map ? 0 : keys.filter((key) => readOwn(map, key) === undefined).length;
    runtime.checkSize(keysOf(runtime, map).length + added);
    runtime.charge(keys.length * WORK.key);
    for (const key of keys) writeKey(map, key, readOwn(source, key) ?? null);
  }
  return null;
});

const POP_KEY = mapMutator("pop", "key, default?", (runtime, map, [key, otherwise]) => {
  const name = keyOf(runtime, key);
  const value = readOwn(map, name);
  if (value === undefined) {
    return otherwise === undefined ? runtime.fail(`the map has no key ${shortText(runtime, key)}`) : otherwise;
  }
  delete map[name];
  return value;
});

const SET_DEFAULT = mapMutator("setdefault", "key, default?", (runtime, map, [key, otherwise]) => {
  const name = keyOf(runtime, key);
  const value = readOwn(map, name);
  if (value !== undefined) return value;
  runtime.checkSize(keysOf(runtime, map).length + 1);
  writeKey(map, name, otherwise ?? null);
  return otherwise ?? null;
});

const COPY_MAP = defineFunction("copy", "", (runtime, [self]) => {
  const map = self as ValueMap;
  const keys = keysOf(runtime, map);
  runtime.checkList(keys.length);
  runtime.charge(keys.length * WORK.key);
  const copy = createMap();
  for (const key of keys) copy[key] = readOwn(map, key) ?? null;
  return copy;
});

const CLEAR_MAP = mapMutator("clear", "", (runtime, map) => {
  for (const key of keysOf(runtime, map)) delete map[key];
  return null;
});

export const REFERENCE_MAP_METHODS: readonly FunctionDefinition[] = [
  UPDATE_MAP,
  POP_KEY,
  SET_DEFAULT,
  COPY_MAP,
  CLEAR_MAP,
];

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

/** Adds an item unless an equal one is in the set. */
export function addToSet(runtime: Runtime, set: Set<Value>, item: Value): void {
  runtime.chargeEntries(1);
  if (isInSet(runtime, set, item)) return;
  runtime.checkSize(set.size + 1);
  set.add(item);
}

function shortText(runtime: Runtime, value: Value | undefined): string {
  return `\`${toPythonText(value ?? null, runtime).slice(0, 40)}\``;
}

import { WORK, type Runtime } from "../evaluate/runtime.js";
import { isEqual, isInSet, keysOf, orderValues, toKey } from "../values/compare.js";
import { toPythonText } from "../values/format.js";
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
import { defineMethod, defineMutator, type FunctionDefinition, itemsOf } from "./function-definition.js";

/*
 * The methods of lists, maps and sets. Mutators are for a dialect whose collections have reference semantics; its host owns
 * every collection that an expression can reach: data from outside has been copied before.
 */

type List = readonly Value[];
type WritableMap = Record<string, Value>;

export const LIST_METHODS: readonly FunctionDefinition[] = [
  defineMethod<List>("index", "item", (runtime, list, [item]) => {
    return findItems(runtime, list, item)[0] ?? runtime.fail(`${shortText(runtime, item)} is not in the list`);
  }),
  defineMethod<List>("count", "item", (runtime, list, [item]) => findItems(runtime, list, item).length),
];

function findItems(runtime: Runtime, list: List, item: Value = null): readonly number[] {
  runtime.chargeItems(list.length);
  const found: number[] = [];
  for (let at = 0; at < list.length; at += 1) if (isEqual(runtime, toValue(list[at]), item)) found.push(at);
  return found;
}

export const REFERENCE_LIST_METHODS: readonly FunctionDefinition[] = [
  defineMutator<Value[]>("append", "item", (runtime, list, [item = null]) => {
    runtime.checkSize(list.length + 1);
    list.push(item);
  }),
  defineMutator<Value[]>("extend", "items", (runtime, list, [given]) => {
    const items = itemsOf(runtime, "extend", given);
    runtime.checkList(list.length + items.length);
    // INVARIANT: items are counted before any is added, since a list may be extended by itself.
    const count = items.length;
    for (let at = 0; at < count; at += 1) list.push(toValue(items[at]));
  }),
  defineMutator<Value[]>("insert", "index, item", (runtime, list, [index, item = null]) => {
    runtime.checkSize(list.length + 1);
    runtime.chargeText(list.length);
    list.splice(positionOf(runtime, "insert", index), 0, item);
  }),
  defineMutator<Value[]>("remove", "item", (runtime, list, [item = null]) => {
    runtime.chargeItems(list.length);
    const at = list.findIndex((member) => isEqual(runtime, toValue(member), item));
    if (at === -1) return runtime.fail(`${shortText(runtime, item)} is not in the list`);
    list.splice(at, 1);
  }),
  defineMutator<Value[]>("pop", "index?", (runtime, list, [index = -1]) => {
    const given = positionOf(runtime, "pop", index);
    const at = given < 0 ? given + list.length : given;
    if (at < 0 || at >= list.length) return runtime.fail(`\`pop\` of a list of length ${list.length}`);
    runtime.chargeText(list.length - at);
    return toValue(list.splice(at, 1)[0]);
  }),
  defineMutator<Value[]>("sort", "reverse?", (runtime, list, [reverse = false]) => {
    runtime.checkList(list.length);
    const sign = isTruthy(reverse) ? -1 : 1;
    // Sorts a copy, so that an error leaves the list unchanged.
    const sorted = list.map(toValue).sort((left, right) => sign * orderValues(runtime, left, right));
    for (let at = 0; at < sorted.length; at += 1) list[at] = sorted[at] ?? null;
  }),
  defineMutator<Value[]>("reverse", "", (runtime, list) => {
    runtime.chargeItems(list.length);
    list.reverse();
  }),
  defineMethod<List>("copy", "", (runtime, list) => {
    runtime.checkList(list.length);
    return [...list];
  }),
  defineMutator<Value[]>("clear", "", (_, list) => {
    list.length = 0;
  }),
];

function positionOf(runtime: Runtime, name: string, index: Value | undefined): number {
  if (typeof index === "number" && Number.isInteger(index)) return index;
  return runtime.fail(`\`${name}\` needs a whole number as index`);
}

export const MAP_METHODS: readonly FunctionDefinition[] = [
  defineMethod<ValueMap>("get", "key, default?", (runtime, map, [key, otherwise = null]) => {
    const value = readOwn(map, keyOf(runtime, key));
    return value === undefined ? otherwise : value;
  }),
  defineMethod<ValueMap>("keys", "", (runtime, map) => entriesOf(runtime, map).map(([key]) => key)),
  defineMethod<ValueMap>("values", "", (runtime, map) => entriesOf(runtime, map).map(([, value]) => value)),
  defineMethod<ValueMap>("items", "", (runtime, map) => entriesOf(runtime, map)),
];

function entriesOf(runtime: Runtime, map: ValueMap): [string, Value][] {
  const keys = keysOf(runtime, map);
  runtime.checkList(keys.length);
  return keys.map((key) => [key, readOwn(map, key) ?? null]);
}

export const REFERENCE_MAP_METHODS: readonly FunctionDefinition[] = [
  defineMutator<WritableMap>("update", "other?, **named", (runtime, map, [other, named]) => {
    for (const source of [other, named]) {
      if (source === undefined) continue;
      if (!isMap(source)) return runtime.fail(`\`update\` needs a map, not ${describeType(source)}`);
      const keys = keysOf(runtime, source);
      const added = source === map ? 0 : keys.filter((key) => readOwn(map, key) === undefined).length;
      runtime.checkSize(keysOf(runtime, map).length + added);
      runtime.charge(keys.length * WORK.key);
      for (const key of keys) writeKey(map, key, readOwn(source, key) ?? null);
    }
  }),
  defineMutator<WritableMap>("pop", "key, default?", (runtime, map, [key, otherwise]) => {
    const name = keyOf(runtime, key);
    const value = readOwn(map, name);
    if (value === undefined) {
      return otherwise === undefined ? runtime.fail(`the map has no key ${shortText(runtime, key)}`) : otherwise;
    }
    delete map[name];
    return value;
  }),
  defineMutator<WritableMap>("setdefault", "key, default?", (runtime, map, [key, otherwise = null]) => {
    const name = keyOf(runtime, key);
    const value = readOwn(map, name);
    if (value !== undefined) return value;
    runtime.checkSize(keysOf(runtime, map).length + 1);
    writeKey(map, name, otherwise);
    return otherwise;
  }),
  defineMethod<ValueMap>("copy", "", (runtime, map) => {
    const entries = entriesOf(runtime, map);
    runtime.charge(entries.length * WORK.key);
    const copy = createMap();
    for (const [key, value] of entries) copy[key] = value;
    return copy;
  }),
  defineMutator<WritableMap>("clear", "", (runtime, map) => {
    for (const key of keysOf(runtime, map)) delete map[key];
  }),
];

/** Also for a map with a prototype: the key becomes an own property, whatever its name. */
function writeKey(map: WritableMap, key: string, value: Value): void {
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
}

function keyOf(runtime: Runtime, key: Value = null): string {
  return toKey(key) ?? runtime.fail(`${describeType(key)} cannot be a key`);
}

export const SET_METHODS: readonly FunctionDefinition[] = [
  defineMutator<Set<Value>>("add", "item", (runtime, set, [item = null]) => addToSet(runtime, set, item)),
  defineMutator<Set<Value>>("remove", "item", (runtime, set, [item = null]) => {
    if (!removeFromSet(runtime, set, item)) runtime.fail(`${shortText(runtime, item)} is not in the set`);
  }),
  defineMutator<Set<Value>>("discard", "item", (runtime, set, [item = null]) => {
    removeFromSet(runtime, set, item);
  }),
  defineMutator<Set<Value>>("update", "items", (runtime, set, [items]) => {
    addAll(runtime, set, itemsOf(runtime, "update", items));
  }),
  defineMethod<ReadonlySet<Value>>("union", "items", (runtime, set, [items]) => {
    return addAll(runtime, copySet(runtime, set), itemsOf(runtime, "union", items));
  }),
  selectionMethod("intersection", true),
  selectionMethod("difference", false),
  defineMethod<ReadonlySet<Value>>("symmetric_difference", "items", (runtime, set, [items]) => {
    const other = addAll(runtime, new Set(), itemsOf(runtime, "symmetric_difference", items));
    const onlyInSet = [...copySet(runtime, set)].filter((item) => !isInSet(runtime, other, item));
    return addAll(
      runtime,
      new Set(onlyInSet),
      [...other].filter((item) => !isInSet(runtime, set, item)),
    );
  }),
  defineMethod<ReadonlySet<Value>>("isdisjoint", "items", (runtime, set, [items]) =>
    itemsOf(runtime, "isdisjoint", items).every((item) => {
      runtime.chargeEntries(1);
      return !isInSet(runtime, set, toValue(item));
    }),
  ),
  defineMethod<ReadonlySet<Value>>("issubset", "items", (runtime, set, [items]) => {
    const other = addAll(runtime, new Set(), itemsOf(runtime, "issubset", items));
    runtime.chargeEntries(set.size);
    return [...set].every((item) => isInSet(runtime, other, item));
  }),
  defineMethod<ReadonlySet<Value>>("issuperset", "items", (runtime, set, [items]) =>
    itemsOf(runtime, "issuperset", items).every((item) => {
      runtime.chargeEntries(1);
      return isInSet(runtime, set, toValue(item));
    }),
  ),
  defineMethod<ReadonlySet<Value>>("copy", "", copySet),
  defineMutator<Set<Value>>("clear", "", (_, set) => set.clear()),
];

/** The items of a set that are in another collection, or that are not. */
function selectionMethod(name: string, areInOther: boolean): FunctionDefinition {
  return defineMethod<ReadonlySet<Value>>(name, "items", (runtime, set, [items]) => {
    const other = addAll(runtime, new Set(), itemsOf(runtime, name, items));
    return new Set([...copySet(runtime, set)].filter((item) => isInSet(runtime, other, item) === areInOther));
  });
}

/** Adds an item unless an equal one is in the set. */
export function addToSet(runtime: Runtime, set: Set<Value>, item: Value): void {
  runtime.chargeEntries(1);
  if (isInSet(runtime, set, item)) return;
  runtime.checkSize(set.size + 1);
  set.add(item);
}

function addAll(runtime: Runtime, set: Set<Value>, items: List): Set<Value> {
  for (const item of items) addToSet(runtime, set, toValue(item));
  return set;
}

/** Removes the item that equals this one; false if there is none. */
function removeFromSet(runtime: Runtime, set: Set<Value>, item: Value): boolean {
  if (set.delete(item)) return true;
  runtime.chargeItems(set.size);
  for (const member of set) if (isEqual(runtime, member, item)) return set.delete(member);
  return false;
}

function copySet(runtime: Runtime, set: ReadonlySet<Value>): Set<Value> {
  runtime.chargeEntries(set.size);
  return new Set(set);
}

function shortText(runtime: Runtime, value: Value = null): string {
  return `\`${toPythonText(value, runtime).slice(0, 40)}\``;
}

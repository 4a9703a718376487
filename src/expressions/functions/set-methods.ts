import { isEqual, isInSet } from "../values/compare.js";
import { toPythonText } from "../values/format.js";
import {
  defineFunction,
  defineMutator,
  type FunctionArguments,
  type FunctionDefinition,
} from "./function-definition.js";
import { itemsOf } from "./items.js";
import { addToSet } from "./mutating-methods.js";
import type { Runtime } from "../evaluate/runtime.js";
import { toValue, type Value } from "../values/value.js";

/* The methods of sets; those that change the set are for a dialect whose collections have reference semantics. */

type SetMethod<Self> = (runtime: Runtime, set: Self, given: FunctionArguments) => Value;

// INVARIANT: the evaluator calls a method only on a value of the type whose table it was found in.
function setMethod(name: string, signature: string, run: SetMethod<ReadonlySet<Value>>): FunctionDefinition {
  return defineFunction(name, signature, (runtime, [self, ...given]) =>
    run(runtime, self as ReadonlySet<Value>, given),
  );
}

function setMutator(name: string, signature: string, run: SetMethod<Set<Value>>): FunctionDefinition {
  return defineMutator(name, signature, (runtime, [self, ...given]) => run(runtime, self as Set<Value>, given));
}

/** Removes what is equal to the item; tells whether there was anything. */
function removeFromSet(runtime: Runtime, set: Set<Value>, item: Value): boolean {
  if (set.delete(item)) return true;
  runtime.chargeItems(set.size);
  for (const member of set) if (isEqual(runtime, member, item)) return set.delete(member);
  return false;
}

/** A set of the items of a list, set, map or text. */
function otherSet(runtime: Runtime, name: string, given: Value | undefined): ReadonlySet<Value> {
  const set = new Set<Value>();
  for (const item of itemsOf(runtime, name, given)) addToSet(runtime, set, toValue(item));
  return set;
}

function copySet(runtime: Runtime, set: ReadonlySet<Value>): Set<Value> {
  runtime.chargeEntries(set.size);
  return new Set(set);
}

function keep(runtime: Runtime, set: ReadonlySet<Value>, isKept: (item: Value) => boolean): Set<Value> {
  runtime.chargeEntries(set.size);
  return new Set([...set].filter(isKept));
}

export const SET_METHODS: readonly FunctionDefinition[] = [
  setMutator("add", "item", (runtime, set, [item]) => {
    addToSet(runtime, set, item ?? null);
    return null;
  }),
  setMutator("remove", "item", (runtime, set, [item]) => {
    if (removeFromSet(runtime, set, item ?? null)) return null;
    return runtime.fail(`\`${toPythonText(item ?? null, runtime).slice(0, 40)}\` is not in the set`);
  }),
  setMutator("discard", "item", (runtime, set, [item]) => {
    removeFromSet(runtime, set, item ?? null);
    return null;
  }),
  setMutator("update", "items", (runtime, set, [items]) => {
    for (const item of itemsOf(runtime, "update", items)) addToSet(runtime, set, item);
    return null;
  }),
  setMethod("union", "items", (runtime, set, [items]) => {
    const union = copySet(runtime, set);
    for (const item of itemsOf(runtime, "union", items)) addToSet(runtime, union, item);
    return union;
  }),
  setMethod("intersection", "items", (runtime, set, [items]) => {
    const other = otherSet(runtime, "intersection", items);
    return keep(runtime, set, (item) => isInSet(runtime, other, item));
  }),
  setMethod("difference", "items", (runtime, set, [items]) => {
    const other = otherSet(runtime, "difference", items);
    return keep(runtime, set, (item) => !isInSet(runtime, other, item));
  }),
  setMethod("issubset", "items", (runtime, set, [items]) => {
    const other = otherSet(runtime, "issubset", items);
    runtime.chargeEntries(set.size);
    return [...set].every((item) => isInSet(runtime, other, item));
  }),
  setMethod("issuperset", "items", (runtime, set, [items]) =>
    itemsOf(runtime, "issuperset", items).every((item) => {
      runtime.chargeEntries(1);
      return isInSet(runtime, set, toValue(item));
    }),
  ),
  setMethod("copy", "", copySet),
  setMutator("clear", "", (_, set) => {
    set.clear();
    return null;
  }),
];

import { toKey } from "../values/compare.js";
import { indexableText } from "../values/text.js";
import {
  describeType,
  isList,
  isMap,
  isObject,
  readOwn,
  toValue,
  toValueOr,
  type ObjectValue,
  type Value,
  type ValueMap,
} from "../values/value.js";
import { toNumber } from "./operators.js";
import type { Runtime } from "./runtime.js";

/** Reads a member of an object. Names that begin with `_` are private. */
export function readMember(runtime: Runtime, object: ObjectValue, name: string): Value {
  const value = name.startsWith("_") ? undefined : object.member(name, runtime);
  return value === undefined ? runtime.missing(`${describeType(object)} has no member \`${name}\``) : toValue(value);
}

/** Reads an item of a list, a character of a text or the value of a key. */
export function readItem(runtime: Runtime, object: Value, index: Value): Value {
  if (isMap(object)) return readKey(runtime, object, index);
  if (isObject(object) && typeof index === "string" && runtime.dialect.lenient) {
    return readMember(runtime, object, index);
  }
  if (typeof object !== "string" && !isList(object)) {
    return runtime.missing(`${describeType(object)} cannot be indexed`);
  }
  const at = toNumber(runtime, index);
  if (at === undefined) return runtime.missing(`an index must be a number, not ${describeType(index)}`);
  if (!Number.isInteger(at)) return runtime.missing("an index must be a whole number");
  if (typeof object === "string") runtime.chargeText(object.length);
  const items: ArrayLike<Value> = typeof object === "string" ? indexableText(runtime, object) : object;
  const position = at < 0 ? at + items.length : at;
  if (position < 0 || position >= items.length) {
    return runtime.missing(`index ${at} is out of range: ${describeType(object)} of length ${items.length}`);
  }
  return toValueOr(items[position], runtime.absent);
}

function readKey(runtime: Runtime, map: ValueMap, index: Value): Value {
  const key = toKey(index);
  if (key === undefined) return runtime.missing(`${describeType(index)} cannot be a key`);
  const value = readOwn(map, key, runtime.absent);
  return value === undefined ? runtime.missing(`the map has no key \`${key.slice(0, 80)}\``) : value;
}

export interface SliceBounds {
  readonly from: Value;
  readonly to: Value;
  readonly step: Value;
}

/** Part of a string or list, with negative bounds counted from the end; bounds out of range are no error. */
export function sliceValue(runtime: Runtime, object: Value, bounds: SliceBounds): Value {
  if (typeof object !== "string" && !isList(object)) return runtime.fail(`${describeType(object)} cannot be sliced`);
  const items: ArrayLike<Value> = typeof object === "string" ? indexableText(runtime, object) : object;
  const { length } = items;
  const step = boundOf(runtime, bounds.step) ?? 1;
  if (step === 0) return runtime.fail("the step of a slice cannot be 0");
  const isForward = step > 0;
  // Going backwards, the places run from the last item down to the one before the first.
  const low = isForward ? 0 : -1;
  const high = isForward ? length : length - 1;
  const first = clampBound(boundOf(runtime, bounds.from), length, low, high) ?? (isForward ? low : high);
  const end = clampBound(boundOf(runtime, bounds.to), length, low, high) ?? (isForward ? high : low);
  if (step === 1 && typeof object === "string" && typeof items === "string") {
    runtime.chargeText(Math.max(0, end - first));
    return items.slice(first, Math.max(first, end));
  }
  runtime.chargeEntries(Math.abs((end - first) / step));
  const picked: Value[] = [];
  for (let at = first; isForward ? at < end : at > end; at += step) picked.push(items[at] ?? null);
  return typeof object === "string" ? picked.join("") : picked;
}

function boundOf(runtime: Runtime, bound: Value): number | undefined {
  if (bound === null) return undefined;
  if (typeof bound === "number" && Number.isInteger(bound)) return bound;
  return runtime.fail("the bounds of a slice must be whole numbers");
}

function clampBound(bound: number | undefined, length: number, low: number, high: number): number | undefined {
  if (bound === undefined) return undefined;
  return Math.min(Math.max(bound < 0 ? bound + length : bound, low), high);
}

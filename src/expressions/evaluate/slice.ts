import type { Runtime } from "./runtime.js";
import { indexableText } from "../values/text.js";
import { describeType, isList, type Value } from "../values/value.js";

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

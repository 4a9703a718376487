import type { Runtime } from "../evaluate/runtime.js";
import { keysOf } from "../values/compare.js";
import { charactersOf } from "../values/text.js";
import { describeType, isList, isMap, isSet, type Value } from "../values/value.js";

/**
 * Returns the items of a list or a set, the characters of a text, or the keys of a map.
 *
 * @param name - the function or statement that needs them, for the error
 */
export function itemsOf(runtime: Runtime, name: string, value: Value = null): readonly Value[] {
  if (isList(value)) return value;
  if (isSet(value)) {
    runtime.chargeEntries(value.size);
    return [...value];
  }
  if (typeof value === "string") {
    runtime.checkList(value.length);
    return charactersOf(runtime, value);
  }
  if (isMap(value)) return keysOf(runtime, value);
  return runtime.fail(`\`${name}\` needs a list, not ${describeType(value)}`);
}

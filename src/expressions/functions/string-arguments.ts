import type { Runtime } from "../evaluate/runtime.js";
import { describeType, type Value } from "../values/value.js";

/* Arguments of the methods of texts. */

export function textArgument(runtime: Runtime, name: string, value: Value = null): string {
  return typeof value === "string" ? value : runtime.fail(`\`${name}\` needs a string, not ${describeType(value)}`);
}

export function wholeArgument(runtime: Runtime, name: string, value: Value = null): number {
  return typeof value === "number" && Number.isInteger(value)
    ? value
    : runtime.fail(`\`${name}\` needs a whole number, not ${describeType(value)}`);
}

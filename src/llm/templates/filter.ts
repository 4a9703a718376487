import type { Runtime } from "../../expressions/evaluate/runtime.js";
import { defineFunction, type FunctionDefinition } from "../../expressions/functions/function-definition.js";
import { toPythonText } from "../../expressions/values/format.js";
import { isList, toValue, toValueOr, UNDEFINED, type Value } from "../../expressions/values/value.js";

/** A function over plain values, in which undefined stands for what does not exist. It must not change its arguments. */
type Filter = (value: unknown, given: readonly unknown[], runtime: Runtime) => unknown;

/**
 * Describes a template filter: a method of all values. Parameters are written as in `defineFunction`.
 *
 * @example
 * ```ts
 * const EXCLAIM = defineFilter("exclaim", "mark?", (value, [mark = "!"]) => `${String(value)}${String(mark)}`);
 * ```
 */
export function defineFilter(name: string, signature: string, filter: Filter): FunctionDefinition {
  return defineFunction(name, signature, (runtime, [value, ...given]) => {
    const result = toValueOr(filter(toPlain(value), given.map(toPlain), runtime), UNDEFINED);
    if (typeof result === "string") runtime.checkText(result.length);
    else if (isList(result)) runtime.checkList(result.length);
    return result;
  });
}

function toPlain(value: Value | undefined): unknown {
  return value === UNDEFINED ? undefined : value;
}

/** Prints the argument of a filter as Python would; what does not exist is empty. */
export function printed(value: unknown, runtime: Runtime): string {
  return value === undefined || typeof value === "function" ? "" : toPythonText(toValue(value), runtime);
}

/** An argument that is a whole number, or else the default. */
export function integerArgument(given: unknown, fallback: number): number {
  return typeof given === "number" && Number.isInteger(given) ? given : fallback;
}

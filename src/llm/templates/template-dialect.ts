import { createDialect, type ExpressionDialect } from "../../expressions/dialect.js";
import { defineFunction, type FunctionDefinition } from "../../expressions/functions/function-definition.js";
import { isList, isMap, UNDEFINED, type Value, toValue, toValueOr } from "../../expressions/values/value.js";
import type { Runtime } from "../../expressions/evaluate/runtime.js";
import { toPythonText } from "../../expressions/values/format.js";

/** Prefix of tests among the methods, which no filter name can have. */
const TEST_PREFIX = "is ";

/** Tests without an argument. */
export const TESTS: Readonly<Record<string, (value: Value) => boolean>> = {
  defined: (value) => value !== UNDEFINED,
  undefined: (value) => value === UNDEFINED,
  none: (value) => value === null,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  odd: (value) => typeof value === "number" && Math.abs(value % 2) === 1,
  even: (value) => typeof value === "number" && value % 2 === 0,
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  sequence: (value) => typeof value === "string" || isList(value),
  mapping: isMap,
};

/** Method name of `map.values()`, which no filter can have. */
export const VALUES = "values of";

/** `x is defined` and similar tests. */
export const TEST_NAMES: readonly string[] = Object.keys(TESTS);

/** Returns the method name of a test. */
export function testMethod(test: string): string {
  return TEST_PREFIX + test;
}

/**
 * Creates the dialect of templates with these filters: filters and tests are methods of all values. Values behave as in
 * Python; a missing value is `UNDEFINED`.
 */
export function createTemplateDialect(filters: readonly FunctionDefinition[]): ExpressionDialect {
  const tests = Object.entries(TESTS).map(([name, test]) => {
    return defineFunction(testMethod(name), "", (_, [value = null]) => test(value));
  });
  return createDialect({
    codes: {
      malformed: "PR-101",
      unterminatedString: "PR-101",
      assignment: "PR-101",
      unknownName: "PR-101",
      tooLarge: "PR-101",
      failed: "PR-101",
      forbiddenMethod: "PR-103",
    },
    functions: [],
    methods: { any: [...filters, ...tests] },
    booleansAreNumbers: true,
    lenient: true,
  });
}

/** A function over plain values, in which undefined represents a missing value. It must not change its arguments. */
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

/** Prints the argument of a filter as Python would; a missing value is empty. */
export function printed(value: unknown, runtime: Runtime): string {
  return value === undefined || typeof value === "function" ? "" : toPythonText(toValue(value), runtime);
}

/** Returns a whole-number argument, otherwise the default. */
export function integerArgument(given: unknown, fallback: number): number {
  return typeof given === "number" && Number.isInteger(given) ? given : fallback;
}

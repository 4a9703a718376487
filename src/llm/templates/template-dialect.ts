import { createDialect, type ExpressionDialect } from "../../expressions/dialect.js";
import { defineFunction, type FunctionDefinition } from "../../expressions/functions/function-definition.js";
import { isList, isMap, UNDEFINED, type Value } from "../../expressions/values/value.js";

/** The names of tests among the methods; no filter can have such a name. */
const TEST_PREFIX = "is ";

const TESTS: Readonly<Record<string, (value: Value) => boolean>> = {
  defined: (value) => value !== UNDEFINED,
  undefined: (value) => value === UNDEFINED,
  none: (value) => value === null,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  sequence: (value) => typeof value === "string" || isList(value),
  mapping: isMap,
};

/** `x is defined` and its relatives. */
export const TEST_NAMES: readonly string[] = Object.keys(TESTS);

/** Returns the name of the method that a test is. */
export function testMethod(test: string): string {
  return TEST_PREFIX + test;
}

/**
 * Creates the dialect of templates with these filters: filters and tests are methods of all values. Values behave as in
 * Python; what does not exist is `UNDEFINED`.
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

import type { CompareOperator } from "../../../expressions/ast.js";
import type { Runtime } from "../../../expressions/evaluate/runtime.js";
import { checkArguments, type FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { compareValues } from "../../../expressions/values/compare.js";
import { isTruthy, toValue, toValueOr, UNDEFINED, type Value } from "../../../expressions/values/value.js";
import { defineFilter, TESTS } from "../template-dialect.js";
import { itemsIn, readAttribute } from "./standard.js";

/** Tests with an argument, which only `select` and its relatives take. */
const COMPARISONS: Readonly<Record<string, CompareOperator>> = {
  "==": "==",
  eq: "==",
  equalto: "==",
  "!=": "!=",
  ne: "!=",
  "<": "<",
  lt: "<",
  "<=": "<=",
  le: "<=",
  ">": ">",
  gt: ">",
  ">=": ">=",
  ge: ">=",
  in: "in",
};

/** Adds the filters that apply another filter or a test to each item of a list. */
export function withSelection(filters: readonly FunctionDefinition[]): readonly FunctionDefinition[] {
  const known = new Map(filters.map((filter) => [filter.name, filter]));
  const map = defineFilter("map", "filter?, a?, b?, attribute?, default?", (value, given, runtime) => {
    const [name, a, b, attribute, fallback] = given;
    const items = itemsIn(value, runtime).map((item) => toValueOr(item, UNDEFINED));
    if (attribute !== undefined)
      return items.map((item) => {
        const read = readAttribute(runtime, item, attribute);
        return read === UNDEFINED ? fallback : read;
      });
    const filter = typeof name === "string" ? known.get(name) : undefined;
    if (filter === undefined) return runtime.fail(`\`map\` needs the name of a filter or \`attribute="…"\``);
    const others = [a, b].filter((one) => one !== undefined).map(toValue);
    const problem = checkArguments(filter, others.length, []);
    return problem === undefined ? items.map((item) => filter.run(runtime, [item, ...others])) : runtime.fail(problem);
  });
  return [...filters, map, ...SELECTIONS];
}

const SELECTIONS: readonly FunctionDefinition[] = (["select", "reject"] as const).flatMap((name) => [
  defineFilter(name, "test?, argument?", (value, [test, argument], runtime) => {
    const passes = testOf(runtime, name, test, argument);
    return itemsIn(value, runtime).filter((item) => passes(toValueOr(item, UNDEFINED)) === (name === "select"));
  }),
  defineFilter(`${name}attr`, "attribute, test?, argument?", (value, [attribute, test, argument], runtime) => {
    const passes = testOf(runtime, `${name}attr`, test, argument);
    return itemsIn(value, runtime).filter(
      (item) => passes(readAttribute(runtime, item, attribute)) === (name === "select"),
    );
  }),
]);

function testOf(runtime: Runtime, filter: string, test: unknown, argument: unknown): (value: Value) => boolean {
  if (test === undefined) return isTruthy;
  const name = typeof test === "string" ? test : "";
  if (Object.hasOwn(TESTS, name) && argument === undefined) return TESTS[name] ?? isTruthy;
  const operator = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined;
  if (operator === undefined) return runtime.fail(`\`${filter}\` has no test \`${name.slice(0, 40)}\``);
  return (value) => compareValues(runtime, operator, value, toValueOr(argument, UNDEFINED));
}

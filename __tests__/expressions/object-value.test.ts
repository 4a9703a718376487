import { describe, expect, it } from "@jest/globals";
import { compareValues } from "../../src/expressions/values/compare.js";
import { ComparisonValue } from "../../src/expressions/values/comparison-value.js";
import { toPythonText } from "../../src/expressions/values/format.js";
import { PatternValue } from "../../src/expressions/values/pattern.js";
import { Runtime } from "../../src/expressions/evaluate/runtime.js";
import { describeType, isMap, isTruthy, typeOf, type Value } from "../../src/expressions/values/value.js";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";

const runtime = new Runtime(COLANG_1_DIALECT, { lookup: () => undefined });
const below = (bound: number): Value => new ComparisonValue("less_than", bound);
const pattern = (source: string): Value => new PatternValue(source);

describe("values that are no plain data", () => {
  it.each<[string, Value, string, string]>([
    ["a comparison", below(5), "a value of type ComparisonExpression", "less_than(5)"],
    ["a pattern", pattern("^a+$"), "a value of type Pattern", "<Pattern ^a+$>"],
  ])("%s is an object with a type and a text", (_, value, described, text) => {
    expect(typeOf(value)).toBe("object");
    expect(isMap(value)).toBe(false);
    expect(isTruthy(value)).toBe(true);
    expect(describeType(value)).toBe(described);
    expect(toPythonText(value)).toBe(text);
    expect(toPythonText([value])).toBe(`[${text}]`);
  });

  it.each<[string, Value, "==" | "is" | "in", Value, boolean]>([
    ["equal patterns", pattern("a"), "==", pattern("a"), true],
    ["other patterns", pattern("a"), "==", pattern("b"), false],
    ["a pattern and its source", pattern("a"), "==", "a", false],
    ["equal comparisons", below(1), "is", below(1), true],
    ["other bounds", below(1), "==", below(2), false],
    ["in lists", [below(1)], "==", [below(1)], true],
    ["in a list", below(1), "in", [below(1)], true],
    ["in a set", below(1), "in", new Set([below(1)]), true],
    ["sets of equal objects", new Set([pattern("a")]), "==", new Set([pattern("a")]), true],
    ["a map and an object", {}, "==", below(1), false],
  ])("%s", (_, left, operator, right, expected) => {
    expect(compareValues(runtime, operator, left, right)).toBe(expected);
  });

  it("has only the members it names", () => {
    const value = new ComparisonValue("greater_than", 3);
    expect(value.member("value")).toBe(3);
    expect(value.member("constructor")).toBeUndefined();
    expect(value.holds(4)).toBe(true);
    expect(value.holds(3)).toBe(false);
  });

  it("refuses a pattern that cannot be read", () => {
    expect(() => new PatternValue("(")).toThrow(/cannot be read/);
  });
});

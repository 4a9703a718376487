import { describe, expect, it } from "@jest/globals";
import { WorkMeter } from "../../../src/engine/limits.js";
import { equalValues } from "../../../src/colang2/engine/values/equal-values.js";
import { similarity } from "../../../src/colang2/engine/dispatch/similarity.js";
import { ComparisonValue } from "../../../src/expressions/values/comparison-value.js";
import { PatternValue } from "../../../src/expressions/values/pattern.js";
import type { Value } from "../../../src/expressions/values/value.js";

const pattern = (source: string): Value => new PatternValue(source);
const below = (bound: number): Value => new ComparisonValue("less_than", bound);

const CASES: readonly (readonly [title: string, actual: Value, expected: Value, score: number])[] = [
  ["equal strings", "a", "a", 1],
  ["other strings", "a", "b", 0],
  ["a number and its text", 1, "1", 0],
  ["True and 1", true, 1, 0],
  ["None for null", null, null, 1],
  ["None for something", 0, null, 0],
  ["what is no number", Number.NaN, Number.NaN, 0],
  ["a pattern in a string", "abc", pattern("b"), 1],
  ["a pattern that is not there", "abc", pattern("^b"), 0],
  ["a pattern for a number", 123, pattern("^12"), 1],
  ["a pattern for a boolean", true, pattern("^True$"), 1],
  ["a pattern for a list", ["a"], pattern("a"), 0],
  ["a pattern for null", null, pattern(".*"), 0],
  ["two equal patterns", pattern("a"), pattern("a"), 1],
  ["two patterns", pattern("a"), pattern("b"), 0],
  ["a comparison that holds", 1, below(2), 1],
  ["a comparison that does not", 2, below(2), 0],
  ["a comparison of a text", "1", below(2), 0],
  ["two equal comparisons", below(2), below(2), 1],
  ["an equal dictionary", { a: 1 }, { a: 1 }, 1],
  ["a dictionary with one key more", { a: 1, b: 2 }, { a: 1 }, 0.9],
  ["a dictionary with two keys more", { a: 1, b: 2, c: 3 }, { a: 1 }, 0.81],
  ["a dictionary without the key", { b: 1 }, { a: 1 }, 0],
  ["dictionaries in dictionaries", { a: { b: 1, c: 2 } }, { a: { b: 1 } }, 0.9],
  ["a key of the prototype", {}, { toString: null }, 0],
  ["a list for a dictionary", [1], { a: 1 }, 0],
  ["an equal list", [1, 2], [1, 2], 1],
  ["a list with one item more", [1, 9, 2], [1, 2], 0.9],
  ["a list in another order", [2, 1], [1, 2], 0],
  ["a list that is too short", [1], [1, 2], 0],
  ["an empty list for any list", [1, 2], [], 0.81],
  ["patterns in lists", ["xa", "yb"], [pattern("b")], 0.9],
  ["a list taken as a set", [2, 1], new Set([1]), 0.9],
  ["an equal set", new Set([1, 2]), new Set([2, 1]), 1],
  ["a set that is too large", [1], new Set([1, 2]), 0],
  ["a set of something else", ["a"], new Set([1]), 0],
  ["a text for a set", "a", new Set(["a"]), 0],
  ["a set for a list", new Set([1]), [1], 0],
];

function compare(actual: Value, expected: Value): number {
  return similarity(actual, expected, new WorkMeter());
}

describe("how well a value fits a pattern", () => {
  it.each(CASES)("%s", (_title, actual, expected, score) => {
    expect(compare(actual, expected)).toBeCloseTo(score, 12);
  });

  it("is above 0 however much is not asked for, and 0 beyond a depth", () => {
    const long = Array.from({ length: 50_000 }, () => 1);
    expect(compare(long, [1])).toBeGreaterThan(0);
    const deep = (depth: number): Value => (depth === 0 ? 1 : [deep(depth - 1)]);
    expect(compare(deep(90), deep(90))).toBe(1);
    expect(compare(deep(200), deep(200))).toBe(0);
  });

  it("does not unfold what is reached on many ways", () => {
    let value: Value = [1];
    let other: Value = [1];
    for (let level = 0; level < 60; level += 1)
      [value, other] = [
        [value, value],
        [other, other],
      ];
    expect(() => compare(value, other)).toThrow(expect.objectContaining({ limit: "comparisons" }));
    expect(equalValues(value, other, new WorkMeter())).toBe(false);
  });
});

import { ComparisonValue } from "../../expressions/comparison-value.js";
import { toPythonText } from "../../expressions/format.js";
import { searchPattern } from "../../expressions/pattern.js";
import { PatternValue } from "../../expressions/pattern-value.js";
import {
  isList,
  isMap,
  isObject,
  isSet,
  readOwn,
  toValue,
  type Value,
  type ValueMap,
} from "../../expressions/value.js";

/** What everything costs that a pattern does not ask for (spec 5.5). */
export const UNSPECIFIED = 0.9;

const MAX_DEPTH = 100;

/** The factor for so many things that a pattern does not ask for. INVARIANT: never 0, which would be no match. */
export function unspecified(count: number): number {
  return count <= 0 ? 1 : Math.max(UNSPECIFIED ** count, Number.MIN_VALUE);
}

/** A product of scores, which is 0 only when one of them is. */
export function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : Math.max(left * right, Number.MIN_VALUE);
}

/**
 * How well a value fits what a pattern expects: 0 not at all, 1 exactly (spec 5.5, `cmp`).
 *
 * @throws LimitError when a regular expression is given too long a text
 */
export function similarity(actual: Value, expected: Value, depth = 0): number {
  if (depth > MAX_DEPTH) return 0;
  if (expected instanceof PatternValue) return matchesPattern(actual, expected);
  if (expected instanceof ComparisonValue) {
    const holds = typeof actual === "number" ? expected.holds(actual) : expected.equals(actual);
    return holds ? 1 : 0;
  }
  if (isObject(expected)) return expected.equals(actual) ? 1 : 0;
  if (typeof expected !== "object" || expected === null) return actual === expected ? 1 : 0;
  if (isList(expected)) return isList(actual) ? listSimilarity(actual, expected, depth) : 0;
  if (isSet(expected)) return setSimilarity(actual, expected, depth);
  return isMap(actual) ? mapSimilarity(actual, expected, depth) : 0;
}

function matchesPattern(actual: Value, expected: PatternValue): number {
  if (isObject(actual)) return expected.equals(actual) ? 1 : 0;
  if (typeof actual === "object") return 0;
  return searchPattern(expected.pattern, toPythonText(actual)) ? 1 : 0;
}

/** An ordered subsequence with gaps, found greedily from the left. */
function listSimilarity(actual: readonly Value[], expected: readonly Value[], depth: number): number {
  let score = unspecified(actual.length - expected.length);
  let at = 0;
  for (const wanted of expected) {
    let found = 0;
    while (at < actual.length && found === 0) {
      found = similarity(toValue(actual[at]), toValue(wanted), depth + 1);
      at += 1;
    }
    if (found === 0) return 0;
    score = times(score, found);
  }
  return score;
}

/** JSON has no sets, so a list is taken as one. Every expected item takes what fits it best. */
function setSimilarity(actual: Value, expected: ReadonlySet<Value>, depth: number): number {
  if (!isSet(actual) && !isList(actual)) return 0;
  const items = [...(isSet(actual) ? actual : new Set(actual))];
  if (expected.size > items.length) return 0;
  let score = unspecified(items.length - expected.size);
  for (const wanted of expected) {
    let best = 0;
    for (const item of items) best = Math.max(best, similarity(toValue(item), wanted, depth + 1));
    if (best === 0) return 0;
    score = times(score, best);
  }
  return score;
}

function mapSimilarity(actual: ValueMap, expected: ValueMap, depth: number): number {
  const keys = Object.keys(expected);
  let score = unspecified(Object.keys(actual).length - keys.length);
  for (const key of keys) {
    const value = readOwn(actual, key);
    if (value === undefined) return 0;
    const found = similarity(value, readOwn(expected, key) ?? null, depth + 1);
    if (found === 0) return 0;
    score = times(score, found);
  }
  return score;
}

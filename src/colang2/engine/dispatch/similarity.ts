import { LimitError } from "../../../diagnostics/errors.js";
import { ComparisonValue } from "../../../expressions/values/comparison-value.js";
import { toPythonText } from "../../../expressions/values/format.js";
import type { WorkBudget } from "../../../expressions/evaluate/limits.js";
import { searchPattern, searchSteps, PatternValue } from "../../../expressions/values/pattern.js";
import {
  isList,
  isMap,
  isObject,
  isSet,
  readOwn,
  toValue,
  type Value,
  type ValueMap,
} from "../../../expressions/values/value.js";
import { ENGINE_WORK } from "../limits.js";

/** Factor for each thing that a pattern does not ask for. */
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

/** Comparisons of one value with a pattern. */
const MAX_COMPARED = 200_000;

/**
 * How well a value fits what a pattern expects: 0 not at all, 1 exactly.
 *
 * @throws LimitError when a regular expression is given too long a text, or a value is too large to compare
 */
export function similarity(actual: Value, expected: Value, budget: WorkBudget): number {
  // Nearly all patterns expect plain values.
  if (typeof expected !== "object" || expected === null) return actual === expected ? 1 : 0;
  return new Scorer(budget).score(actual, expected, 0);
}

class Scorer {
  readonly #budget: WorkBudget;
  #count = 0;

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  score(actual: Value, expected: Value, depth: number): number {
    this.#note();
    if (depth > MAX_DEPTH) return 0;
    if (expected instanceof PatternValue) return this.#matchPattern(actual, expected);
    if (expected instanceof ComparisonValue) {
      const holds = typeof actual === "number" ? expected.holds(actual) : expected.equals(actual);
      return holds ? 1 : 0;
    }
    if (isObject(expected)) return expected.equals(actual) ? 1 : 0;
    if (typeof expected !== "object" || expected === null) return actual === expected ? 1 : 0;
    if (isList(expected)) return isList(actual) ? this.#scoreList(actual, expected, depth) : 0;
    if (isSet(expected)) return this.#scoreSet(actual, expected, depth);
    return isMap(actual) ? this.#scoreMap(actual, expected, depth) : 0;
  }

  #note(): void {
    this.#budget.add(ENGINE_WORK.item);
    if ((this.#count += 1) > MAX_COMPARED) {
      const message = `a value takes more than ${MAX_COMPARED} comparisons with what is expected (limit \`comparisons\`)`;
      throw new LimitError(message, { limit: "comparisons", maximum: MAX_COMPARED });
    }
  }

  #matchPattern(actual: Value, expected: PatternValue): number {
    if (isObject(actual)) return expected.equals(actual) ? 1 : 0;
    if (typeof actual === "object") return 0;
    const text = toPythonText(actual);
    this.#budget.add(searchSteps(expected.pattern, text));
    return searchPattern(expected.pattern, text) ? 1 : 0;
  }

  /** An ordered subsequence with gaps, found greedily from the left. */
  #scoreList(actual: readonly Value[], expected: readonly Value[], depth: number): number {
    let score = unspecified(actual.length - expected.length);
    let at = 0;
    for (const wanted of expected) {
      let found = 0;
      while (at < actual.length && found === 0) {
        found = this.score(toValue(actual[at]), toValue(wanted), depth + 1);
        at += 1;
      }
      if (found === 0) return 0;
      score = times(score, found);
    }
    return score;
  }

  /** JSON has no sets, so a list is taken as one. Every expected item takes what fits it best. */
  #scoreSet(actual: Value, expected: ReadonlySet<Value>, depth: number): number {
    if (!isSet(actual) && !isList(actual)) return 0;
    const items = [...(isSet(actual) ? actual : new Set(actual))];
    if (expected.size > items.length) return 0;
    let score = unspecified(items.length - expected.size);
    for (const wanted of expected) {
      let best = 0;
      for (const item of items) best = Math.max(best, this.score(toValue(item), wanted, depth + 1));
      if (best === 0) return 0;
      score = times(score, best);
    }
    return score;
  }

  #scoreMap(actual: ValueMap, expected: ValueMap, depth: number): number {
    const keys = Object.keys(expected);
    const count = Object.keys(actual).length;
    this.#budget.add(count * ENGINE_WORK.item);
    let score = unspecified(count - keys.length);
    for (const key of keys) {
      const value = readOwn(actual, key);
      if (value === undefined) return 0;
      const found = this.score(value, readOwn(expected, key) ?? null, depth + 1);
      if (found === 0) return 0;
      score = times(score, found);
    }
    return score;
  }
}

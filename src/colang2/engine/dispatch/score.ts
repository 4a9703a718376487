import type { WorkBudget } from "../../../expressions/evaluate/runtime.js";
import {
  readOwn,
  isList,
  isMap,
  isObject,
  isSet,
  toValue,
  type Value,
  type ValueMap,
} from "../../../expressions/values/value.js";
import { actionUidOf, readEventField, tableOf } from "../state/event.js";
import type { EngineEvent, ReadyPattern } from "../state/records.js";
import { actionOf, type EngineState } from "../state/state.js";
import { LimitError } from "../../../diagnostics/errors.js";
import { ComparisonValue } from "../../../expressions/values/number-text.js";
import { toPythonText } from "../../../expressions/values/format.js";
import { searchPattern, searchSteps, PatternValue } from "../../../expressions/values/pattern.js";
import { ENGINE_WORK } from "../limits.js";

/** The event makes the wait impossible. */
export const MISMATCH = -1;

/**
 * Score of an event for a pattern: `MISMATCH`, 0 for no match, up to 1.
 *
 * @throws LimitError if a regular expression of the pattern gets too long a text
 */
export function scoreEvent(state: EngineState, event: EngineEvent, pattern: ReadyPattern, priority: number): number {
  const budget = state.work;
  const { bound } = pattern;
  const isOfFlow = bound?.kind === "flow";
  if (isOfFlow && (!event.isInternal || event.fields["flow_instance_uid"] !== bound.uid)) return 0;
  if (bound?.kind === "action" && actionUid(state, event) !== bound.uid) return 0;
  if (!pattern.names.includes(event.name)) return pattern.impossibleBy.includes(event.name) ? MISMATCH : 0;
  if (pattern.flowId !== undefined && event.fields["flow_id"] !== pattern.flowId) return 0;
  const isFree = pattern.fields.length + pattern.constraints.length === 0;
  const constrained = isFree ? 1 : constraintScore(event, pattern, budget);
  if (constrained === 0) return pattern.isOnce && bound !== undefined ? MISMATCH : 0;
  // A wait for one flow instance makes no other demands on its events.
  if (isOfFlow) return constrained === 1 ? priority : times(constrained, priority);
  const specific = times(constrained, specificity(event, pattern, budget));
  return times(times(specific, identityScore(state, event, pattern)), priority);
}

function actionUid(state: EngineState, event: EngineEvent): string | undefined {
  return event.action === undefined ? actionUidOf(event) : actionOf(state, event.action).uid;
}

function constraintScore(event: EngineEvent, pattern: ReadyPattern, budget: WorkBudget): number {
  for (const [name, expected] of pattern.fields) {
    const actual = event.fields[name];
    if (actual === undefined || similarity(actual, expected, budget) === 0) return 0;
  }
  let score = 1;
  for (const [name, expected] of pattern.constraints) {
    const actual = event.isInternal ? (event.payload[name] ?? event.extras[name]) : readEventField(event, name);
    if (actual === undefined) return 0;
    score = times(score, similarity(actual, expected, budget));
    if (score === 0) return 0;
  }
  return score;
}

/** Every countable field that the pattern does not name costs a factor. */
function specificity(event: EngineEvent, pattern: ReadyPattern, budget: WorkBudget): number {
  let unasked = 0;
  const names = Object.keys(event.payload);
  budget.add((names.length * (1 + pattern.constraints.length)) / 8);
  for (const name of names) {
    if (!pattern.constraints.some(([asked]) => asked === name)) unasked += 1;
  }
  if (FIELDS_COUNT.has(event.name)) {
    for (const name of Object.keys(event.fields)) {
      if (!pattern.fields.some(([asked]) => asked === name)) unasked += 1;
    }
  } else if (event.flow !== undefined) unasked += unaskedOfFlow(pattern);
  return unspecified(unasked);
}

/** A pattern that names a flow is more specific than one that does not, and one that names an instance than both. */
function unaskedOfFlow({ flowId, fields }: ReadyPattern): number {
  const asks = (wanted: string): boolean => fields.some(([asked]) => asked === wanted);
  if (asks("flow_instance_uid")) return 0;
  return flowId !== undefined || asks("flow_id") ? 1 : 2;
}

/** Internal events whose fields count like payload; of others only the flow counts. */
const FIELDS_COUNT: ReadonlySet<string> = new Set([
  "UnhandledEvent",
  "UserIntentLog",
  "BotIntentLog",
  "UserActionLog",
  "BotActionLog",
]);

/** The action of an event is one more unnamed item, if the engine knows it. */
function identityScore(state: EngineState, event: EngineEvent, pattern: ReadyPattern): number {
  if (pattern.startArguments !== undefined) {
    if (event.action === undefined) return 0;
    const expected = tableOf(Object.fromEntries(pattern.startArguments));
    return similarity(actionOf(state, event.action).startArguments, expected, state.work);
  }
  if (event.action === undefined || pattern.bound?.kind === "action") return 1;
  return UNSPECIFIED;
}

/** Factor per item that a pattern does not name. */
const UNSPECIFIED = 0.9;

const MAX_DEPTH = 100;

/** The factor for this many unnamed items. INVARIANT: never 0, which would mean no match. */
function unspecified(count: number): number {
  return count <= 0 ? 1 : Math.max(UNSPECIFIED ** count, Number.MIN_VALUE);
}

/** A product of scores, which is 0 only if one of them is. */
function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : Math.max(left * right, Number.MIN_VALUE);
}

/** Maximum number of comparisons of one value with a pattern. */
const MAX_COMPARED = 200_000;

/**
 * Score of a value for an expected one: 0 for no match, up to 1 for equality.
 *
 * @throws LimitError if a regular expression gets too long a text, or a value is too large to compare
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

  /** JSON has no sets, so a list is accepted as one. Every expected item takes its best match. */
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

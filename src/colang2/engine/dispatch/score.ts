import type { WorkBudget } from "../../../expressions/evaluate/limits.js";
import { readOwn } from "../../../expressions/values/value.js";
import { actionUidOf, readEventField, recordOf } from "../state/event.js";
import type { EngineEvent, ReadyPattern } from "../state/records.js";
import { actionOf, type EngineState } from "../state/state.js";
import { similarity, times, UNSPECIFIED, unspecified } from "./similarity.js";

interface ScoredHead {
  readonly pattern: ReadyPattern;
  readonly priority: number;
}

/** The event makes the wait impossible. */
export const MISMATCH = -1;

/**
 * How well an event fits a pattern: `MISMATCH`, 0 for no match, up to 1.
 *
 * @throws LimitError when a regular expression of the pattern is given too long a text
 */
export function scoreEvent(state: EngineState, event: EngineEvent, head: ScoredHead): number {
  const { pattern } = head;
  const budget = state.work;
  const { bound } = pattern;
  if (bound !== undefined && uidOf(state, event, bound.kind) !== bound.uid) return 0;
  if (!pattern.names.includes(event.name)) return pattern.impossibleBy.includes(event.name) ? MISMATCH : 0;
  if (pattern.flowId !== undefined && event.fields["flow_id"] !== pattern.flowId) return 0;
  const constrained = constraintScore(event, pattern, budget);
  if (constrained === 0) return pattern.isOnce && bound !== undefined ? MISMATCH : 0;
  // A wait for one flow instance asks for nothing else of its events.
  if (bound?.kind === "flow") return times(constrained, head.priority);
  const specific = times(constrained, specificity(event, pattern, budget));
  return times(times(specific, identityScore(state, event, pattern)), head.priority);
}

function uidOf(state: EngineState, event: EngineEvent, kind: "flow" | "action"): string | undefined {
  if (kind === "action") return event.action === undefined ? actionUidOf(event) : actionOf(state, event.action).uid;
  const uid = event.isInternal ? event.fields["flow_instance_uid"] : undefined;
  return typeof uid === "string" ? uid : undefined;
}

function constraintScore(event: EngineEvent, pattern: ReadyPattern, budget: WorkBudget): number {
  for (const [name, expected] of pattern.fields) {
    const actual = readOwn(event.fields, name);
    if (actual === undefined || similarity(actual, expected, budget) === 0) return 0;
  }
  let score = 1;
  for (const [name, expected] of pattern.constraints) {
    const actual = event.isInternal
      ? (readOwn(event.payload, name) ?? (event.extras && readOwn(event.extras, name)))
      : readEventField(event, name);
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
  }
  return unspecified(unasked);
}

/** Internal events whose fields count as payload does. */
const FIELDS_COUNT: ReadonlySet<string> = new Set([
  "UnhandledEvent",
  "UserIntentLog",
  "BotIntentLog",
  "UserActionLog",
  "BotActionLog",
]);

/** The action of an event is one more thing to ask for, where the engine knows it. */
function identityScore(state: EngineState, event: EngineEvent, pattern: ReadyPattern): number {
  if (pattern.startArguments !== undefined) {
    if (event.action === undefined) return 0;
    return similarity(actionOf(state, event.action).startArguments, recordOf(pattern.startArguments), state.work);
  }
  if (event.action === undefined || pattern.bound?.kind === "action") return 1;
  return UNSPECIFIED;
}

import type { GuardrailsEvent } from "../../engine/events.js";
import { readOwn } from "../../engine/plain-data.js";
import type { Expression } from "../../expressions/ast.js";
import { isTruthy, type Value } from "../../expressions/values/value.js";
import {
  ANY,
  type CompiledFlow,
  type EventMatcher,
  type Matcher,
  type PropertyTest,
  type SayContent,
} from "../elements.js";
import {
  assignTo,
  describeFailure,
  STEPS_PER_SLIDE,
  type LiveInstance,
  type MatchView,
  type Processing,
} from "./processing.js";
import { UTTERANCE } from "./program-index.js";
import { isEventLimit, WAITS } from "./slide.js";

export interface Match {
  /** The element to continue with. */
  readonly next: number;
  /** True if the utterance matched rather than the event itself. */
  readonly utterance: boolean;
}

/**
 * Returns the match of the element at a position with the event; for a `Choice`, the first matching branch. Actions are
 * not matched here, since an instance identifies its own by `action_uid`.
 */
export function matchAt(flow: CompiledFlow, at: number, view: MatchView, instance?: LiveInstance): Match | undefined {
  const element = flow.elements[at];
  switch (element?.kind) {
    case "Say":
      return matchesSay(element.content, view.event) ? { next: at + 1, utterance: false } : undefined;
    case "Match":
      for (const matcher of element.matchers) {
        if (!matches(matcher, view, instance)) continue;
        return { next: at + 1, utterance: matcher.kind === "Event" && matcher.type === UTTERANCE };
      }
      return undefined;
    case "Choice":
      for (const head of element.heads) {
        const found = matchAt(flow, head, view, instance);
        if (found) return found;
      }
      return undefined;
    default:
      return undefined;
  }
}

/** Returns true if the element at a position waits for events of this type, whatever their properties. */
export function listensTo(flow: CompiledFlow, at: number, view: MatchView): boolean {
  const element = flow.elements[at];
  if (element?.kind === "Choice") return element.heads.some((head) => listensTo(flow, head, view));
  if (element?.kind !== "Match") return false;
  for (const matcher of element.matchers) {
    if (matcher.kind === "Event" && eventFor(matcher, view) !== undefined) return true;
  }
  return false;
}

function matches(matcher: Matcher, view: MatchView, instance: LiveInstance | undefined): boolean {
  if (matcher.kind === "Event") {
    const event = eventFor(matcher, view);
    if (event === undefined) return false;
    for (const test of matcher.properties) if (!holds(test, event, view, instance)) return false;
    return true;
  }
  const { event } = view;
  if (event.type !== (matcher.kind === "User" ? "UserIntent" : "BotIntent")) return false;
  const intent = event["intent"];
  for (const wanted of matcher.intents) if (wanted === ANY || wanted === intent) return true;
  return false;
}

function eventFor(matcher: EventMatcher, view: MatchView): GuardrailsEvent | undefined {
  if (matcher.type === UTTERANCE) return view.utterance;
  return matcher.type === view.event.type ? view.event : undefined;
}

function holds(
  test: PropertyTest,
  event: GuardrailsEvent,
  { work, assigned }: MatchView,
  instance: LiveInstance | undefined,
): boolean {
  switch (test.test) {
    case "any":
      return true;
    case "exists":
      return (readOwn(event, test.name) ?? null) !== null;
    case "equals":
      return (
        Object.hasOwn(event, test.name) && equalValues(event[test.name], work.evaluate(test.value, instance, assigned))
      );
  }
}

/** Compares a message with a `BotIntent`; a literal without a name is compared by its text. */
function matchesSay(content: SayContent, event: GuardrailsEvent): boolean {
  if (event.type !== "BotIntent") return false;
  const intent = event["intent"];
  if (content.type === "value") return intent === content.source;
  if (intent !== content.intent) return false;
  return content.type === "intent" || content.intent !== "say" || event["text"] === content.text;
}

/** The start of a flow: the element to continue with, and the variables assigned by its prefix. */
interface Start extends Match {
  readonly assigned: ReadonlyMap<string, unknown>;
}

const NOTHING: ReadonlyMap<string, unknown> = new Map();

/**
 * Slides a flow from its start on an overlay of the context and compares the first matcher with the event. Has no
 * effect unless the flow starts; a flow with an error does not start.
 */
export function tryStart(work: Processing, flow: CompiledFlow, view: MatchView): Start | undefined {
  try {
    const first = flow.elements[0];
    if (first && WAITS.has(first.kind)) {
      const match = matchAt(flow, 0, view);
      return match && { assigned: NOTHING, next: match.next, utterance: match.utterance };
    }
    return probe(work, flow, view);
  } catch (error) {
    if (isEventLimit(error)) throw error;
    report(work, flow, error);
    return undefined;
  }
}

function probe(work: Processing, flow: CompiledFlow, view: MatchView): Start | undefined {
  const assigned = new Map<string, unknown>();
  const probing: MatchView = { ...view, assigned };
  const evaluate = (expression: Expression): Value => work.evaluate(expression, undefined, assigned);
  let at = 0;
  for (let steps = 0; steps <= work.state.limits.slideSteps; steps += 1) {
    work.spend(STEPS_PER_SLIDE);
    const element = flow.elements[at];
    if (!element || element.kind === "Return" || element.kind === "Call") return undefined;
    if (WAITS.has(element.kind)) {
      const match = matchAt(flow, at, probing);
      return match && { assigned, ...match };
    }
    switch (element.kind) {
      case "Assign": {
        const { name } = element.target;
        const current = assigned.has(name) ? assigned.get(name) : readOwn(work.context, name);
        const assignment = assignTo({ [name]: current }, element.target, evaluate(element.value));
        if (!assignment.ok) throw new Error(assignment.message);
        assigned.set(name, assignment.value);
        at += 1;
        break;
      }
      case "Jump":
        at = element.target;
        break;
      case "JumpIfNot":
        at = isTruthy(evaluate(element.condition)) ? at + 1 : element.target;
        break;
      case "Check":
        if (!isTruthy(evaluate(element.condition))) return undefined;
        at += 1;
        break;
    }
  }
  throw new Error(`more than ${work.state.limits.slideSteps} steps before the first matcher`);
}

/** Reports a prefix error, once per flow and conversation. */
function report(work: Processing, flow: CompiledFlow, error: unknown): void {
  const { message } = describeFailure(error);
  work.trace.push({ type: "not-started", flow: flow.id, code: "CO-405", why: message });
  if (work.reported.includes(flow.id)) return;
  work.reported = [...work.reported, flow.id];
  const warning = `flow \`${flow.id}\` cannot start: ${message}`;
  work.trace.push({ type: "warning", code: "CO-405", flow: flow.id, message: warning });
}

const MAX_DEPTH = 64;
/** Maximum comparisons of one value with another, since shared lists would otherwise be compared repeatedly. */
const MAX_COMPARED = 200_000;

/** Deep equality of JSON values, by own properties. Cyclic, too deep or too large values count as different. */
export function equalValues(left: unknown, right: unknown): boolean {
  const bounds = { left: MAX_COMPARED };
  return compare(left, right, MAX_DEPTH, bounds) && bounds.left > 0;
}

function compare(left: unknown, right: unknown, depth: number, bounds: { left: number }): boolean {
  if ((bounds.left -= 1) <= 0) return false;
  if (Object.is(left, right) || left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null || depth === 0) {
    return false;
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, at) => compare(item, right[at], depth - 1, bounds));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      compare((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], depth - 1, bounds),
  );
}

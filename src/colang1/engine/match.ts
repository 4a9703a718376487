import type { GuardrailsEvent } from "../../engine/events.js";
import type { Expression } from "../../expressions/ast.js";
import {
  ANY,
  type CompiledFlow,
  type EventMatcher,
  type Matcher,
  type PropertyTest,
  type SayContent,
} from "../elements.js";
import { readOwn } from "../../engine/variables.js";
import { equalValues } from "./equal-values.js";
import { UTTERANCE } from "./program-index.js";

/** The event as a matcher sees it. */
export interface MatchView {
  readonly event: GuardrailsEvent;
  /** The event for `event UtteranceUserActionFinished`; undefined when that must not match now. */
  readonly utterance: GuardrailsEvent | undefined;
  evaluate(expression: Expression): unknown;
}

export interface Match {
  /** The element to go on with. */
  readonly next: number;
  /** The utterance matched, not the event itself. */
  readonly utterance: boolean;
}

/**
 * Returns the match of the element at a position with the event; of a `Choice` the first branch that matches. Actions are not
 * matched here: an instance recognises its own by `action_uid`.
 */
export function matchAt(flow: CompiledFlow, at: number, view: MatchView): Match | undefined {
  const element = flow.elements[at];
  switch (element?.kind) {
    case "Say":
      return matchesSay(element.content, view.event) ? { next: at + 1, utterance: false } : undefined;
    case "Match":
      for (const matcher of element.matchers) {
        if (matches(matcher, view)) return { next: at + 1, utterance: isUtterance(matcher) };
      }
      return undefined;
    case "Choice":
      for (const head of element.heads) {
        const found = matchAt(flow, head, view);
        if (found) return found;
      }
      return undefined;
    default:
      return undefined;
  }
}

/** Returns true if the element at a position waits for events of this type, with any properties. */
export function listensTo(flow: CompiledFlow, at: number, view: MatchView): boolean {
  const element = flow.elements[at];
  if (element?.kind === "Choice") return element.heads.some((head) => listensTo(flow, head, view));
  if (element?.kind !== "Match") return false;
  return element.matchers.some((matcher) => matcher.kind === "Event" && eventFor(matcher, view) !== undefined);
}

function isUtterance(matcher: Matcher): boolean {
  return matcher.kind === "Event" && matcher.type === UTTERANCE;
}

function matches(matcher: Matcher, view: MatchView): boolean {
  if (matcher.kind === "Event") {
    const event = eventFor(matcher, view);
    return event !== undefined && matcher.properties.every((test) => holds(test, event, view));
  }
  const { event } = view;
  if (event.type !== (matcher.kind === "User" ? "UserIntent" : "BotIntent")) return false;
  const intent = readOwn(event, "intent");
  return matcher.intents.some((wanted) => wanted === ANY || wanted === intent);
}

function eventFor(matcher: EventMatcher, view: MatchView): GuardrailsEvent | undefined {
  if (matcher.type === UTTERANCE) return view.utterance;
  return matcher.type === view.event.type ? view.event : undefined;
}

function holds(test: PropertyTest, event: GuardrailsEvent, view: MatchView): boolean {
  switch (test.test) {
    case "any":
      return true;
    case "exists":
      return (readOwn(event, test.name) ?? null) !== null;
    case "equals":
      return Object.hasOwn(event, test.name) && equalValues(event[test.name], view.evaluate(test.value));
  }
}

/** Compares a message with a `BotIntent`; a literal without a name is recognised by its text. */
function matchesSay(content: SayContent, event: GuardrailsEvent): boolean {
  if (event.type !== "BotIntent") return false;
  const intent = readOwn(event, "intent");
  if (content.type === "value") return intent === content.source;
  if (intent !== content.intent) return false;
  return content.type === "intent" || content.intent !== "say" || readOwn(event, "text") === content.text;
}

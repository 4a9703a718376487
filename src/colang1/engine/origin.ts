import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { isMap } from "../../engine/variables.js";
import type { Origin } from "./processing.js";
import type { Colang1State } from "./state.js";
import { realises } from "./step-draft.js";

const EXTERNAL: Origin = { kind: "external" };

/**
 * Returns the cause of an event: the last action for the events that it announced, even if they look like the step that was
 * about to be taken; then the requested step; then the last action for all other events that follow it.
 */
export function originOf(state: Colang1State, event: GuardrailsEvent): Origin {
  const { next, lastAction } = state;
  if (lastAction && isAnnounced(state, event)) return { kind: "action", ...lastAction };
  if (next && realises(event, next.draft)) return { kind: "step", instance: next.instance, tier: next.tier };
  return lastAction ? { kind: "action", ...lastAction } : EXTERNAL;
}

/** Returns true if the event is the next one of those that the last action returned. */
export function isAnnounced(state: Colang1State, event: GuardrailsEvent): boolean {
  const expected = state.announced[0];
  return isMap(expected) && expected["type"] === event.type && realises(event, expected as EventDraft);
}

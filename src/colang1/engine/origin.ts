import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { isMap } from "../../engine/variables.js";
import type { Origin } from "./processing.js";
import type { Colang1State } from "./state.js";
import { realises } from "./step-draft.js";

const EXTERNAL: Origin = { kind: "external" };

/**
 * Who caused an event. Events that the last action announced are its own, even where they look like the step that was
 * about to be taken; then the step that was asked for; then whatever else followed the last action.
 */
export function originOf(state: Colang1State, event: GuardrailsEvent): Origin {
  const { next, lastAction } = state;
  if (lastAction && isAnnounced(state, event)) return { kind: "action", ...lastAction };
  if (next && realises(event, next.draft)) return { kind: "step", instance: next.instance, tier: next.tier };
  return lastAction ? { kind: "action", ...lastAction } : EXTERNAL;
}

/** Whether the event is the next of those that the last action returned. */
export function isAnnounced(state: Colang1State, event: GuardrailsEvent): boolean {
  const expected = state.announced[0];
  return isMap(expected) && expected["type"] === event.type && realises(event, expected as EventDraft);
}

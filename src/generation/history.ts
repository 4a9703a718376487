import type { GuardrailsEvent } from "../engine/events.js";

/** Returns the last event of a type. */
export function lastEvent(events: readonly GuardrailsEvent[], type: string): GuardrailsEvent | undefined {
  for (let index = events.length - 1; index >= 0; index -= 1) if (events[index]?.type === type) return events[index];
  return undefined;
}

/** Returns a text property of the last event of a type. */
export function lastText(events: readonly GuardrailsEvent[], type: string, property: string): string | undefined {
  const value = lastEvent(events, type)?.[property];
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns the history ending with the event of a step, for steps run outside of a conversation; unchanged if it is
 * already the last event of its type.
 */
export function endingWith(
  events: readonly GuardrailsEvent[],
  expected: { readonly type: string; readonly property: string; readonly value: string },
): readonly GuardrailsEvent[] {
  if (lastText(events, expected.type, expected.property) === expected.value) return events;
  return [...events, { type: expected.type, [expected.property]: expected.value }];
}

/** Returns the user's text after the input rails, and whether they changed it. */
export function currentUserText(events: readonly GuardrailsEvent[]): {
  readonly text: string;
  readonly rewritten: boolean;
} {
  const text = lastText(events, "UserMessage", "text") ?? "";
  const transcript = lastText(events, "UtteranceUserActionFinished", "final_transcript");
  return { text, rewritten: transcript !== undefined && transcript !== text };
}

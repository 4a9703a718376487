import type { GuardrailsEvent } from "../../engine/events.js";

/** An utterance with this text takes back the one before it (spec colang-1 15.3). */
export const REMOVE_LAST = "(remove last message)";

/** What the bot said, in order; nothing when an exception ended the turn (spec colang-1 12.5). */
export function collectUtterances(events: readonly GuardrailsEvent[]): string[] {
  const utterances: string[] = [];
  if (findException(events) !== undefined) return utterances;
  for (const event of events) {
    if (event.type !== "StartUtteranceBotAction") continue;
    const script = typeof event["script"] === "string" ? event["script"] : String(event["script"] ?? "");
    if (script === REMOVE_LAST) utterances.pop();
    else utterances.push(script);
  }
  return utterances;
}

/** The last exception event, which is the one that is told. */
export function findException(events: readonly GuardrailsEvent[]): GuardrailsEvent | undefined {
  return events.findLast((event) => event.type.endsWith("Exception"));
}

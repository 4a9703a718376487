import type { GuardrailsEvent } from "../../engine/events.js";

/** What prompts show of a run: what was said by whom, under the names that the history knows. */
export function historyEvents(events: readonly GuardrailsEvent[]): GuardrailsEvent[] {
  const shown: GuardrailsEvent[] = [];
  for (const { type, final_transcript: heard, final_script: said } of events) {
    if (type === "UtteranceUserActionFinished" && typeof heard === "string") {
      shown.push({ type: "UserMessage", text: heard });
    } else if (type === "UtteranceBotActionFinished" && typeof said === "string" && said !== "") {
      shown.push({ type: "StartUtteranceBotAction", script: said });
    }
  }
  return shown;
}

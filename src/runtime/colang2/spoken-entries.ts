import type { HistoryEntry } from "../../colang2/engine/state/state.js";
import type { GuardrailsEvent } from "../../engine/events.js";

/** What was said elsewhere, as prompts of Colang 2.x show it: as if the flows had heard and said it (spec colang-2 8.4). */
export function spokenEntries(events: readonly GuardrailsEvent[]): readonly HistoryEntry[] {
  return events.flatMap(({ type, text, script }): readonly HistoryEntry[] => {
    if (type === "UserMessage" && typeof text === "string") {
      return [{ name: "UserActionLog", flow: "user said", parameter: text, intent: null }];
    }
    if (type === "StartUtteranceBotAction" && typeof script === "string" && script !== "") {
      return [{ name: "BotActionLog", flow: "bot say", parameter: script, intent: null }];
    }
    return [];
  });
}

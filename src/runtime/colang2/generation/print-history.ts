import type { HistoryEntry } from "../../../colang2/engine/state/state.js";
import type { GuardrailsEvent } from "../../../engine/events.js";

/** The log entries of a conversation as events, which is what prompts print. */
export function historyEvents(history: readonly HistoryEntry[]): readonly GuardrailsEvent[] {
  return history.map(({ name, flow, parameter, intent }) => ({
    type: name,
    flow_id: flow,
    parameter,
    ...(intent === undefined ? {} : { intent_flow_id: intent }),
  }));
}

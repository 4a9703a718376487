import { resolveAction } from "../../colang2/engine/action-object.js";
import type { EngineConversation } from "../../colang2/engine/conversation.js";
import type { EventDraft } from "../../engine/events.js";
import type { TurnMessage } from "../options.js";

/** A result that the caller brings for an action that was handed out (spec colang-2 8.4). */
export interface ToolResult {
  readonly action: string;
  readonly uid: string;
  readonly content: string;
}

/** Splits off the results of actions that this conversation waits for; all other messages stay as they are. */
export function splitToolResults(
  engine: EngineConversation,
  messages: readonly TurnMessage[],
): { readonly results: readonly ToolResult[]; readonly others: readonly TurnMessage[] } {
  const results: ToolResult[] = [];
  const others = messages.filter((message) => {
    if (message.role !== "tool" || message.toolCallId === undefined) return true;
    const action = engine.state.actions.get(message.toolCallId);
    if (action === undefined || !resolveAction(action).isOwn) return true;
    results.push({ action: action.name, uid: message.toolCallId, content: message.content });
    return false;
  });
  return { results, others };
}

export function toolResultEvent({ action, uid }: ToolResult, content: string): EventDraft {
  return { type: `${action}Finished`, action_uid: uid, is_success: true, return_value: content };
}

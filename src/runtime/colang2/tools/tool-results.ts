import { resolveAction } from "../../../colang2/engine/state/action-object.js";
import type { EngineConversation } from "../../../colang2/engine/conversation.js";
import type { EventDraft } from "../../../engine/events.js";
import type { ToolTurnMessage, TurnMessage } from "../../../turn/options.js";

/** A result that the caller brings for an action that was handed out (spec colang-2 8.4). */
export interface ToolResult {
  readonly action: string;
  readonly uid: string;
  readonly content: string;
  readonly failed: boolean;
  /** Rails have looked at it. */
  readonly reviewed: boolean;
}

/** What a call brings, where a conversation waits for results among it. */
export interface BroughtResults {
  readonly results: readonly ToolResult[];
  /** What is left to hear besides. */
  readonly others: readonly TurnMessage[];
  /** Of each text of the user's side, in the order of the messages: the number of its result, or that the user said it. */
  readonly order: readonly (number | "user")[];
}

/** Whether flows wait for the end of an action that they have handed out. */
export function isAwaited(engine: EngineConversation, uid: string): boolean {
  const action = engine.state.actions.get(uid);
  if (action === undefined) return false;
  const { isOwn, status } = resolveAction(action);
  return isOwn && (status === "starting" || status === "started" || status === "stopping");
}

/**
 * Splits off the results of actions that this conversation waits for; all other messages stay as they are. Where there are
 * some, the messages up to the answer that asked for them were heard before.
 */
export function splitToolResults(engine: EngineConversation, messages: readonly TurnMessage[]): BroughtResults {
  const isResult = (message: TurnMessage): message is ToolTurnMessage & { readonly toolCallId: string } =>
    message.role === "tool" && message.toolCallId !== undefined && isAwaited(engine, message.toolCallId);
  if (!messages.some(isResult)) return { results: [], others: messages, order: [] };
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const results: ToolResult[] = [];
  const others: TurnMessage[] = [];
  const order: (number | "user")[] = [];
  for (const [index, message] of messages.entries()) {
    if (isResult(message)) {
      const { content, toolCallId: uid, failed = false, reviewed = false } = message;
      if (!reviewed) order.push(results.length);
      results.push({ action: engine.state.actions.get(uid)?.name ?? "", uid, content, failed, reviewed });
    } else if (index > answered || message.role === "context" || message.role === "system") {
      others.push(message);
      if (message.role === "user" || message.role === "tool") order.push("user");
    }
  }
  return { results, others, order };
}

/** The end of an action as its host tells it; one that failed tells why (spec colang-2 8.2). */
export function toolResultEvent({ action, uid, failed }: ToolResult, content: string): EventDraft {
  const end = failed
    ? { status: "failed", is_success: false, failure_reason: content, return_value: null }
    : { status: "success", is_success: true, return_value: content };
  return { type: `${action}Finished`, action_uid: uid, ...end };
}

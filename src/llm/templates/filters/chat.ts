import type { PromptMessage } from "../../../config/settings.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import type { FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { defineFilter } from "../filter.js";
import { hasInteractionLogs, utteranceText } from "../../prompts/interaction-history.js";

/** The placeholder of a user message that a rail has blocked: its text must not return in a later prompt. */
export const HIDDEN_MESSAGE = "(message withheld)";

/** Filters from events to the plain conversation, without canonical forms. */
export const CHAT_FILTERS: readonly FunctionDefinition[] = [
  defineFilter("to_chat_messages", "", (value) => chatMessages(value)),
  defineFilter("user_assistant_sequence", "", (value) => {
    return chatMessages(value)
      .map(({ type, content }) => `${type === "user" ? "User" : "Assistant"}: ${content}`)
      .join("\n");
  }),
];

function chatMessages(value: unknown): PromptMessage[] {
  const events = Array.isArray(value) ? (value as readonly GuardrailsEvent[]) : [];
  return hasInteractionLogs(events) ? loggedMessages(events) : eventMessages(events);
}

function eventMessages(events: readonly GuardrailsEvent[]): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let turnStart = 0;
  let current: number | undefined;
  for (const event of events) {
    switch (event.type) {
      case "UtteranceUserActionFinished":
        turnStart = messages.length;
        current = undefined;
        break;
      case "UserMessage":
        current = messages.length;
        messages.push({ type: "user", content: textOf(event["text"]) });
        break;
      case "StartUtteranceBotAction":
        messages.push({ type: "assistant", content: textOf(event["script"]) });
        break;
      case "mask_prev_user_message":
        if (current !== undefined) messages[current] = { type: "user", content: HIDDEN_MESSAGE };
        break;
      case "hide_prev_turn":
        messages.length = turnStart;
        current = undefined;
        break;
      default:
    }
  }
  return messages;
}

/** Reads the utterances of a Colang 2.x conversation. Every flow that matched an utterance logs it. */
function loggedMessages(events: readonly GuardrailsEvent[]): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let previous: string | undefined;
  for (const event of events) {
    if (event.type !== "UserActionLog" && event.type !== "BotActionLog") continue;
    const isOfUser = event.type === "UserActionLog";
    const text = utteranceText(event);
    if (text !== undefined && !(isOfUser && text === previous)) {
      messages.push({ type: isOfUser ? "user" : "assistant", content: text });
    }
    previous = isOfUser ? text : undefined;
  }
  return messages;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

import type { PromptMessage } from "../../config/settings.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { TemplateFilter } from "../filter.js";

/** Stands for a user message that a rail has blocked; its text must not come back in a later prompt. */
const HIDDEN_MESSAGE = "(message withheld)";

/** Filters from events to the plain conversation, without canonical forms. */
export const CHAT_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  to_chat_messages: (value) => chatMessages(value),
  user_assistant_sequence: (value) => {
    return chatMessages(value)
      .map(({ type, content }) => `${type === "user" ? "User" : "Assistant"}: ${content}`)
      .join("\n");
  },
};

function chatMessages(value: unknown): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let turnStart = 0;
  let current: number | undefined;
  for (const event of Array.isArray(value) ? (value as readonly GuardrailsEvent[]) : []) {
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

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

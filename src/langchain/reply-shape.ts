import type { BaseMessage } from "@langchain/core/messages";
import { hiddenMessage } from "./graph/message-updates.js";
import { isMessage, isObject, isPromptValue } from "./message-kinds.js";
import { rewriteMessages, type UserInput } from "./user-input.js";

const TEXT_KEYS = ["input", "question", "query"] as const;

/**
 * The reply in the shape of what was asked: a message, or for `{ messages }` the messages with it, as a graph's node writes
 * them.
 *
 * @param texts - what the user said as the input rails left it; undefined when they blocked it, and then it goes
 */
export function replyTo(input: UserInput, reply: BaseMessage, texts: readonly string[] | undefined): unknown {
  const { value } = input;
  if (!isObject(value) || isMessage(value) || isPromptValue(value) || !Array.isArray(value["messages"])) return reply;
  if (TEXT_KEYS.some((key) => value[key] !== undefined)) return reply;
  const messages =
    texts === undefined
      ? input.messages.map((message, index) => (input.pending.includes(index) ? hiddenMessage(message) : message))
      : rewriteMessages(input, texts);
  return { messages: [...messages, reply] };
}

import type { BaseMessage } from "@langchain/core/messages";
import { hiddenMessage } from "../graph/message-updates.js";
import { isMessage, isObject, isPromptValue } from "../values/message-kinds.js";
import { rewriteMessages } from "../values/read-user-input.js";
import { type UserInput } from "../values/user-input.js";

const TEXT_KEYS = ["input", "question", "query"] as const;

/** Whether what was asked so is answered with a message alone. */
export function repliesWithMessage(value: unknown): boolean {
  if (!isObject(value) || isMessage(value) || isPromptValue(value) || !Array.isArray(value["messages"])) return true;
  return TEXT_KEYS.some((key) => value[key] !== undefined);
}

/**
 * The reply in the shape of what was asked: a message, or for `{ messages }` the messages with it, as a graph's node writes
 * them.
 *
 * @param texts - what the user said as the input rails left it; undefined when they blocked it, and then it goes
 */
export function replyTo(input: UserInput, reply: BaseMessage, texts: readonly string[] | undefined): unknown {
  if (repliesWithMessage(input.value)) return reply;
  const messages =
    texts === undefined
      ? input.messages.map((message, index) => (input.pending.includes(index) ? hiddenMessage(message) : message))
      : rewriteMessages(input, texts);
  return { messages: [...messages, reply] };
}

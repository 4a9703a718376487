import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { type BaseMessage, coerceMessageLikeToMessage, HumanMessage } from "@langchain/core/messages";
import { shapeError } from "../shape-error.js";
import { isPromptValue } from "../values/message-kinds.js";

/**
 * The messages of an input of a chat model.
 *
 * @throws InputShapeError for a value that no chat model takes
 */
export function messagesOf(input: BaseLanguageModelInput): BaseMessage[] {
  if (typeof input === "string") return [new HumanMessage(input)];
  if (Array.isArray(input)) return input.map(coerceMessageLikeToMessage);
  const given: unknown = input;
  if (isPromptValue(given)) return given.toChatMessages();
  throw shapeError("a model cannot read this input", given, "pass a string, a list of messages or a prompt value");
}

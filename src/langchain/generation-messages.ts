import type { GuardrailsEvent } from "../engine/events.js";
import type { TurnMessage } from "../turn/options.js";
import { extractText } from "./values/content.js";
import { isMessage, isObject, isPromptValue, toMessage } from "./values/message-kinds.js";
import { shapeError } from "./shape-error.js";
import { toTurnMessage } from "./values/user-input.js";

/** The peer's roles; `bot` is what its own guide writes for `assistant`. */
export type GenerationMessage =
  | { readonly role: "user" | "assistant" | "bot" | "system"; readonly content: string }
  | {
      readonly role: "tool";
      readonly content: string;
      readonly tool_call_id?: string;
      /** `error` for a tool that failed; the content tells how. */
      readonly status?: "success" | "error";
    }
  | { readonly role: "context"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly role: "event"; readonly event: GuardrailsEvent };

const REMEDY = 'pass a string, or a list of messages such as `{ role: "user", content: "hi" }`';

/** The messages of a `generate` call; a string is the user's text. */
export function readGenerationMessages(value: unknown): readonly TurnMessage[] {
  if (typeof value === "string") return [{ role: "user", content: value }];
  if (isPromptValue(value))
    return value.toChatMessages().map((message) => toTurnMessage(message, extractText(message)));
  if (isMessage(value)) return [toTurnMessage(value, extractText(value))];
  if (Array.isArray(value) && value.length > 0) return value.map(readMessage);
  throw shapeError("there is nothing to answer", value, REMEDY);
}

function readMessage(value: unknown): TurnMessage {
  if (isObject(value) && !isMessage(value)) {
    if (value["role"] === "context" && isObject(value["content"]))
      return { role: "context", content: value["content"] };
    if (value["role"] === "event" && isObject(value["event"]) && typeof value["event"]["type"] === "string") {
      return { role: "event", event: value["event"] as GuardrailsEvent };
    }
    if (value["role"] === "bot" && typeof value["content"] === "string") {
      return { role: "assistant", content: value["content"] };
    }
    if (value["role"] === "tool" && typeof value["content"] === "string") {
      const id = value["tool_call_id"] ?? value["toolCallId"];
      return {
        role: "tool",
        content: value["content"],
        ...(typeof id === "string" ? { toolCallId: id } : {}),
        ...(value["status"] === "error" ? { failed: true } : {}),
      };
    }
    if (typeof value["role"] !== "string" || !("content" in value))
      throw shapeError("this is no message", value, REMEDY);
  }
  const message = toMessage(value);
  return toTurnMessage(message, extractText(message));
}

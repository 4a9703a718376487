import { badRequest } from "../errors.js";
import type { ConversationMessage } from "./messages.js";

/**
 * Refuses messages in an order that OpenAI refuses: tool results without their tool calls, and tool calls without their results.
 * Rails also need something to review after the last assistant message.
 *
 * @param earlier - messages of the conversation that the server stores
 * @throws ApiError 400 with a position in `messages`
 */
export function checkOrder(
  messages: readonly ConversationMessage[],
  earlier: readonly ConversationMessage[] = [],
): void {
  let pending = new Set<string>();
  let isAnswered = true;
  const count = earlier.length;
  for (const [index, ordered] of [...earlier, ...messages].entries()) {
    const at = Math.max(0, index - count);
    if (ordered.role === "tool") {
      if (!pending.delete(ordered.tool_call_id)) throw resultWithoutCall(at);
    } else {
      if (pending.size > 0) throw callsWithoutResults(pending, at);
      if (ordered.role === "assistant") pending = callsOf(ordered, at);
    }
    isAnswered = ordered.role === "assistant" || (isAnswered && ordered.role !== "user" && ordered.role !== "tool");
  }
  if (pending.size > 0) throw callsWithoutResults(pending, messages.length - 1);
  if (!isAnswered) return;
  const message =
    "Invalid value for 'messages': rails need a message of the role 'user' or 'tool' after the last one of the role 'assistant'.";
  throw badRequest(message, "messages", "invalid_value");
}

function callsOf(message: Extract<ConversationMessage, { readonly role: "assistant" }>, at: number): Set<string> {
  const { content, refusal, tool_calls: calls } = message;
  if ((content === undefined || content === null) && !refusal && !calls) {
    throw badRequest("Invalid value for 'content': expected a string, got null.", `messages.[${at}].content`);
  }
  return new Set(calls?.map(({ id }) => id));
}

function resultWithoutCall(at: number): Error {
  const message =
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
  return badRequest(message, `messages.[${at}].role`);
}

function callsWithoutResults(ids: ReadonlySet<string>, at: number): Error {
  const named = [...ids].map((id) => id.slice(0, 64)).slice(0, 8);
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${named.join(", ")}`;
  return badRequest(message, `messages.[${at}].role`);
}

import {
  type AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  type ToolCallChunk,
  type UsageMetadata,
} from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { registerVerdict } from "../values/registered-verdict.js";

/**
 * A message of our own: a refusal, or a text of a flow.
 *
 * @param calls - of tools that flows ask for
 */
export function spokenMessage(
  text: string,
  verdict: GuardrailsMetadata,
  calls: readonly ToolCall[] = [],
): AIMessageChunk {
  const asked = calls.length === 0 ? {} : { tool_call_chunks: toToolCallChunks(calls) };
  return new AIMessageChunk({ content: text, response_metadata: { guardrails: registerVerdict(verdict) }, ...asked });
}

interface ToolCall {
  readonly name?: string;
  readonly args?: unknown;
  readonly id?: string;
}

/** The same message as the one chunk of a stream. */
export function toChunk(message: BaseMessage): AIMessageChunk {
  if (AIMessageChunk.isInstance(message)) return message;
  const answer = message as AIMessage;
  const calls: readonly ToolCall[] = [...(answer.tool_calls ?? []), ...(answer.invalid_tool_calls ?? [])];
  const fields = {
    content: answer.content as string,
    additional_kwargs: answer.additional_kwargs,
    response_metadata: answer.response_metadata,
    tool_call_chunks: toToolCallChunks(calls),
    ...(answer.usage_metadata === undefined ? {} : { usage_metadata: answer.usage_metadata as UsageMetadata }),
    ...(answer.id === undefined ? {} : { id: answer.id }),
    ...(answer.name === undefined ? {} : { name: answer.name }),
  };
  return new AIMessageChunk(fields as AIMessageChunkFields);
}

/** Finished calls of tools as the pieces of a chunk. */
export function toToolCallChunks(calls: readonly ToolCall[]): ToolCallChunk[] {
  return calls.map((call, index) => ({
    type: "tool_call_chunk",
    index,
    ...(call.name === undefined ? {} : { name: call.name }),
    ...(call.id === undefined ? {} : { id: call.id }),
    args: typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {}),
  }));
}

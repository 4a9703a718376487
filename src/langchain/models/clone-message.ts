import type { BaseMessage, InvalidToolCall, ToolCall, ToolCallChunk, UsageMetadata } from "@langchain/core/messages";

export interface MessageChanges {
  readonly content?: BaseMessage["content"];
  readonly response_metadata?: BaseMessage["response_metadata"];
  readonly additional_kwargs?: BaseMessage["additional_kwargs"];
  readonly usage_metadata?: UsageMetadata | undefined;
  readonly tool_calls?: readonly ToolCall[];
  readonly invalid_tool_calls?: readonly InvalidToolCall[];
  readonly name?: string | undefined;
  readonly artifact?: unknown;
  readonly tool_call_chunks?: readonly ToolCallChunk[];
}

/**
 * A copy with some fields changed. A constructor call would lose fields that only subclasses know, and would turn a chunk
 * of one copy of the library into a message of another.
 */
export function cloneMessage<M extends BaseMessage>(message: M, changes: MessageChanges): M {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(message) as object) as M, message, changes);
  const kwargs = (message as { lc_kwargs?: object }).lc_kwargs;
  // INVARIANT: a serialised copy has the new content, never the old one.
  if (kwargs) {
    const { contentBlocks: _dropped, ...rest } = kwargs as Record<string, unknown>;
    Object.assign(copy, { lc_kwargs: { ...rest, content: copy.content, ...changes } });
  }
  return copy;
}

import { AIMessageChunk, type AIMessageChunkFields, type ToolCallChunk } from "@langchain/core/messages";

/** Fields of a message chunk that this package writes. */
interface TextChunkFields {
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly tool_call_chunks?: ToolCallChunk[];
  readonly id?: string | undefined;
}

/**
 * Makes a message chunk with all fields that the constructor would otherwise add to a copy of what it is given: V8 makes a
 * hidden class for each such copy, and keeps what the copy holds until the next full garbage collection.
 */
export function textChunk(
  content: string,
  { response_metadata, tool_call_chunks, id }: TextChunkFields = {},
): AIMessageChunk {
  const fields = {
    content,
    additional_kwargs: {},
    response_metadata: response_metadata ?? {},
    tool_calls: [],
    invalid_tool_calls: [],
    tool_call_chunks: tool_call_chunks ?? [],
    usage_metadata: undefined,
  };
  return new AIMessageChunk((id === undefined ? fields : { id, ...fields }) as object as AIMessageChunkFields);
}

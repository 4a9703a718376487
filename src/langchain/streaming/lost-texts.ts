import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { type Mapper, mapParts } from "../../engine/walk.js";
import { isPlainName, textsIn } from "../../turn/redact-data.js";
import { cloneMessage, isOnlyText } from "../values/message-kinds.js";
import { isIdentifier } from "../values/metadata-codes.js";

/**
 * Returns the chunks without texts that the joined message lacks. INVARIANT: rails read the joined message, and joining
 * replaces names, ids and types, and drops calls next to pieces of calls, and blocks with an empty text.
 */
export function withoutLost(chunks: readonly AIMessageChunk[], joined: BaseMessage): readonly AIMessageChunk[] {
  const isBare = (chunk: AIMessageChunk): boolean => isOnlyText(chunk) && isIdentifier(chunk.id ?? "");
  if (chunks.every(isBare)) return chunks;
  const { tool_calls, invalid_tool_calls, tool_call_chunks } = joined as AIMessageChunk;
  const calls = { tool_calls, invalid_tool_calls, tool_call_chunks };
  const all = textsIn([joined.content, joined.additional_kwargs, joined.response_metadata, calls]).join("\n");
  const isKept = searchInOrder(all);
  const mapper: Mapper = {
    leaf: (leaf) => (typeof leaf !== "string" || isKept(leaf) ? leaf : undefined),
    whole: (value, parts) => (ArrayBuffer.isView(value) ? value : parts()),
    key: (key) => (isPlainName(key) || isKept(key) ? key : undefined),
  };
  // Then one chunk has all calls: some of their pieces alone are no calls.
  const first = chunks.some((chunk) => !textsIn(callsOf(chunk)).every(isKept))
    ? chunks.findIndex((chunk) => callsOf(chunk).length > 0)
    : undefined;
  return chunks.map((chunk, index) => {
    if (isBare(chunk)) return chunk;
    const id = isIdentifier(chunk.id ?? "") ? chunk.id : joined.id;
    const { content, additional_kwargs, response_metadata } = chunk;
    const fields: object = {
      id,
      ...(mapParts({ content, additional_kwargs, response_metadata }, mapper) as object),
    };
    const own = index === first ? calls : { tool_calls: [], invalid_tool_calls: [], tool_call_chunks: [] };
    return cloneMessage(chunk, first === undefined ? fields : { ...fields, ...own });
  });
}

/** Returns a search for parts of a text, which takes linear time for many parts in the order of the text. */
function searchInOrder(all: string): (text: string) => boolean {
  const known = new Map<string, boolean>();
  let at = 0;
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const next = all.indexOf(text, at);
    if (next !== -1) at = next;
    const isFound = next !== -1 || all.includes(text);
    known.set(text, isFound);
    return isFound;
  };
}

/** Calls of a chunk and their pieces, from which LangChain also reads invalid calls. */
function callsOf({ tool_call_chunks: pieces = [], tool_calls = [], invalid_tool_calls = [] }: AIMessageChunk) {
  return [...pieces, ...tool_calls, ...(pieces.length > 0 ? [] : invalid_tool_calls)];
}

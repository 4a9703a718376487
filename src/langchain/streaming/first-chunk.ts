import { AIMessageChunk } from "@langchain/core/messages";
import { isMessage, isObject, isPromptValue } from "../values/message-kinds.js";

/** Returns true if the first chunk belongs to an answer: a piece of text, of a message, or of an object without messages. */
export function isPieceOfAnswer(chunk: unknown): boolean {
  if (typeof chunk === "string" || AIMessageChunk.isInstance(chunk)) return true;
  return isObject(chunk) && !isMessage(chunk) && !isPromptValue(chunk) && !("messages" in chunk);
}

/** The stream with the chunk again that was read of it. Closing it closes the rest. */
export async function* resumed<Chunk>(
  first: IteratorResult<Chunk>,
  rest: AsyncGenerator<Chunk>,
): AsyncGenerator<Chunk> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

import { AIMessageChunk, mergeUsageMetadata, type UsageMetadata } from "@langchain/core/messages";
import type { AIMessage } from "@langchain/core/messages";
import type { ModelPiece } from "../../llm/model.js";

/**
 * The pieces of a streamed completion. Joining messages costs far more than taking a piece, so it is done when somebody asks
 * for the message, and chunks that are nothing but text are joined as text.
 */
export class StreamedPieces {
  #whole: AIMessageChunk | undefined;
  /** Chunks that have not been joined. */
  #texts: AIMessageChunk[] = [];
  #usage: UsageMetadata | undefined;

  add(text: string, chunk: AIMessageChunk): ModelPiece {
    const { usage_metadata: usage } = chunk;
    if (usage !== undefined) this.#usage = mergeUsageMetadata(this.#usage, usage);
    if (this.#texts[0] !== undefined && this.#texts[0].id !== chunk.id) this.#flush();
    if (isText(chunk)) this.#texts.push(chunk);
    else {
      this.#flush();
      this.#append(chunk);
    }
    return new StreamedPiece(this, text, this.#usage);
  }

  /** All that has come in; undefined when nothing has. */
  whole(): AIMessageChunk | undefined {
    this.#flush();
    return this.#whole;
  }

  #flush(): void {
    const [first, ...others] = this.#texts;
    this.#texts = [];
    if (first === undefined) return;
    if (others.length === 0) this.#append(first);
    else {
      const content = [first, ...others].map((chunk) => chunk.content as string).join("");
      this.#append(new AIMessageChunk({ content, ...(first.id === undefined ? {} : { id: first.id }) }));
    }
  }

  #append(chunk: AIMessageChunk): void {
    this.#whole = this.#whole === undefined ? chunk : this.#whole.concat(chunk);
  }
}

/** A class and no literal: literals with accessors are slow. */
class StreamedPiece implements ModelPiece {
  readonly text: string;
  readonly usage: UsageMetadata | undefined;
  readonly #pieces: StreamedPieces;

  constructor(pieces: StreamedPieces, text: string, usage: UsageMetadata | undefined) {
    this.#pieces = pieces;
    this.text = text;
    this.usage = usage;
  }

  get message(): AIMessage | undefined {
    return this.#pieces.whole() as unknown as AIMessage | undefined;
  }
}

function isText(chunk: AIMessageChunk): boolean {
  const { content, tool_call_chunks: calls, usage_metadata: usage, name } = chunk;
  if (typeof content !== "string" || usage !== undefined || name !== undefined) return false;
  return (calls?.length ?? 0) === 0 && isEmpty(chunk.additional_kwargs) && isEmpty(chunk.response_metadata);
}

function isEmpty(record: object): boolean {
  for (const _key in record) return false;
  return true;
}

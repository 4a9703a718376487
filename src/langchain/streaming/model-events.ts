import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import type { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { concat } from "@langchain/core/utils/stream";
import { type GuardedModelCallOptions, PSEUDONYMS } from "../models/guarded-model-fields.js";
import { cloneMessage } from "../values/message-kinds.js";
import { toToolCallChunks } from "../verdict.js";

/**
 * The events of a guarded model. A call that restores its pseudonyms itself also restores those in the events that its handlers
 * observe; the events of any other go to the user.
 */
export async function* guardedEvents(
  open: (options: object) => AsyncIterable<ChatGenerationChunk>,
  options: GuardedModelCallOptions,
  hasPseudonyms: boolean,
): AsyncGenerator<ChatModelStreamEvent> {
  if (!hasPseudonyms || options[PSEUDONYMS] !== undefined) return yield* eventsOf(messagesOf(open(options)), options);
  const { streamRestored } = await import("./restored-handlers.js");
  yield* eventsOf(
    streamRestored(options, (given) => messagesOf(open(given))),
    options,
  );
}

/**
 * Writes chunks as the events of LangChain's own models. LangChain's conversion loses metadata, tool calls without pieces, and
 * those whose index is that of a text.
 */
async function* eventsOf(
  chunks: AsyncIterable<AIMessageChunk>,
  options: GuardedModelCallOptions,
): AsyncGenerator<ChatModelStreamEvent> {
  const seen: AIMessageChunk[] = [];
  async function* separate(): AsyncGenerator<ChatGenerationChunk> {
    const indexes = new CallIndexes();
    for await (const message of chunks) {
      seen.push(message);
      yield new ChatGenerationChunk({ text: "", message: indexes.separate(message) });
    }
  }
  const source = { _streamResponseChunks: separate } as unknown as BaseChatModel;
  for await (const event of BaseChatModel.prototype._streamChatModelEvents.call(source, [], options as never)) {
    if (event.event !== "message-finish" || seen.length === 0) yield event;
    else yield { ...event, responseMetadata: seen.reduce((sum, chunk) => concat(sum, chunk)).response_metadata };
  }
}

async function* messagesOf(chunks: AsyncIterable<ChatGenerationChunk>): AsyncGenerator<AIMessageChunk> {
  for await (const { message } of chunks) yield message as AIMessageChunk;
}

/** Indexes of tool calls, apart from those of other blocks: LangChain counts both on their own. */
class CallIndexes {
  readonly #texts = new Set<number>();
  readonly #moved = new Map<number, number>();
  #next = 1;

  separate(message: AIMessageChunk): AIMessageChunk {
    const { content, tool_call_chunks: pieces = [], tool_calls = [] } = message;
    const calls = pieces.length === 0 ? toToolCallChunks(tool_calls) : pieces;
    if (typeof content === "string") {
      if (content !== "") this.#texts.add(0);
    } else
      for (const { index, type } of content as readonly { readonly index?: unknown; readonly type?: unknown }[]) {
        if (typeof index !== "number") continue;
        this.#next = Math.max(this.#next, index + 1);
        if (type === "text" || type === "reasoning" || type === "thinking") this.#texts.add(index);
      }
    for (const { index = 0 } of calls) this.#next = Math.max(this.#next, index + 1);
    if (calls.length === 0) return message;
    return cloneMessage(message, {
      tool_call_chunks: calls.map((call) =>
        call.index === undefined ? call : { ...call, index: this.#place(call.index) },
      ),
    });
  }

  #place(index: number): number {
    if (!this.#texts.has(index)) return index;
    const moved = this.#moved.get(index) ?? this.#next++;
    this.#moved.set(index, moved);
    return moved;
  }
}

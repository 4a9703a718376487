import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { concat } from "@langchain/core/utils/stream";

/** A chat model that streams given chunks and counts the generated ones. */
export class ChunkedModel extends BaseChatModel<BaseChatModelCallOptions, AIMessageChunk> {
  /** Number of chunks generated in all calls. */
  made = 0;
  /** The signals of the calls. */
  readonly signals: (AbortSignal | undefined)[] = [];
  /** Called with the number of a chunk before it is generated. */
  before: (index: number) => unknown = () => undefined;
  #chunks: readonly AIMessageChunk[] = [];

  constructor(chunks: readonly (string | AIMessageChunk)[]) {
    super({});
    this.say(chunks);
  }

  /** The replies of the calls from now on. */
  say(chunks: readonly (string | AIMessageChunk)[]): void {
    this.#chunks = chunks.map((chunk) =>
      typeof chunk === "string" ? new AIMessageChunk({ content: chunk, id: "m" }) : chunk,
    );
  }

  override _llmType(): string {
    return "chunked";
  }

  override bindTools(_tools: BindToolsInput[]): ChunkedModel {
    return this;
  }

  override async _generate(_messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    this.signals.push(options.signal);
    const message = this.#chunks.map(copy).reduce((left, right) => concat(left, right));
    return { generations: [{ text: String(message.content), message }] };
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.signals.push(options.signal);
    for (const [index, message] of this.#chunks.map(copy).entries()) {
      await this.before(index);
      options.signal?.throwIfAborted();
      this.made += 1;
      const text = typeof message.content === "string" ? message.content : "";
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** LangChain writes ids and metadata into the chunks that it passes on. */
function copy(chunk: AIMessageChunk): AIMessageChunk {
  return concat(new AIMessageChunk({ content: Array.isArray(chunk.content) ? [] : "" }), chunk);
}

import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { toChunk } from "../../src/langchain/chat-generation.js";
import type { Cell } from "./cell.js";
import { textOf } from "./observe.js";

/** A chat model that answers what its cell says, in its chunks when it is streamed, and notes what it was shown. */
export class MatrixModel extends BaseChatModel<BaseChatModelCallOptions, AIMessageChunk> {
  static override lc_name(): string {
    return "MatrixModel";
  }

  override lc_serializable = false;
  readonly #cellOf: () => Cell | undefined;

  constructor(cellOf: () => Cell | undefined) {
    super({});
    this.#cellOf = cellOf;
  }

  override _llmType(): string {
    return "matrix";
  }

  override bindTools(_tools: BindToolsInput[]): MatrixModel {
    return new MatrixModel(this.#cellOf);
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.#reply(messages).whole;
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    const { whole, chunks } = this.#reply(messages);
    for (const message of chunks ?? [toChunk(whole)]) yield new ChatGenerationChunk({ text: message.text, message });
  }

  #reply(messages: readonly BaseMessage[]): ModelReply {
    const cell = this.#cellOf();
    if (cell === undefined) throw new Error("the model was called outside any cell");
    cell.shown.push(textOf(messages));
    return cell.reply();
  }
}

export interface ModelReply {
  readonly whole: AIMessage;
  readonly chunks?: readonly AIMessageChunk[];
}

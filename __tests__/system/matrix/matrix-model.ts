import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { toChunk } from "../../../src/langchain/verdict.js";
import type { Cell } from "./cell.js";
import { textOf } from "./observe.js";

/** A chat model that returns the response of its cell, in its chunks if streamed, and records its input. */
export class MatrixModel extends BaseChatModel<BaseChatModelCallOptions, AIMessageChunk> {
  static override lc_name(): string {
    return "MatrixModel";
  }

  override lc_serializable = false;
  readonly #cellOf: () => Cell | undefined;
  readonly #replyOf: (cell: Cell) => ModelReply;

  /** @param replyOf - the reply of the cell by default */
  constructor(cellOf: () => Cell | undefined, replyOf: (cell: Cell) => ModelReply = (cell) => cell.reply()) {
    super({});
    this.#cellOf = cellOf;
    this.#replyOf = replyOf;
  }

  override _llmType(): string {
    return "matrix";
  }

  override bindTools(_tools: BindToolsInput[]): MatrixModel {
    return new MatrixModel(this.#cellOf, this.#replyOf);
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
    return this.#replyOf(cell);
  }
}

export interface ModelReply {
  readonly whole: AIMessage;
  readonly chunks?: readonly AIMessageChunk[];
}

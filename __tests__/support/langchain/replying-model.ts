import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

/** A chat model that returns the result of a function of the messages, and records all received texts. */
export class ReplyingModel extends BaseChatModel {
  readonly seen: string[] = [];
  readonly #reply: (texts: readonly string[], messages: readonly BaseMessage[]) => readonly (string | AIMessageChunk)[];

  /** @param reply - returns the chunks of the answer */
  constructor(
    reply: (texts: readonly string[], messages: readonly BaseMessage[]) => readonly (string | AIMessageChunk)[],
  ) {
    super({});
    this.#reply = reply;
  }

  override _llmType(): string {
    return "replying";
  }

  override bindTools(): this {
    return this;
  }

  #chunks(messages: BaseMessage[]): AIMessageChunk[] {
    this.seen.push(JSON.stringify(messages.map((message) => message.toDict())));
    const chunks = this.#reply(
      messages.map(({ text }) => text),
      messages,
    );
    return chunks.map((chunk) => (typeof chunk === "string" ? new AIMessageChunk(chunk) : chunk));
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const [first, ...rest] = this.#chunks(messages);
    const whole = rest.reduce((sum, chunk) => sum.concat(chunk), first ?? new AIMessageChunk(""));
    return { generations: [{ text: whole.text, message: whole }] };
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    for (const message of this.#chunks(messages)) yield new ChatGenerationChunk({ text: message.text, message });
  }
}

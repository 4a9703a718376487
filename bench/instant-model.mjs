import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A chat model that responds at once, so that only the time around it is measured, or after some milliseconds. */
export class InstantChatModel extends BaseChatModel {
  constructor(text = "Our workshop opens at nine.", delay = 0) {
    super({});
    this.text = text;
    this.delay = delay;
  }

  _llmType() {
    return "instant";
  }

  async _generate() {
    if (this.delay > 0) await wait(this.delay);
    const message = new AIMessage(this.text);
    return { generations: [{ text: this.text, message }] };
  }
}

/** A chat model that streams `count` tokens at once. */
export class InstantStreamModel extends InstantChatModel {
  constructor(count) {
    super(Array.from({ length: count }, (_, index) => (index === 0 ? "bread" : " bread")).join(""));
    this.count = count;
  }

  async *_streamResponseChunks(_messages, _options, run) {
    for (let index = 0; index < this.count; index += 1) {
      const text = index === 0 ? "bread" : " bread";
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text, id: "m" }) });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/**
 * A chat model that emits tokens by the clock, however slow its reader is, or (`waits`) some time after each was read.
 */
export class PacedStreamModel extends InstantStreamModel {
  constructor({ tokens, perToken, waits = false }) {
    super(tokens);
    this.perToken = perToken;
    this.waits = waits;
  }

  async *_streamResponseChunks(messages, options, run) {
    const begun = performance.now();
    let index = 0;
    for await (const chunk of super._streamResponseChunks(messages, options, run)) {
      index += 1;
      const due = this.waits ? this.perToken : begun + index * this.perToken - performance.now();
      if (due > 0) await wait(due);
      yield chunk;
    }
  }
}

/** A chat model that streams its text line by line, at once. */
export class InstantLinesModel extends InstantChatModel {
  async *_streamResponseChunks(_messages, _options, run) {
    for (const line of this.text.split(/(?<=\n)/)) {
      yield new ChatGenerationChunk({ text: line, message: new AIMessageChunk(line) });
      await run?.handleLLMNewToken(line);
    }
  }
}

/** A chat model for agents. */
export class InstantAgentModel extends InstantChatModel {
  bindTools() {
    return this;
  }
}

const COMPLETION = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 0,
  model: "main",
  choices: [
    { index: 0, message: { role: "assistant", content: "We open at nine.", refusal: null }, finish_reason: "stop" },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

/** A server of chat completions that is a function. */
export async function openAIFetch() {
  return new Response(COMPLETION, { status: 200, headers: { "content-type": "application/json" } });
}

// node bench/streaming.mjs [tokens]: what windowed streaming costs us for each streamed token, with a local output rail.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { Guardrails } from "langchain-guardrails";
import { actions, twoRails } from "./configs.mjs";
import { timePaired } from "./measure.mjs";

const TOKENS = Number(process.argv[2] ?? 640);
const LIMIT = 20;

/** Streams its tokens at once, so that only the time around them is measured. */
class InstantStream extends BaseChatModel {
  _llmType() {
    return "instant";
  }

  async *_streamResponseChunks(_messages, _options, run) {
    for (let index = 0; index < TOKENS; index += 1) {
      const text = ` token${index}`;
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await run?.handleLLMNewToken(text);
    }
  }
}

/** A chat model around a chat model that guards nothing: what LangChain itself takes for that is not ours. */
class Around extends InstantStream {
  inner = new InstantStream({});

  async *_streamResponseChunks(messages, options, run) {
    for await (const message of await this.inner.stream(messages, { signal: options.signal })) {
      const text = message.content;
      yield new ChatGenerationChunk({ text, message });
      await run?.handleLLMNewToken(text);
    }
  }
}

async function drain(runnable) {
  const { signal } = new AbortController();
  for await (const _chunk of await runnable.stream("hello", { signal })) continue;
}

const guarded = (await Guardrails.fromConfig(twoRails, { actions })).wrap(new InstantStream({}));
const around = new Around({});
const { first, second } = await timePaired(
  () => drain(guarded),
  () => drain(around),
  { samples: 41, inner: 3, warmup: 60 },
);
const [whole, bare] = [first, second].map((time) => (time / TOKENS) * 1000);
const ours = whole - bare;
console.log(
  `windowed streaming: ${ours.toFixed(1)} µs per token (${whole.toFixed(1)} with LangChain's own two layers, ` +
    `${TOKENS} tokens, two local rails); at most ${LIMIT} µs: ${ours <= LIMIT ? "yes" : "NO"}`,
);

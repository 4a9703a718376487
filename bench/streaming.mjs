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

async function drain(runnable) {
  for await (const _chunk of await runnable.stream("hello")) continue;
}

const model = new InstantStream({});
const guarded = (await Guardrails.fromConfig(twoRails, { actions })).wrap(model);
// The second layer of LangChain that a guarded model is counts as ours.
const { first, second } = await timePaired(
  () => drain(guarded),
  () => drain(model),
  { samples: 21, inner: 3, warmup: 40 },
);
const perToken = ((first - second) / TOKENS) * 1000;
const line = `${perToken.toFixed(1)} µs per token over the bare stream (${((second / TOKENS) * 1000).toFixed(1)} µs), ${TOKENS} tokens`;
console.log(`windowed streaming: ${line}; at most ${LIMIT} µs: ${perToken <= LIMIT ? "yes" : "NO"}`);

/**
 * The last part of the process of `rounds.ts`. It opens streams, takes one chunk of each and reads no further. It prints the
 * number of streams and has then nothing left to do.
 */
import { HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { Guardrails } from "../../../src/index.js";
import { realGuardrails } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "../../langchain/streaming/chunked-model.js";

const WORDS = ["one ", "two ", "three ", "four ", "five ", "six "];
const streaming = { chunkSize: 1, contextSize: 0 } as const;
const streams: AsyncIterator<unknown>[] = [];

const begin = async (runnable: Runnable, thread?: string): Promise<void> => {
  const config = thread === undefined ? {} : { configurable: { thread_id: thread } };
  const stream = await runnable.stream([new HumanMessage("hi")], config);
  streams.push(stream[Symbol.asyncIterator]());
};

for (const version of ["1.0", "2.x"] as const) {
  const guardrails = await realGuardrails({
    version,
    input: ["check words"],
    output: ["check answer"],
    streaming,
    logger: false,
  });
  const chain = new ChunkedModel(WORDS).pipe(new StringOutputParser());
  await begin(guardrails.wrap(new ChunkedModel(WORDS)) as unknown as Runnable);
  await begin(guardrails.wrap(new ChunkedModel(WORDS)) as unknown as Runnable, "thread");
  await begin(guardrails.wrap(chain as Runnable) as Runnable);
  await begin((new ChunkedModel(WORDS) as Runnable).pipe(guardrails.output()) as Runnable);
}
const llm = new ChunkedModel(["User intent: rant\n", "Bot intent: calm\n", 'Bot message: "', ...WORDS, '"']);
const dialog = await Guardrails.fromConfig(
  { colang: 'define user ask\n  "how"\ndefine flow\n  user ask\n  bot respond\n', config: { models: [] } },
  { llm, streaming, logger: false },
);
await begin(dialog);
// Streams without a read chunk stay open too, because LangChain reads the first one ahead.
const first = await Promise.all(streams.slice(0, -1).map(async (stream) => (await stream.next()).done));
console.log(JSON.stringify({ streams: streams.length, done: first.filter(Boolean).length }));

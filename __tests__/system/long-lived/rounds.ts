/**
 * A process of its own in which many calls share one signal that never fires. It prints, for each kind of call, how much of
 * the signals and chunks that passed through the model is still in memory, and how many listeners the shared signal has.
 * It opens the streams of `unread.ts` last.
 *
 * node --expose-gc --import ./scripts/typescript-loader.mjs rounds.ts <rounds> [kind]
 */
import { getEventListeners } from "node:events";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatGenerationChunk } from "@langchain/core/outputs";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { Guardrails } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { ChunkedModel } from "../../langchain/streaming/chunked-model.js";
import { realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { PRICE_DIALOG } from "../../support/rail-flows.js";

const rounds = Number(process.argv[2]);
const wanted = process.argv[3] ?? "";
const { signal } = new AbortController();

/** All inputs and outputs of the models of this process. */
let passed: WeakRef<object>[] = [];

/** The model of the other tests records the signals of its calls, which would look like a leak. */
class WeakModel extends ChunkedModel {
  override readonly signals = Object.assign([] as (AbortSignal | undefined)[], {
    push: (...signals: (AbortSignal | undefined)[]): number => {
      for (const each of signals) if (each !== undefined && each !== signal) passed.push(new WeakRef(each));
      return 0;
    },
  });

  override async *_streamResponseChunks(
    ...given: Parameters<ChunkedModel["_streamResponseChunks"]>
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of super._streamResponseChunks(...given)) {
      passed.push(new WeakRef(chunk.message));
      yield chunk;
    }
  }
}

const WORDS = ["one ", "two ", "three ", "four ", "five ", "six "];
const streaming = { chunkSize: 2, contextSize: 1 } as const;
const toolResult = [new HumanMessage("hi"), new ToolMessage({ content: "4", tool_call_id: "c" })];

type Kinds = Record<string, () => Promise<unknown>>;

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function read(stream: AsyncIterable<unknown>, atMost = Infinity): Promise<void> {
  let count = 0;
  for await (const _ of stream) if ((count += 1) >= atMost) break;
}

async function kindsOf(version: Version): Promise<Kinds> {
  const rails = { version, input: ["check words"], output: ["check answer"], streaming };
  const guardrails = await realGuardrails(rails);
  const model = guardrails.wrap(new WeakModel(WORDS));
  const bad = guardrails.wrap(new WeakModel(["one ", "two ", "bad ", ...WORDS]));
  const chain = guardrails.wrap(new WeakModel(WORDS).pipe(new StringOutputParser()) as Runnable);
  const pipe = (new WeakModel(WORDS) as Runnable).pipe(guardrails.output());
  return {
    "a model's stream": async () => read(await model.stream("hi", { signal })),
    "a model's stream that is left": async () => read(await model.stream("hi", { signal }), 1),
    "a model's stream that is not read": async () => (await model.stream("hi", { signal })).cancel(),
    "a model's stream that is blocked": async () => read(await bad.stream("hi", { signal })),
    "a model's stream that a second signal aborts": async () => {
      const own = new AbortController();
      const stream = await model.withConfig({ signal }).stream("hi", { signal: own.signal });
      await read({ [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }, 1);
      own.abort();
      await stream.next().catch(() => undefined);
    },
    "a model's events": async () => read(model.streamEvents("hi", { version: "v2", signal })),
    "a model's answer": async () => model.invoke("hi", { signal }),
    "a model's batch": async () => model.batch(["hi", "bad"], { signal }),
    "a chain's stream": async () => read(await chain.stream("hi", { signal })),
    "a pipe's stream": async () => read(await pipe.stream("hi", { signal })),
    "a pipe's stream that is left": async () => read(await pipe.stream("hi", { signal }), 1),
    "a check": async () => guardrails.check("hi", { signal }),
  };
}

async function speculativeKinds(): Promise<Kinds> {
  // The model has started when the verdict comes.
  const judge = defineAction({ name: "judge", verdict: true }, async ({ text }) => {
    for (let index = 0; index < 4; index += 1) await turnOfLoop();
    return !String(text).includes("bad");
  });
  const guardrails = await Guardrails.fromConfig(
    {
      colang: "define subflow judge\n  $allowed = execute judge(text=$user_message)\n  if not $allowed\n    stop\n",
      config: { rails: { input: { flows: ["judge"], speculative: true } } },
    },
    { streaming, actions: { judge } },
  );
  const model = guardrails.wrap(new WeakModel(WORDS));
  return {
    "a stream begun ahead": async () => read(await model.stream("hi", { signal })),
    "a stream begun ahead of a block": async () => read(await model.stream("bad", { signal })),
    "an answer begun ahead of a block": async () => model.invoke("bad", { signal }),
    "the answer to a tool result": async () => model.invoke(toolResult, { signal }),
    "the stream after a tool result": async () => read(await model.stream(toolResult, { signal })),
  };
}

async function dialogKinds(): Promise<Kinds> {
  const open = (pieces: readonly string[]): Promise<Guardrails> =>
    Guardrails.fromConfig({ colang: PRICE_DIALOG, config: { models: [] } }, { llm: new WeakModel(pieces) });
  const own = await open(["User intent: rant\n", "Bot intent: calm\n", "Bot message: ", '"All is ', 'well."']);
  const flow = await open(["User intent: ask ", "price\n", "Bot intent: ", "give price\n", ...WORDS]);
  const message = new HumanMessage("grr");
  return {
    "a merged turn": async () => own.invoke(message, { signal }),
    "a merged turn's stream": async () => read(await own.stream(message, { signal })),
    "a merged turn's stream that is left": async () => read(await own.stream(message, { signal }), 1),
    "a merged turn that a flow takes over": async () => flow.generate("how much?", {}, { signal }),
  };
}

/** Share of the observed objects that is still in memory. */
async function countLeft(): Promise<number> {
  // The last steps of a call follow a few turns of the event loop after it.
  for (let index = 0; index < 3; index += 1) await turnOfLoop();
  globalThis.gc?.();
  return passed.filter((each) => each.deref() !== undefined).length;
}

const kinds: Kinds = { ...(await dialogKinds()), ...(await speculativeKinds()) };
for (const version of ["1.0", "2.x"] as const) {
  for (const [name, call] of Object.entries(await kindsOf(version))) kinds[`${name}, Colang ${version}`] = call;
}
const left: Record<string, { readonly passed: number; readonly kept: number; readonly listeners: number }> = {};
for (const [name, call] of Object.entries(kinds)) {
  if (!name.includes(wanted)) continue;
  passed = [];
  for (let index = 0; index < rounds; index += 1) await call();
  left[name] = {
    passed: passed.length,
    kept: await countLeft(),
    listeners: getEventListeners(signal, "abort").length,
  };
}
console.log(JSON.stringify(left));
// The process must also end by itself after all of these calls.
await import("./unread.js");

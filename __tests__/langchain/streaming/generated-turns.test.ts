import { describe, expect, it } from "@jest/globals";
import { type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import { RunnableLambda } from "@langchain/core/runnables";
import { Guardrails, type GuardrailsOptions, verdictOf } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { ChunkedModel } from "./chunked-model.js";
import { PRICE_DIALOG, railFlows } from "../../support/rail-flows.js";

const RAILS = `${railFlows("1.0", { "check question": ["block", "user_message", "check_question"] })}
define subflow check answer
  $allowed = execute check_words(text=$bot_message, chunks=$relevant_chunks)
  if not $allowed
    bot refuse
    stop
`;
const COLANG = `${RAILS}
define user greet
  "hello"
${PRICE_DIALOG}
define user say bye
  "bye"
define flow bye
  user say bye
  bot wish well
  bot give price
define user ask twice
  "twice"
define flow twice
  user ask twice
  bot wish well
  bot wish better
define user ask clerk
  "clerk"
define flow clerk
  user ask clerk
  bot give price
  bot wish well
`;

interface Setup extends GuardrailsOptions {
  readonly rails?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly onQuestion?: () => unknown;
  readonly onCheck?: (text: unknown, chunks: unknown) => void;
}

function open({ rails, config, onQuestion, onCheck, ...options }: Setup): Promise<Guardrails> {
  return Guardrails.fromConfig(
    {
      colang: COLANG,
      config: { models: [], ...config, rails: { output: { flows: ["check answer"] }, ...rails } },
    },
    {
      streaming: { chunkSize: 1, contextSize: 1 },
      ...options,
      actions: {
        check_question: defineAction({ name: "check_question", verdict: true }, async () => {
          return (await onQuestion?.()) ?? true;
        }),
        check_words: defineAction({ name: "check_words", verdict: true }, ({ text, chunks }) => {
          onCheck?.(text, chunks);
          return !String(text).includes("bad");
        }),
      },
    },
  );
}

const read = async (guardrails: Guardrails, text: string): Promise<AIMessageChunk[]> =>
  drain((await guardrails.stream([new HumanMessage(text)])) as AsyncIterable<AIMessageChunk>);
const texts = (chunks: readonly AIMessageChunk[]): unknown[] => chunks.map(({ content }) => content);
const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const merged = (intent: string, ...words: string[]): string[] => [
  `User intent: ${intent}\n`,
  "Bot intent: wish well\n",
  "Bot message: ",
  ...words,
];

describe("turns of a dialog that streams", () => {
  it("emit nothing of a call that a flow supersedes", async () => {
    const llm = new ChunkedModel(merged("ask price", "xyzzy ", "plugh"));
    const chunks = await read(await open({ llm }), "so what is it");
    expect(texts(chunks)).toEqual(["Four euros."]);
    expect(visibleJson(chunks)).not.toMatch(/xyzzy|plugh/);
    await turnOfLoop();
    expect(llm.made).toBeLessThanOrEqual(3);
    expect(llm.signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it("emit no text that was written for another step", async () => {
    const llm = scriptedModel([
      merged("say bye", '"xyzzy plugh"').join("").replace("wish well", "go"),
      "Fare well, you",
    ]);
    const chunks = await read(await open({ llm }), "ciao");
    expect(texts(chunks).join("")).toBe("Fare well, you\nFour euros.");
    expect(visibleJson(chunks)).not.toMatch(/xyzzy|plugh/);
  });

  it.each<[string, string, string[], unknown[]]>([
    ["a text after the generated message comes last", "bye", ["Fare", " well"], ["Fare", " well", "\nFour euros."]],
    ["a generated message after a text comes with it", "clerk", ["Fare", " well"], ["Four euros.\nFare well"]],
    ["the second generated message comes last", "twice", ["Fare", " well"], ["Fare", " well", "\nFare well"]],
  ])("%s", async (_, question, words, expected) => {
    const guardrails = await open({ llm: new ChunkedModel(["Bot message: ", ...words]) });
    const chunks = await read(guardrails, question);
    expect(texts(chunks)).toEqual(expected);
    expect(((await guardrails.invoke([new HumanMessage(question)])) as AIMessageChunk).content).toBe(expected.join(""));
  });

  it("request only the message if the merged call has no text, and stream that", async () => {
    const llm = scriptedModel([merged("rant").slice(0, 2).join(""), "Bot message: all is well"]);
    expect(texts(await read(await open({ llm }), "grr"))).toEqual(["all", " is", " well", ""]);
  });

  it("emit the message for a missing response if the model returns nothing", async () => {
    const llm = new ChunkedModel(["Bot message: ", '"', " ", '"']);
    expect(texts(await read(await open({ llm }), "twice")).join("|")).toMatch(/^Sorry, [^|]+$/);
  });

  it("are the same with one completion that is read as a whole", async () => {
    const llm = new ChunkedModel(merged("rant", "a", " b"));
    const rails = { dialog: { single_call: { enabled: true } } };
    expect(texts(await read(await open({ llm, rails: { ...rails, output: { flows: [] } } }), "grr"))).toEqual(["a b"]);
  });

  it("respond to `{ messages }` with the messages, in one chunk", async () => {
    const guardrails = await open({ llm: new ChunkedModel(merged("rant", "a", " b")) });
    const chunks = await drain(await guardrails.stream({ messages: [new HumanMessage("grr")] }));
    expect(chunks).toHaveLength(1);
    expect(chunks[0]).toMatchObject({ messages: [{ content: "grr" }, { content: "a b" }] });
  });

  it("stream from a guarded model that is called with the prompts of the configuration", async () => {
    const guardrails = await open({ config: { passthrough: false } });
    const model = guardrails.wrap(new ChunkedModel(merged("rant", "a", " b", " bad", " c")));
    const chunks = await drain(await model.stream([new HumanMessage("grr")]));
    expect(texts(chunks)).toEqual(["a", " b", "REFUSED"]);
    expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toEqual([chunks.at(-1)]);
  });

  it("store all messages in their thread", async () => {
    const guardrails = await open({ llm: new ChunkedModel(merged("rant", "a", " b")) });
    const thread = { configurable: { thread_id: "t" } };
    await drain(await guardrails.stream([new HumanMessage("grr")], thread));
    const { log } = await guardrails.generate("hello", { log: { colangHistory: true } }, thread);
    expect(log?.colangHistory).toContain('"a b"');
  });

  it("show rails the evidence of a response", async () => {
    const seen: unknown[] = [];
    const guardrails = await Guardrails.fromConfig(
      {
        colang: RAILS,
        config: { models: [], rails: { output: { flows: ["check answer"] } } },
      },
      {
        llm: new ChunkedModel(["a", " b"]),
        streaming: { chunkSize: 1 },
        retriever: RunnableLambda.from(() => [new Document({ pageContent: "one fact" })]) as never,
        actions: {
          check_words: defineAction(
            { name: "check_words", verdict: true },
            ({ chunks, text: _text }) => seen.push(chunks) > 0,
          ),
        },
      },
    );
    expect(texts(await read(guardrails, "grr"))).toEqual(["a", " b", ""]);
    expect(seen).toEqual(["one fact", "one fact"]);
  });
});

describe("a response that starts before the verdict", () => {
  const rails = { input: { flows: ["check question"], speculative: true } };
  const ways: [string, string, string[]][] = [
    ["intent, step and text", "grr", merged("rant", "a", " b", " c")],
    ["step and text", "hello", merged("x", "a", " b", " c").slice(1)],
    ["the message of a step", "twice", ["Bot message: ", "a", " b", " c"]],
  ];

  it.each(ways)("is requested once, and emitted after the verdict: %s", async (_, question, words) => {
    let begun = (): void => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const order: string[] = [];
    const llm = new ChunkedModel(words);
    llm.before = () => begun();
    const guardrails = await open({
      llm,
      rails: { ...rails, output: { flows: [] } },
      onQuestion: () => isBegun.then(() => (order.push("verdict"), true)),
    });
    for await (const chunk of await guardrails.stream([new HumanMessage(question)])) {
      order.push(String((chunk as AIMessageChunk).content));
    }
    expect(order.slice(0, 4)).toEqual(["verdict", "a", " b", " c"]);
    expect(llm.signals).toHaveLength(question === "twice" ? 2 : 1);
  });

  it.each(ways)("is cancelled at a block, without a trace of it: %s", async (_, question, words) => {
    let begun = (): void => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const llm = new ChunkedModel(words);
    llm.before = () => begun();
    const guardrails = await open({ llm, rails, onQuestion: () => isBegun.then(() => false) });
    expect(texts(await read(guardrails, question))).toEqual(["REFUSED"]);
    await turnOfLoop();
    expect(llm.signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});

describe("the time limit of an action", () => {
  const slow = { actions: { timeout_ms: 60 } };
  const never = new Promise<never>(() => undefined);

  it("ends a message without a first chunk", async () => {
    const llm = new ChunkedModel(["Bot message: ", "a"]);
    llm.before = () => never;
    const chunks = await read(await open({ llm, config: slow }), "twice");
    expect(texts(chunks).join("")).toMatch(/^Sorry/);
  });

  it("ends a stalled message, after the received text", async () => {
    const llm = new ChunkedModel(["Bot message: ", "a", " b", " c"]);
    llm.before = (index) => (index === 3 ? never : undefined);
    const said: unknown[] = [];
    const reading = (async () => {
      for await (const chunk of await (await open({ llm, config: slow })).stream([new HumanMessage("twice")])) {
        said.push((chunk as AIMessageChunk).content);
      }
    })();
    await expect(reading).rejects.toThrow("no chunk of the answer arrived for 60 ms");
    expect(said).toEqual(["a", " b"]);
    expect(llm.signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});

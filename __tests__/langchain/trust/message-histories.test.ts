// LangChain's message histories around guarded models and chains.
import { describe, expect, it } from "@jest/globals";
import { InMemoryChatMessageHistory } from "@langchain/core/chat_history";
import type { BaseMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { type Runnable, RunnableMap, RunnableWithMessageHistory } from "@langchain/core/runnables";
import type { Guardrails } from "../../../src/index.js";
import { type ScriptedModel, type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { forgetWarnings } from "../../../src/langchain/one-time-warning.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";

const prompt = ChatPromptTemplate.fromMessages([new MessagesPlaceholder("history"), ["human", "{q}"]]);
const parser = new StringOutputParser();
const KEYS = { inputMessagesKey: "q", historyMessagesKey: "history" };
const LIST = {};
const CONFIG = { configurable: { sessionId: "s" } };

type Surface = readonly [name: string, make: (guardrails: Guardrails, model: ScriptedModel) => Runnable, keys: object];
const SURFACES: readonly Surface[] = [
  ["a model", (guardrails, model) => guardrails.wrap(model), LIST],
  ["a model with retries", (guardrails, model) => guardrails.wrap(model).withRetry({ stopAfterAttempt: 1 }), LIST],
  ["a model with a config", (guardrails, model) => guardrails.wrap(model).withConfig({ tags: ["t"] }), LIST],
  ["a model with fallbacks", (guardrails, model) => guardrails.wrap(model).withFallbacks([model]), LIST],
  ["a prompt and a model", (guardrails, model) => prompt.pipe(guardrails.wrap(model)), KEYS],
  ["a chain of messages", (guardrails, model) => guardrails.wrap(prompt.pipe(model), { inputKey: "q" }), KEYS],
  ["a chain of text", (guardrails, model) => guardrails.wrap(prompt.pipe(model).pipe(parser), { inputKey: "q" }), KEYS],
  [
    "a chain of objects",
    (guardrails, model) =>
      guardrails.wrap(RunnableMap.from({ answer: prompt.pipe(model).pipe(parser) }) as Runnable, { inputKey: "q" }),
    { ...KEYS, outputMessagesKey: "answer" },
  ],
];

const WAYS = {
  invoke: (chain: Runnable, input: unknown) => chain.invoke(input, CONFIG),
  stream: async (chain: Runnable, input: unknown) => drain(await chain.stream(input, CONFIG)),
};

async function open([, make, keys]: Surface, options: object, replies: readonly ScriptedReply[]) {
  const model = scriptedModel([...replies]);
  const history = new InMemoryChatMessageHistory();
  const runnable = make(await realGuardrails(options), model) as never;
  const chain = new RunnableWithMessageHistory({ runnable, getMessageHistory: () => history, ...keys });
  const asked = (text: string): unknown => (keys === LIST ? text : { q: text });
  const kept = async () => (await history.getMessages()).map((each: BaseMessage) => `${each.getType()}: ${each.text}`);
  return { model, chain, asked, kept };
}

/** Redacted traces hide texts from other handlers, and not from a history. */
const VERSIONS: readonly (readonly [Version, redactTraces: boolean])[] = [
  ["1.0", true],
  ["2.x", false],
];
const cells = SURFACES.flatMap((surface) =>
  Object.entries(WAYS).map(([way, run]) => ({ name: surface[0], surface, way, run })),
);

describe.each(VERSIONS)("a message history around a guarded runnable in Colang %s", (version, redactTraces) => {
  it.each(cells)("keeps released texts: $name, $way", async (cell) => {
    const replies = ["a bad answer", "call 555-12-55", "fine"];
    const { model, chain, asked, kept } = await open(cell.surface, { version, redactTraces }, replies);
    const left = [];
    for (const text of ["one", "a bad question", "two", "three"]) left.push(await cell.run(chain, asked(text)));
    expect(JSON.stringify(left)).not.toMatch(/bad answer|555-12/);
    expect(await kept()).toEqual([
      "human: one",
      "ai: REFUSED",
      // The text of the caller, which the guard hides from the model.
      "human: a bad question",
      "ai: REFUSED",
      "human: two",
      "ai: call ***-**-**",
      "human: three",
      "ai: fine",
    ]);
    expect(model.calls.map((call) => call.prompt).join("\n")).not.toMatch(/bad|555-12/);
    model.assertDone();
  });

  it.each(SURFACES.map((surface) => ({ name: surface[0], surface })))(
    "keeps nothing of a turn that fails or is aborted: $name",
    async ({ surface }) => {
      const controller = new AbortController();
      const abort = (): string => {
        controller.abort(new Error("enough"));
        return "a bad answer";
      };
      const replies = [new Error("bad model"), "a bad answer that is long", abort, "fine"];
      const { chain, asked, kept } = await open(surface, { version, streaming: { chunkSize: 1 } }, replies);
      if (surface[0] !== "a model with fallbacks")
        await expect(chain.invoke(asked("one"), CONFIG)).rejects.toThrow("bad model");
      for await (const _chunk of await chain.stream(asked("two"), CONFIG)) break;
      const signal = { ...CONFIG, signal: controller.signal };
      await expect(chain.stream(asked("three"), signal).then(drain)).rejects.toThrow("enough");
      expect(JSON.stringify(await kept())).not.toContain("bad");
    },
  );
});

it("a history inside of the guard, which stores responses before their review, is a warning", async () => {
  forgetWarnings();
  const warned: unknown[] = [];
  const logger = { warn: (message: string) => warned.push(message), error: () => undefined };
  const guardrails = await realGuardrails({ logger });
  warned.length = 0;
  const history = new InMemoryChatMessageHistory();
  const inner = (runnable: Runnable) => new RunnableWithMessageHistory({ runnable, getMessageHistory: () => history });
  guardrails.wrap(inner(scriptedModel("fine")));
  guardrails.wrap(inner(scriptedModel("fine")));
  guardrails.wrap(scriptedModel("fine"));
  expect(warned).toEqual([
    expect.stringContaining("`RunnableWithMessageHistory` stores responses before their review"),
  ]);
});

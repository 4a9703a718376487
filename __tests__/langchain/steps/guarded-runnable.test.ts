import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda, RunnableMap, RunnablePassthrough } from "@langchain/core/runnables";
import { Guardrails } from "langchain-guardrails";
import { forgetWarnings } from "../../../src/langchain/one-time-warning.js";
import { InputShapeError } from "../../../src/diagnostics/errors.js";
import type { WrapOptions } from "../../../src/langchain/guarded-runnable.js";
import { readUserInput } from "../../../src/langchain/values/read-user-input.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";

const returning = <T>(value: T): RunnableLambda<unknown, T> => RunnableLambda.from((_input: unknown) => value);
const contentOf = (value: unknown): unknown => (value as BaseMessage).content;

describe("a guarded function", () => {
  const { guardrails } = fakeGuardrails({ input: strictRail, output: strictRail });

  it("is called with the reviewed input, and returns the reviewed output", async () => {
    const given: string[] = [];
    const guarded = guardrails.wrap((text: string) => {
      given.push(text);
      return `call 5 about ${text}`;
    });
    expect(await guarded.invoke("pin 1")).toBe("call * about pin *");
    expect(await guarded.invoke("bad")).toBe("REFUSED");
    expect(given).toEqual(["pin *"]);
  });

  it("accepts the options of a chain", async () => {
    const guarded = guardrails.wrap(async ({ ask }: { ask: string }) => ({ reply: `bad ${ask}` }), {
      inputKey: "ask",
      outputKey: "reply",
    });
    expect(await guarded.invoke({ ask: "hi" })).toEqual({ reply: "REFUSED" });
  });

  it("is not mistaken for an object with an `invoke`", () => {
    expect(() => guardrails.wrap({ invoke: () => "x" } as never)).toThrow(
      "expected a runnable or a function to wrap, got an object with the keys `invoke`",
    );
  });
});

describe("the response of a guarded chain keeps its shape (D1, D2, D10)", () => {
  const { guardrails } = fakeGuardrails({ output: strictRail });
  const evidence = [new Document({ pageContent: "the bad answer is written here" })];
  const blocked: [string, unknown, WrapOptions, (value: never) => unknown, unknown][] = [
    ["string", "bad answer", {}, (value) => value, "REFUSED"],
    ["message", new AIMessage("bad answer"), {}, contentOf, "REFUSED"],
    ["chunk", new AIMessageChunk("bad answer"), {}, contentOf, "REFUSED"],
    [
      "message list",
      [new HumanMessage("q"), new AIMessage("bad answer")],
      {},
      (list: BaseMessage[]) => list.map(contentOf),
      ["q", "REFUSED"],
    ],
    [
      "graph state",
      { messages: [new HumanMessage("q"), new AIMessage("bad answer")] },
      {},
      (state: { messages: BaseMessage[] }) => state.messages.map(contentOf),
      ["q", "REFUSED"],
    ],
    ["array of strings", ["bad answer", "more"], {}, (value) => value, ["REFUSED"]],
    ["object", { answer: "bad answer", question: "q" }, {}, (value) => value, { answer: "REFUSED", question: "q" }],
    [
      "object with evidence",
      { answer: "bad answer", context: evidence },
      {},
      (value) => value,
      { answer: "REFUSED", context: [] },
    ],
    [
      "object with kept evidence",
      { answer: "bad answer", context: evidence },
      { keepContext: true },
      (value) => value,
      { answer: "REFUSED", context: evidence },
    ],
    [
      "object under its own key",
      { reply: "bad answer" },
      { outputKey: "reply" },
      (value) => value,
      { reply: "REFUSED" },
    ],
    [
      "nested object",
      { output: { answer: "bad answer", raw: "bad answer" } },
      {},
      (value) => value,
      { output: { answer: "REFUSED" } },
    ],
    [
      "object that repeats itself",
      { answer: "bad answer", raw: { text: "so: bad answer" }, kept: 1, said: new AIMessage("bad answer") },
      {},
      (value) => value,
      { answer: "REFUSED", kept: 1 },
    ],
    [
      "object with a message",
      { answer: new AIMessage("bad answer") },
      {},
      (value: { answer: BaseMessage }) => value.answer.content,
      "REFUSED",
    ],
  ];

  it.each(blocked)("blocked %s", async (_, value, options, read, expected) => {
    const result = await guardrails.wrap(returning(value), options).invoke("q");
    expect(JSON.parse(JSON.stringify(read(result as never)))).toEqual(JSON.parse(JSON.stringify(expected)));
    if (!options.keepContext) expect(JSON.stringify(result)).not.toContain("bad answer");
  });

  it.each<[string, unknown]>([
    ["a number", 7],
    ["null", null],
    ["an object under an unnamed key", { reply: "bad answer" }],
    ["documents", evidence],
    ["a structure", { title: "x", body: { deep: "bad answer" } }],
    ["nothing", undefined],
  ])("fails closed for %s", async (_, value) => {
    const error = await guardrails
      .wrap(returning(value))
      .invoke("q")
      .catch((thrown: unknown) => thrown);
    expect(InputShapeError.isInstance(error)).toBe(true);
    expect(String(error)).not.toContain("bad answer");
  });

  it("does not change a response that passed", async () => {
    const value = { answer: "fine", context: [new Document({ pageContent: "doc" })], extra: { deep: true } };
    const result = await guardrails.wrap(returning(value)).invoke("q");
    expect(result).toEqual(value);
    expect(value).not.toHaveProperty("guardrails");
  });

  it("adds the verdict to objects only on request", async () => {
    const wrapped = guardrails.wrap(returning({ answer: "bad" }), { verdictKey: "guardrails" });
    expect(await wrapped.invoke("q")).toMatchObject({
      answer: "REFUSED",
      guardrails: { blocked: true, stage: "output" },
    });
  });

  it("rewrites the response and copies of it", async () => {
    const result = await guardrails.wrap(returning({ answer: "call 5", raw: "call 5", other: "x" })).invoke("q");
    expect(result).toEqual({ answer: "call *", other: "x" });
  });
});

describe("a refusal without running the chain has the chain's shape", () => {
  const prompt = ChatPromptTemplate.fromMessages([["human", "{question}"]]);
  const model = scriptedModel([]);
  const { guardrails } = fakeGuardrails({ input: strictRail });
  const retrieve = RunnableLambda.from((_input: unknown) => [new Document({ pageContent: "x" })]);

  it.each<[string, unknown, unknown, WrapOptions, unknown]>([
    ["text of a parser", prompt.pipe(model).pipe(new StringOutputParser()), { question: "bad" }, {}, "REFUSED"],
    ["a model's message", prompt.pipe(model), { question: "bad" }, {}, expect.objectContaining({ content: "REFUSED" })],
    [
      "a map",
      RunnableMap.from({ answer: prompt.pipe(model).pipe(new StringOutputParser()), context: retrieve }),
      { question: "bad" },
      {},
      { answer: "REFUSED", context: [] },
    ],
    [
      "a retrieval chain",
      RunnablePassthrough.assign({ context: retrieve }).pipe(RunnablePassthrough.assign({ answer: returning("x") })),
      { question: "bad" },
      {},
      { answer: "REFUSED", question: "bad" },
    ],
    ["the named key", returning({ reply: "x" }), { question: "bad" }, { outputKey: "reply" }, { reply: "REFUSED" }],
    ["a function of text", returning("x"), "bad", {}, "REFUSED"],
    [
      "a function of messages",
      returning(new AIMessage("x")),
      [new HumanMessage("bad")],
      {},
      expect.objectContaining({ content: "REFUSED" }),
    ],
  ])("%s", async (_, chain, input, options, expected) => {
    expect(await guardrails.wrap(chain as RunnableLambda<unknown, unknown>, options).invoke(input)).toEqual(expected);
    expect(model.calls).toHaveLength(0);
  });
});

describe("the input of a guarded chain", () => {
  const echo = RunnableLambda.from((input: unknown) => JSON.stringify(input));

  it.each<[string, unknown, WrapOptions, string]>([
    ["a string", "pin 1", {}, '"pin *"'],
    ["an object", { question: "pin 1", lang: "en" }, {}, '{"question":"pin *","lang":"en"}'],
    ["an object with its own key", { ask: "pin 1" }, { inputKey: "ask" }, '{"ask":"pin *"}'],
    ["roles", [{ role: "user", content: "pin 1" }], {}, '[{"role":"user","content":"pin *"}]'],
  ])("%s, rewritten by an input rail", async (_, input, options, expected) => {
    const { guardrails } = fakeGuardrails({ input: strictRail });
    expect(await guardrails.wrap(echo, options).invoke(input)).toBe(expected);
  });

  it("passes the same value on if nothing was rewritten", async () => {
    const { guardrails } = fakeGuardrails({ input: strictRail });
    const seen: unknown[] = [];
    const input = { question: "hi", history: [new HumanMessage("x")] };
    await guardrails.wrap(RunnableLambda.from((value: unknown) => (seen.push(value), "ok"))).invoke(input);
    expect(seen[0]).toBe(input);
  });

  it("provides other keys with plain data as fields of `$input`, and not as variables", async () => {
    const { guardrails, calls } = fakeGuardrails({ output: strictRail });
    const documents = [new Document({ pageContent: "doc" })];
    const chain = returning({ answer: "fine", sources: documents });
    const input = {
      ...(JSON.parse('{"question":"hi","lang":"en","__proto__":"x","config":1,"a b":2}') as object),
      fn: () => 1,
    };
    expect(readUserInput(input).variables).toEqual({ input: { lang: "en" } });
    await guardrails.wrap(chain, { contextKey: "sources" }).invoke(input);
    // Without input rails there is no reader of the other keys.
    expect(calls[0]?.argument).toEqual([{ role: "user", content: "hi" }]);
  });

  it("reports the chain's own error", async () => {
    const failure = new RangeError("retriever is down");
    const { guardrails } = fakeGuardrails();
    const chain = RunnableLambda.from((_input: string): string => {
      throw failure;
    });
    await expect(guardrails.wrap(chain).invoke("hi")).rejects.toBe(failure);
  });

  it("refuses to choose between two texts of the user", async () => {
    const { guardrails } = fakeGuardrails({ input: strictRail });
    const input = { input: "hi", messages: [new HumanMessage("bad")] };
    await expect(guardrails.wrap(echo).invoke(input)).rejects.toThrow(/`inputKey`/);
    const result: unknown = await guardrails.wrap(echo, { inputKey: "messages" }).invoke(input);
    expect((result as { messages: BaseMessage[] }).messages.at(-1)?.content).toBe("REFUSED");
  });

  it("lists the keys if it finds no text", async () => {
    const { guardrails } = fakeGuardrails();
    await expect(guardrails.wrap(echo).invoke({ foo: 1 })).rejects.toThrow(/`foo`.*`inputKey`/);
  });
});

describe("a wrapped chain whose `contextKey` names nothing", () => {
  it.each<[string, object, unknown, boolean]>([
    ["misspelt", { question: "q" }, { answer: "a", context: ["doc"] }, true],
    ["in the result", { question: "q" }, { answer: "a", notes: ["doc"] }, false],
    ["in the input", { question: "q", notes: ["doc"] }, { answer: "a" }, false],
    ["next to a text", { question: "q" }, "a", false],
  ])("is a warning, once: %s", async (_, input, result, isWarned) => {
    forgetWarnings();
    const warnings: string[] = [];
    const logger = { warn: (text: string) => warnings.push(text), error: () => undefined, info: () => undefined };
    const guardrails = await Guardrails.fromConfig({ yaml: "models: []" }, { logger: logger as never });
    warnings.length = 0;
    const guarded = guardrails.wrap(
      RunnableLambda.from((_input: object) => result),
      { contextKey: "notes" },
    );
    await guarded.invoke(input);
    await guarded.invoke(input);
    for await (const _chunk of await guarded.stream(input)) continue;
    expect(warnings.map((text) => text.includes("has the key `notes`"))).toEqual(isWarned ? [true] : []);
  });
});

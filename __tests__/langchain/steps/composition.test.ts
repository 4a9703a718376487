import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { InMemoryChatMessageHistory } from "@langchain/core/chat_history";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import {
  Runnable,
  RunnableLambda,
  RunnableMap,
  RunnablePassthrough,
  RunnableWithMessageHistory,
} from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod/v4";
import { Guardrails, verdictOf } from "../../../src/index.js";
import type { ActionContext } from "../../../src/langchain/rails.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

const prompt = ChatPromptTemplate.fromMessages<{ q: string }>([["human", "{q}"]]);
const parser = new StringOutputParser();

const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => void rejections.push(reason);
beforeAll(() => void process.on("unhandledRejection", onRejection));
afterAll(() => void process.off("unhandledRejection", onRejection));

describe("in an LCEL program", () => {
  it("works between prompt and parser", async () => {
    const guardrails = await realGuardrails();
    const chain = prompt.pipe(guardrails.wrap(scriptedModel(["call 5", "bad"]))).pipe(parser);
    expect([await chain.invoke({ q: "a" }), await chain.invoke({ q: "b" }), await chain.invoke({ q: "bad" })]).toEqual([
      "call *",
      "REFUSED",
      "REFUSED",
    ]);
  });

  it("works in maps and assignments", async () => {
    const guardrails = await realGuardrails();
    const answer = prompt.pipe(guardrails.wrap(scriptedModel("bad"))).pipe(parser);
    expect(await RunnableMap.from({ answer, q: (input: { q: string }) => input.q }).invoke({ q: "x" })).toEqual({
      answer: "REFUSED",
      q: "x",
    });
    const assigned = RunnablePassthrough.assign({ answer });
    expect(await assigned.invoke({ q: "x" })).toEqual({ q: "x", answer: "REFUSED" });
    const guarded = guardrails.wrap(
      RunnablePassthrough.assign({ answer: prompt.pipe(scriptedModel("bad")).pipe(parser) }) as Runnable,
      { outputKey: "answer", inputKey: "q" },
    );
    expect(await guarded.invoke({ q: "x" })).toEqual({ q: "x", answer: "REFUSED" });
    expect(await drain(await guarded.stream({ q: "x" }))).toEqual([{ q: "x", answer: "REFUSED" }]);
  });

  it("retries and falls back inside the rails", async () => {
    const guardrails = await realGuardrails();
    const flaky = scriptedModel([new TypeError("fetch failed"), "call 5"]).withRetry({ stopAfterAttempt: 2 });
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] });
    const retried = guardrails.wrap(prompt.pipe(flaky).pipe(parser), { inputKey: "q" }).invoke({ q: "x" });
    await jest.advanceTimersByTimeAsync(5_000);
    jest.useRealTimers();
    expect(await retried).toBe("call *");
    const broken = scriptedModel([new Error("down")]).withFallbacks([scriptedModel("bad")]);
    expect(await guardrails.wrap(prompt.pipe(broken).pipe(parser), { inputKey: "q" }).invoke({ q: "x" })).toBe(
      "REFUSED",
    );
  });

  it("becomes a tool", async () => {
    const guardrails = await realGuardrails();
    const tool = guardrails
      .wrap(
        RunnableLambda.from((input: { q: string }) => `you said ${input.q} 5`),
        { inputKey: "q" },
      )
      .asTool({ name: "ask", description: "asks", schema: z.object({ q: z.string() }) as never });
    expect(await tool.invoke({ q: "hi" } as never)).toBe("you said hi *");
    expect(await tool.invoke({ q: "bad" } as never)).toBe("REFUSED");
  });

  it("keeps the refusal and not the blocked response in a message history", async () => {
    const guardrails = await realGuardrails();
    const history = new InMemoryChatMessageHistory();
    const chat = ChatPromptTemplate.fromMessages([new MessagesPlaceholder("history"), ["human", "{q}"]]);
    const chain = new RunnableWithMessageHistory({
      runnable: chat.pipe(guardrails.wrap(scriptedModel(["bad answer", "fine"]))),
      getMessageHistory: () => history,
      inputMessagesKey: "q",
      historyMessagesKey: "history",
    });
    const config = { configurable: { sessionId: "s" } };
    await chain.invoke({ q: "one" }, config);
    await chain.invoke({ q: "two" }, config);
    const said = (await history.getMessages()).map(({ text }) => text);
    expect(said).toEqual(["one", "REFUSED", "two", "fine"]);
  });
});

describe("in a graph", () => {
  // Streams a letter at a time below a consumer of streams.
  const model = (): FakeListChatModel => new FakeListChatModel({ responses: ["bad secret"] });
  /** A runnable that does not pass its config on, so its model uses the config around it. */
  class Careless extends Runnable<unknown, AIMessage> {
    lc_namespace = ["test"];
    async invoke(_input: unknown): Promise<AIMessage> {
      return (await model().invoke("q")) as AIMessage;
    }
  }

  const asking: BaseMessage[] = [new HumanMessage("hi")];
  const afterTool: BaseMessage[] = [
    ...asking,
    new AIMessage({ content: "", tool_calls: [{ name: "f", args: {}, id: "1" }] }),
    new ToolMessage({ content: "found", tool_call_id: "1" }),
  ];

  it.each<[string, (guardrails: Guardrails) => Runnable, BaseMessage[]?]>([
    ["a guarded model", (guardrails) => guardrails.wrap(model())],
    ["a guarded chain", (guardrails) => guardrails.wrap(RunnableLambda.from(() => model().invoke("q")) as Runnable)],
    ["a guarded runnable that forgets its config", (guardrails) => guardrails.wrap(new Careless())],
    ["the same after a tool's result", (guardrails) => guardrails.wrap(new Careless()), afterTool],
  ])("%s emits no raw text to the state or any stream", async (_, make, messages = asking) => {
    const guarded = make(await realGuardrails());
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", async (state) => ({ messages: [(await guarded.invoke(state.messages)) as AIMessage] }))
      .addEdge(START, "agent")
      .addEdge("agent", END)
      .compile();
    const input = { messages };
    const state = await graph.invoke(input);
    expect(state.messages.map(({ text }) => text)).toEqual([...messages.map(({ text }) => text), "REFUSED"]);
    const streamed = await drain(await graph.stream(input, { streamMode: "messages" }));
    expect(streamed.map(([message]) => (message as BaseMessage).text).join("")).toBe("REFUSED");
    const events = await drain(graph.streamEvents(input, { version: "v2" }));
    expect(JSON.stringify(events)).not.toMatch(/secret|"s"/);
  });

  it("guards a whole graph, whose state keeps its shape", async () => {
    const guardrails = await realGuardrails();
    const State = Annotation.Root({ ...MessagesAnnotation.spec, topic: Annotation<string> });
    const graph = new StateGraph(State)
      .addNode("agent", async () => ({ messages: [await model().invoke("q")], topic: "x" }))
      .addEdge(START, "agent")
      .addEdge("agent", END)
      .compile();
    const guarded = guardrails.wrap(graph as unknown as Runnable);
    const result = (await guarded.invoke({ messages: [new HumanMessage("hi")], topic: "x" })) as {
      messages: BaseMessage[];
    };
    expect(result).toMatchObject({ topic: "x" });
    expect(result.messages.map(({ text }) => text)).toEqual(["hi", "REFUSED"]);
  });
});

describe("the trace", () => {
  interface Run {
    readonly id: string;
    readonly parent: string | undefined;
    readonly name: string;
    readonly tags: readonly string[];
    readonly metadata: Readonly<Record<string, unknown>>;
  }

  it("has one root; rails, judge and model hang below it; `runId` is used once", async () => {
    const runs: Run[] = [];
    const ended: string[] = [];
    type ModelStart = Parameters<NonNullable<CallbackHandlerMethods["handleChatModelStart"]>>;
    type Start = Parameters<NonNullable<CallbackHandlerMethods["handleChainStart"]>>;
    const nameOf = (serialized: { readonly id?: readonly string[] }): string => serialized.id?.at(-1) ?? "?";
    const handler = {
      name: "recorder",
      awaitHandlers: true,
      handleChainStart: (...[serialized, , id, parent, tags = [], metadata = {}, type, name]: Start) =>
        void runs.push({ id, parent, tags, metadata, name: name ?? type ?? nameOf(serialized) }),
      handleChatModelStart: (...[, , id, parent, , tags = [], metadata = {}, name]: ModelStart) =>
        void runs.push({ id, parent, tags, metadata, name: name ?? "model" }),
      handleChainEnd: (_o: unknown, id: string) => void ended.push(id),
      handleLLMEnd: (_o: unknown, id: string) => void ended.push(id),
    };
    const judge = scriptedModel(["No", "No"]);
    const guardrails = await Guardrails.fromConfig(
      { config: { rails: { input: { flows: ["self check input"] }, output: { flows: ["self check output"] } } } },
      { llm: judge },
    );
    const chain = guardrails.wrap(prompt.pipe(scriptedModel("ok")).pipe(parser), { inputKey: "q" });
    const runId = "11111111-1111-4111-8111-111111111111";
    const config = { callbacks: [handler as never], runId, runName: "top", tags: ["mine"], metadata: { tenant: "t" } };
    expect(await chain.invoke({ q: "hi" }, config)).toBe("ok");

    const root = runs.filter((run) => run.parent === undefined);
    expect(root.map(({ id, name }) => [id, name])).toEqual([[runId, "top"]]);
    expect(runs.filter(({ id }) => id === runId)).toHaveLength(1);
    const ids = new Set(runs.map(({ id }) => id));
    expect(runs.filter(({ parent }) => parent !== undefined && !ids.has(parent))).toEqual([]);
    const below = (id: string): string[] => runs.filter(({ parent }) => parent === id).map(({ name }) => name);
    expect(below(runId)).toEqual(["rail:self check input", "RunnableSequence", "rail:self check output"]);
    for (const stage of ["input", "output"]) {
      const rail = runs.find(({ name }) => name === `rail:self check ${stage}`);
      expect(rail?.tags).toEqual(expect.arrayContaining([`guardrails:${stage}`, "mine"]));
      expect(rail?.metadata).toMatchObject({ guardrails_stage: stage, tenant: "t" });
      const judged = runs.filter(({ parent }) => parent === rail?.id);
      expect(judged).toHaveLength(1);
      expect(judged[0]?.name).toBe(`rail:self check ${stage}`);
      expect(judged[0]?.tags).toEqual(expect.arrayContaining(["guardrails", "nostream", "langsmith:nostream"]));
    }
    const sequence = runs.find(({ name }) => name === "RunnableSequence");
    expect(below(sequence?.id ?? "")).toHaveLength(3);
    expect(new Set(ended)).toEqual(ids);
  });
});

describe("cancellation", () => {
  const gone = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));

  it.each(["input rail", "model", "output rail"])(
    "during the %s stops it, and nothing is left unhandled",
    async (stage) => {
      let reached = (): void => undefined;
      const running = new Promise<void>((resolve) => (reached = resolve));
      let stopped = false;
      const hang = async (signal: AbortSignal | undefined): Promise<never> => {
        signal?.addEventListener("abort", () => (stopped = true));
        reached();
        return gone(signal);
      };
      const guardrails = await realGuardrails({
        onCheck: (text, context) =>
          (stage === "input rail" && text === "hi") || (stage === "output rail" && text === "answer")
            ? hang((context as { signal: AbortSignal }).signal)
            : undefined,
      });
      const model = RunnableLambda.from((_input: string, config) =>
        stage === "model" ? hang(config.signal) : "answer",
      ) as Runnable<string, string>;
      const guarded = guardrails.wrap(model);
      for (const call of [
        (signal: AbortSignal) => guarded.invoke("hi", { signal }),
        async (signal: AbortSignal) => drain(await guarded.stream("hi", { signal })),
        (signal: AbortSignal) => guarded.invoke("hi", { signal, configurable: { thread_id: "t" } }),
      ]) {
        const controller = new AbortController();
        const result = call(controller.signal);
        await running;
        await new Promise((resolve) => setImmediate(resolve));
        controller.abort(new Error("enough"));
        await expect(result).rejects.toThrow(/enough|abort/i);
      }
      await new Promise((resolve) => setImmediate(resolve));
      expect(stopped).toBe(true);
      expect(rejections).toEqual([]);
    },
  );

  it("before the call prevents the model call", async () => {
    const guardrails = await realGuardrails();
    const model = scriptedModel([]);
    await expect(
      guardrails.wrap(model).invoke("hi", { signal: AbortSignal.abort(new Error("early")) }),
    ).rejects.toThrow();
    expect(model.calls).toHaveLength(0);
  });

  it("by timeout stops the model and does not change the thread", async () => {
    const guardrails = await realGuardrails();
    const slow = guardrails.wrap(
      RunnableLambda.from((_input: string, config) => gone(config.signal)) as Runnable<string, string>,
    );
    const config = { configurable: { thread_id: "t" } };
    await expect(slow.invoke("hi", { ...config, timeout: 5 })).rejects.toThrow(/timeout|abort/i);
    expect(await guardrails.wrap(scriptedModel("ok")).invoke("hi", config)).toMatchObject({ content: "ok" });
  });

  it("respects maxConcurrency, and returns exceptions in their positions", async () => {
    let running = 0;
    let most = 0;
    const guardrails = await realGuardrails();
    const chain = guardrails.wrap(
      RunnableLambda.from(async (text: string) => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (text === "break") throw new RangeError("broken");
        return text;
      }),
    );
    const results = await chain.batch(["a", "break", "bad", "c"], { maxConcurrency: 2 }, { returnExceptions: true });
    expect(results).toEqual(["a", expect.any(RangeError), "REFUSED", "c"]);
    expect(most).toBeLessThanOrEqual(2);
  });

  it("verdicts report errors of rails, and no blocked text, though the error quotes it", async () => {
    const guardrails = await realGuardrails({
      onCheck: (text, context) => {
        if (!text.includes("secret")) return;
        (context as ActionContext).annotate({ reason: `it says: ${text}`, metadata: { seen: [text] } });
        if (!text.includes("bad")) throw new Error(`cannot parse: ${text}`);
      },
    });
    const guarded = guardrails.wrap(scriptedModel(["the secret answer", "the bad secret answer"]));
    const tool = [new HumanMessage("q"), new ToolMessage({ content: "found", tool_call_id: "1" })];
    for (const value of ["hello", tool]) {
      const refused = await guarded.invoke(value);
      expect(verdictOf(refused)).toMatchObject({ blocked: true, stage: "output" });
      expect(JSON.stringify(refused)).not.toContain("secret answer");
    }
    for (const result of [
      await guardrails.check("the bad secret answer"),
      await guardrails.rail("check answer").invoke("the bad secret answer"),
      await guardrails
        .input<string>()
        .invoke("the bad secret answer")
        .catch((thrown: unknown) => thrown),
    ]) {
      expect(JSON.stringify(result)).not.toContain("secret answer");
    }
    const result = await guardrails.wrap(scriptedModel([])).invoke("top secret");
    expect(verdictOf(result)).toMatchObject({ blocked: true, decisions: [{ status: "error", rail: "check words" }] });
    expect(JSON.stringify(result)).not.toContain("top secret");
    expect(rejections).toEqual([]);
  });
});

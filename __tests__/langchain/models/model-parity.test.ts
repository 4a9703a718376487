import { describe, expect, it, jest } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { InMemoryCache } from "@langchain/core/caches";
import { AIMessage, type AIMessageFields, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, providerStrategy, toolStrategy } from "langchain";
import * as z from "zod/v4";
import { type GuardedChatModel, verdictOf } from "../../../src/index.js";
import { type ScriptedModel, scriptedModel, scriptedServer } from "../../../src/testing/index.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const rails = { input: strictRail, output: strictRail };
const { guardrails } = fakeGuardrails(rails);
const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
const withUsage = (content: string): AIMessage =>
  new AIMessage({ content, usage_metadata: usage } as unknown as AIMessageFields);

describe("C6 a guarded model reports what its model reports", () => {
  const openAI = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", temperature: 0.3 });

  it("profile, call keys, invocation parameters, tokens", async () => {
    const guarded = guardrails.wrap(openAI);
    expect(openAI.profile).toMatchObject({ structuredOutput: true });
    expect(guarded.profile).toEqual(openAI.profile);
    expect(guarded.callKeys).toEqual(expect.arrayContaining([...openAI.callKeys, "rails"]));
    expect(guarded.invocationParams({ stop: ["X"] })).toMatchObject({ model: "gpt-4o", temperature: 0.3, stop: ["X"] });
    const counting = Object.assign(scriptedModel("x"), { getNumTokens: async () => 42 });
    expect(await guardrails.wrap(counting).getNumTokens("some words")).toBe(42);
    expect(guarded.getLsParams({})).toMatchObject({ ls_provider: "guardrails", ls_model_type: "chat" });
  });

  it("also after tools were bound, and before the inner model exists", () => {
    const guarded = guardrails.wrap(openAI).bindTools([{ type: "function", function: { name: "f", parameters: {} } }]);
    expect(guarded.profile).toEqual(openAI.profile);
    expect(guarded.invocationParams()).toMatchObject({ model: "gpt-4o" });
    expect(guardrails.wrap(scriptedModel("x")).profile).toEqual({});
  });

  it("whether it streams", async () => {
    const silent = Object.assign(scriptedModel("fine words"), { disableStreaming: true });
    const guarded = guardrails.wrap(silent);
    expect(guarded.disableStreaming).toBe(true);
    expect((await drain(await guarded.stream("hi"))).map(({ content }) => content)).toEqual(["fine words"]);
    expect(guardrails.wrap(scriptedModel("x")).disableStreaming).toBe(false);
  });

  it("the version of its content blocks, also in a refusal", async () => {
    const model = new FakeListChatModel({ responses: ["fine"], outputVersion: "v1" } as never);
    const guarded = guardrails.wrap(model);
    expect((await guarded.invoke("hi")).content).toEqual([{ type: "text", text: "fine" }]);
    const refused = await guarded.invoke("bad");
    expect(refused.content).toEqual([{ type: "text", text: "REFUSED" }]);
    expect(refused.text).toBe("REFUSED");
  });
});

describe("C6 parts that stay inside the rails", () => {
  it("a cache, so that its hits are reviewed too", async () => {
    let calls = 0;
    const model = new (class extends FakeListChatModel {
      override async _generate(...args: Parameters<FakeListChatModel["_generate"]>) {
        calls += 1;
        return super._generate(...args);
      }
    })({ responses: ["bad answer"], cache: new InMemoryCache() });
    let reviews = 0;
    const counted = fakeGuardrails({ output: (text, call) => ((reviews += 1), strictRail(text, call)) }).guardrails;
    const guarded = counted.wrap(model);
    expect(guarded.cache).toBeUndefined();
    for (const _ of [1, 2]) expect((await guarded.invoke("hi")).content).toBe("REFUSED");
    expect([calls, reviews]).toEqual([1, 2]);
  });

  it("retries and fallbacks: their responses are reviewed, and a violation starts neither", async () => {
    const flaky = scriptedModel([new Error("503"), "call 5", "never asked"]);
    const retried = guardrails.wrap(flaky.withRetry({ stopAfterAttempt: 2, onFailedAttempt: () => undefined }));
    jest.useFakeTimers();
    try {
      const running = retried.invoke("hi");
      await jest.advanceTimersByTimeAsync(10_000);
      expect(await running).toMatchObject({ content: "call *" });
    } finally {
      jest.useRealTimers();
    }
    expect(await retried.invoke("bad")).toMatchObject({ content: "REFUSED" });
    expect(flaky.calls).toHaveLength(2);
    const fallback = scriptedModel(["bad answer"]);
    const guarded = guardrails.wrap(scriptedModel([new Error("down")]).withFallbacks([fallback]));
    const result = await guarded.invoke("hi");
    expect(result).toMatchObject({ content: "REFUSED" });
    expect(verdictOf(result as BaseMessage)).toMatchObject({ blocked: true, stage: "output" });
  });
});

describe("C6 configuration bound to a guarded model", () => {
  it("withConfig({ tags }) reaches both runs and stays a model in a chain", async () => {
    const tags: (string[] | undefined)[] = [];
    const callbacks = [{ handleChatModelStart: (...args: unknown[]) => void tags.push(args[5] as string[]) }];
    const bound = guardrails.wrap(scriptedModel("fine")).withConfig({ tags: ["mine"], metadata: { tenant: "a" } });
    const chain = RunnableSequence.from([bound, (message: BaseMessage) => message.text]);
    expect(await chain.invoke("hi", { callbacks: callbacks as never })).toBe("fine");
    expect(tags).toHaveLength(2);
    for (const own of tags) expect(own).toContain("mine");
  });
});

class Recorder extends BaseTracer {
  name = "recorder";
  readonly roots: Run[] = [];
  protected async persistRun(run: Run): Promise<void> {
    this.roots.push(run);
  }
}
const reported = (output: LLMResult): unknown[] =>
  output.generations.flat().map((generation) => (generation as { message?: AIMessage }).message?.usage_metadata);

describe("usage is counted once (B1.10 trap 5)", () => {
  const ways: [string, (model: GuardedChatModel, config: object) => Promise<unknown>][] = [
    ["invoke", (model, config) => model.invoke("hi", config)],
    ["stream", async (model, config) => drain(await model.stream("hi", config))],
  ];

  it.each(ways)("by handlers that see both runs, in %s", async (_, call) => {
    const ends: unknown[] = [];
    const totals: unknown[] = [];
    const handler = {
      handleLLMEnd: (output: LLMResult) => {
        ends.push(...reported(output));
        totals.push(output.llmOutput?.["tokenUsage"]);
      },
    };
    const tracer = new Recorder({ _awaitHandler: true } as never);
    await call(guardrails.wrap(scriptedModel([withUsage("fine words")])), { callbacks: [handler, tracer] });
    expect(ends.filter((own) => own !== undefined)).toEqual([usage]);
    expect(totals.filter((own) => own !== undefined).length).toBeLessThanOrEqual(1);
    const root = tracer.roots[0] as Run;
    const inner = root.child_runs.find(({ run_type: type }) => type === "llm") as Run;
    const usageOf = (run: Run): unknown => reported(run.outputs as LLMResult)[0];
    expect([usageOf(root), usageOf(inner)]).toEqual([undefined, usage]);
    expect(JSON.stringify(root.outputs)).toContain("fine words");
  });

  it("by listeners that see the guarded run only", async () => {
    const own: unknown[] = [];
    const model = guardrails.wrap(scriptedModel(withUsage("fine")));
    model.callbacks = [{ handleLLMEnd: (output: LLMResult) => void own.push(...reported(output)) }] as never;
    expect((await model.invoke("hi")).usage_metadata).toEqual(usage);
    expect(own).toEqual([usage]);
    const events = await drain(model.streamEvents("hi", { version: "v2" }));
    const end = events.find(({ event }) => event === "on_chat_model_end");
    expect(end).toMatchObject({ data: { output: { usage_metadata: usage } } });
  });

  it("also when handlers throw on errors or take tokens only", async () => {
    class Strict extends BaseCallbackHandler {
      name = "strict";
      override raiseError = true;
      readonly tokens: string[] = [];
      override handleLLMNewToken(token: string): void {
        this.tokens.push(token);
      }
    }
    const handler = new Strict();
    await drain(await guardrails.wrap(scriptedModel([withUsage("fine")])).stream("hi", { callbacks: [handler] }));
    expect(handler.tokens.join("")).toBe("fine");
  });
});

describe("C7 content blocks in both directions", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const reasoning = { type: "reasoning", reasoning: "I think of 7" };
  const call = { name: "look", args: { q: "x" }, id: "1" };

  it("reach the model unchanged except for the text", async () => {
    const model = scriptedModel(["ok"]);
    const artifact = { rows: [1] };
    const messages = [
      new HumanMessage({ content: [{ type: "text", text: "old 1" }, image] as never }),
      new AIMessage({ content: [reasoning, { type: "text", text: "hm" }] as never, tool_calls: [call] }),
      new ToolMessage({ content: [{ type: "text", text: "row 5" }, image] as never, tool_call_id: "1", artifact }),
    ];
    await guardrails.wrap(model).invoke(messages);
    const [user, answer, result] = model.calls[0]?.messages ?? [];
    expect(user?.content).toEqual([{ type: "text", text: "old *" }, image]);
    expect(answer).toBe(messages[1]);
    expect(result).toMatchObject({ content: [{ type: "text", text: "row *" }, image], artifact, tool_call_id: "1" });
  });

  it("return with images and files, and with the text rewritten", async () => {
    const file = { type: "file", mimeType: "application/pdf", fileId: "f" };
    const answer = new AIMessage({ content: [{ type: "text", text: "see 5" }, image, file] as never, id: "m" });
    const result = await guardrails.wrap(scriptedModel([answer])).invoke("hi");
    expect(result).toMatchObject({ content: [{ type: "text", text: "see *" }, image, file], id: "m" });
  });

  it.each([
    [
      "is removed from a reviewed response, because output rails do not read it",
      rails,
      [],
      [{ type: "text", text: "ok" }],
    ],
    ["stays where no output rail looked", { input: strictRail }, [], [reasoning, { type: "text", text: "ok" }]],
    ["stays with a call, because providers require it", rails, [call], [reasoning, { type: "text", text: "ok" }]],
  ])("reasoning %s", async (_, given, calls, expected) => {
    const answer = new AIMessage({ content: [reasoning, { type: "text", text: "ok" }] as never, tool_calls: calls });
    const result = await fakeGuardrails(given)
      .guardrails.wrap(scriptedModel([answer]))
      .invoke("hi");
    expect(result.content).toEqual(expected);
    expect(result.tool_calls).toMatchObject(calls);
  });
});

describe("arguments of tool calls that are a response", () => {
  const schema = { type: "function", function: { name: "answer", parameters: {} } };
  const runnable = tool(() => "", { name: "look", description: "", schema: z.object({ q: z.string() }) });
  const calling = (name: string, args: object): ScriptedModel =>
    scriptedModel([new AIMessage({ content: "", id: "m", tool_calls: [{ name, args: { ...args }, id: "1" }] })]);

  it.each<[string, object, string]>([
    ["of a schema that must be called", { tool_choice: "any" }, "answer"],
    [
      "of a schema that must be called by name",
      { tool_choice: { type: "function", function: { name: "answer" } } },
      "answer",
    ],
  ])("%s are read and rewritten", async (_, kwargs, name) => {
    const bound = (args: object): GuardedChatModel =>
      guardrails.wrap(calling(name, args)).bindTools([runnable, schema], kwargs);
    const rewritten = await bound({ text: "pin 1" }).invoke("hi");
    expect(rewritten).toMatchObject({ tool_calls: [{ name, args: { text: "pin *" }, id: "1" }], id: "m" });
    expect(await bound({ text: "bad" }).invoke("hi")).toMatchObject({ content: "REFUSED", tool_calls: [] });
    const mismatch = await bound({ text: 17 }).invoke("hi");
    expect(mismatch.tool_calls).toEqual([]);
    expect(verdictOf(mismatch)).toMatchObject({
      blocked: true,
      decisions: [{}, { status: "modified" }, { status: "error" }],
    });
  });

  it.each<[string, object, string, object]>([
    ["a tool that can be run", { tool_choice: "any" }, "look", {}],
    ["a schema that may be called", {}, "answer", {}],
    ["a schema, with a setting", { tool_choice: "any" }, "answer", { toolArgs: false }],
  ])("are left to execution rails: %s", async (_, kwargs, name, options) => {
    const model = calling(name, { q: "bad 1" });
    const result = await guardrails.wrap(model, options).bindTools([runnable, schema], kwargs).invoke("hi");
    expect(result.tool_calls).toMatchObject([{ args: { q: "bad 1" } }]);
  });

  it.each([[true], [["look"]]])("are read of any tool with toolArgs %j", async (toolArgs) => {
    const guarded = guardrails.wrap(calling("look", { q: "bad" }), { toolArgs }).bindTools([runnable]);
    expect(await guarded.invoke("hi")).toMatchObject({ content: "REFUSED", tool_calls: [] });
  });

  it("of one tool leave the calls of another as they are", async () => {
    const both = new AIMessage({
      content: "",
      tool_calls: [
        { name: "look", args: { q: "7" }, id: "1" },
        { name: "answer", args: { text: "8" }, id: "2" },
      ],
    });
    const guarded = guardrails.wrap(scriptedModel([both]), { toolArgs: ["answer"] });
    expect((await guarded.invoke("hi")).tool_calls).toMatchObject([{ args: { q: "7" } }, { args: { text: "*" } }]);
  });
});

describe("C10 createAgent({ model: guarded, responseFormat })", () => {
  const shape = z.object({ dish: z.string() });

  it("by a tool: the structured response is reviewed and rewritten", async () => {
    const format = toolStrategy(shape);
    const name = format[0]?.name ?? "";
    const model = (dish: string): ScriptedModel =>
      scriptedModel([new AIMessage({ content: "", tool_calls: [{ name, args: { dish }, id: "1" }] })]);
    const agent = (dish: string) =>
      createAgent({ model: guardrails.wrap(model(dish)), tools: [], responseFormat: format });
    const passed = await agent("bread 5").invoke({ messages: [new HumanMessage("hi")] });
    expect(passed.structuredResponse).toEqual({ dish: "bread *" });
    const blocked = await agent("bad bread").invoke({ messages: [new HumanMessage("hi")] });
    expect(blocked.structuredResponse).toBeUndefined();
    expect(blocked.messages.at(-1)?.content).toBe("REFUSED");
    expect(visibleJson(blocked)).not.toContain("bad");
  });

  it("by the provider, over HTTP: the structured response is reviewed and rewritten", async () => {
    await using server = await scriptedServer(['{"dish":"bread 5"}', '{"dish":"bad"}']);
    const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: server.url } });
    const agent = createAgent({ model: guardrails.wrap(model), tools: [], responseFormat: providerStrategy(shape) });
    const passed = await agent.invoke({ messages: [new HumanMessage("hi")] });
    expect(passed.structuredResponse).toEqual({ dish: "bread *" });
    expect(server.requests[0]?.body).toMatchObject({ response_format: { type: "json_schema" } });
    const error: unknown = await agent
      .invoke({ messages: [new HumanMessage("hi")] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).not.toContain("bad");
  });
});

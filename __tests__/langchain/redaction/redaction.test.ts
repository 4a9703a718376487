import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { Document } from "@langchain/core/documents";
import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { BaseRetriever } from "@langchain/core/retrievers";
import { type Runnable, RunnableLambda, type RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import type { Run as TracedRun } from "@langchain/core/tracers/base";
import { FakeTracer } from "@langchain/core/utils/testing";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { Guardrails, inputModeration, outputModeration } from "../../../src/index.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "../streaming/chunked-model.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

/** Texts of users, models, tools, prompts and errors; none of them may reach a handler. */
const CONTENT = /sesame|walnut|pecan|hazel|almond/;

class Recorder extends BaseCallbackHandler {
  name = "recorder";
  override awaitHandlers = true;
  readonly received: unknown[] = [];

  constructor() {
    super();
    for (const method of [
      "handleLLMStart",
      "handleChatModelStart",
      "handleLLMNewToken",
      "handleLLMEnd",
      "handleLLMError",
      "handleChainStart",
      "handleChainEnd",
      "handleChainError",
      "handleToolStart",
      "handleToolEnd",
      "handleToolError",
      "handleRetrieverStart",
      "handleRetrieverEnd",
      "handleRetrieverError",
      "handleText",
      "handleCustomEvent",
    ]) {
      Object.assign(this, { [method]: (...args: unknown[]) => void this.received.push([method, ...args]) });
    }
  }
}

/** A value as text, with errors and the fields that JSON leaves out. */
function textOf(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (seen.has(value)) return "";
  seen.add(value);
  const keys = [...Object.getOwnPropertyNames(value)];
  return keys.map((key) => `${key}=${textOf((value as Record<string, unknown>)[key], seen)}`).join(" ");
}

class Shelf extends BaseRetriever {
  lc_namespace = ["test"];
  override async _getRelevantDocuments(): Promise<Document[]> {
    return [new Document({ pageContent: "pecan pie", metadata: { note: "pecan" } })];
  }
}

const guard = (options: object = {}) =>
  realGuardrails({ input: ["check words"], output: ["check answer"], streaming: { chunkSize: 1 }, ...options });
const model = () => new ChunkedModel(["walnut ", new AIMessageChunk({ content: "cake", id: "m" })]);
const badModel = () => new ChunkedModel(["walnut ", "bad ", "hazel"]);
const brokenModel = () => {
  const broken = new ChunkedModel(["walnut"]);
  broken._generate = async () => Promise.reject(new TypeError("almond is out"));
  broken.before = () => {
    throw new TypeError("almond is out");
  };
  return broken;
};
const broken = RunnableLambda.from((_text: string): string => {
  throw new TypeError("almond is out");
});
const prompt = ChatPromptTemplate.fromMessages([
  ["system", "You love hazel"],
  ["human", "{question}"],
]);

type Run = (options: { redactTraces?: boolean }, config: RunnableConfig) => Promise<unknown>;
const chain = () => prompt.pipe(model()).pipe(new StringOutputParser());
const read = async (runnable: Runnable, value: unknown, config: RunnableConfig): Promise<unknown> =>
  drain(await runnable.stream(value, config));

const look = tool(async () => "pecan found", {
  name: "look_up",
  description: "almond",
  schema: z.object({ q: z.string() }),
});

const runs: [string, string, Run][] = [
  ["wrap(model)", "ChunkedModel", async (o, c) => (await guard(o)).wrap(model()).invoke("sesame", c)],
  ["wrap(model), streamed", "ChunkedModel", async (o, c) => read((await guard(o)).wrap(model()), "sesame", c)],
  [
    "wrap(model), blocked on input",
    "rail:check words",
    async (o, c) => (await guard(o)).wrap(model()).invoke("bad sesame", c),
  ],
  [
    "wrap(model), blocked on output",
    "ChunkedModel",
    async (o, c) => (await guard(o)).wrap(badModel()).invoke("sesame", c),
  ],
  [
    "wrap(model), blocked in its stream",
    "ChunkedModel",
    async (o, c) => read((await guard(o)).wrap(badModel()), "sesame", c),
  ],
  ["wrap(model), failing", "ChunkedModel", async (o, c) => (await guard(o)).wrap(brokenModel()).invoke("sesame", c)],
  [
    "wrap(model), failing in its stream",
    "ChunkedModel",
    async (o, c) => read((await guard(o)).wrap(brokenModel()), "sesame", c),
  ],
  [
    "wrap(model).generate",
    "ChunkedModel",
    async (o, c) =>
      (await guard(o))
        .wrap(model())
        .generate([[new HumanMessage("sesame")]], { tags: c.tags ?? [], metadata: c.metadata ?? {} }, c.callbacks),
  ],
  [
    "wrap(chain)",
    "ChatPromptTemplate",
    async (o, c) => (await guard(o)).wrap(chain(), { inputKey: "question" }).invoke({ question: "sesame" }, c),
  ],
  [
    "wrap(chain), streamed",
    "ChatPromptTemplate",
    async (o, c) => read((await guard(o)).wrap(chain(), { inputKey: "question" }), { question: "sesame" }, c),
  ],
  ["wrap(chain), failing", "RunnableLambda", async (o, c) => (await guard(o)).wrap(broken).invoke("sesame", c)],
  [
    "wrap(retriever chain)",
    "Shelf",
    async (o, c) =>
      (await guard(o)).wrap(new Shelf().pipe((found: Document[]) => found[0]?.pageContent ?? "")).invoke("sesame", c),
  ],
  ["guardrails.invoke over a response", "rail:check answer", async (o, c) => (await guard(o)).invoke("walnut", c)],
  ["a piped stream", "rail:check answer", async (o, c) => read(await guard(o), new AIMessageChunk("bad walnut"), c)],
  ["input()", "rail:check words", async (o, c) => (await guard(o)).input().invoke("sesame", c)],
  ["input(), blocked", "rail:check words", async (o, c) => (await guard(o)).input().invoke("bad sesame", c)],
  ["output()", "rail:check answer", async (o, c) => (await guard(o)).output().invoke({ answer: "bad walnut" }, c)],
  ["rail()", "rail:check words", async (o, c) => (await guard(o)).rail("check words").invoke("bad sesame", c)],
  ["check()", "rail:check answer", async (o, c) => (await guard(o)).check("bad walnut", c)],
  [
    "generate()",
    "guardrails:generate",
    async (o, c) => (await guard({ ...o, llm: model() })).generate("sesame", { log: { activatedRails: true } }, c),
  ],
  [
    "a rail with a model",
    "rail:self check input",
    async (o, c) => {
      const made = await Guardrails.fromConfig(
        { config: { rails: { input: { flows: ["self check input"] } }, prompts: [PROMPT] } },
        { llm: scriptedModel(["Yes, hazel"]), ...o },
      );
      return made.input().invoke("sesame", c);
    },
  ],
  [
    "inputModeration()",
    "rail:self check input",
    async (o, c) =>
      inputModeration({
        ...o,
        llm: scriptedModel(["no"]),
        rails: ["self check input"],
        settings: { prompts: [PROMPT] },
      }).invoke("sesame", c),
  ],
  [
    "outputModeration()",
    "rail:hide",
    async (o, c) =>
      outputModeration({ ...o, rails: ["hide"], colang: 'define subflow hide\n  $bot_message = "pecan"' }).invoke(
        "walnut",
        c,
      ),
  ],
  [
    "withStructuredOutput()",
    "rail:check answer",
    async (o, c) => {
      const answers = scriptedModel(
        new AIMessage({ content: "", tool_calls: [{ name: "extract", args: { dish: "walnut" }, id: "c" }] }),
      );
      return (await guard(o))
        .wrap(answers)
        .withStructuredOutput(z.object({ dish: z.string() }))
        .invoke("sesame", c);
    },
  ],
  [
    "tool()",
    "look_up",
    async (o, c) => (await toolGuardrails({ results: ["check result"], ...o })).tool(look).invoke({ q: "sesame" }, c),
  ],
  [
    "tool(), blocked",
    "rail:check call",
    async (o, c) => (await toolGuardrails({ calls: ["check call"], ...o })).tool(look).invoke({ q: "bad sesame" }, c),
  ],
  [
    "wrap(agent)",
    "look_up",
    async (o, c) =>
      (await guard(o)).wrap(agent([]) as never).invoke({ messages: [new HumanMessage("sesame")] } as never, c),
  ],
];

const PROMPT = { task: "self_check_input", content: "Mind hazel: {{ user_input }}" };

function agent(middleware: readonly unknown[]): Runnable {
  const calls = new AIMessageChunk({
    content: "",
    tool_call_chunks: [{ name: "look_up", args: '{"q":"hazel"}', id: "c1", index: 0, type: "tool_call_chunk" }],
  });
  return createAgent({
    model: scriptedModel([calls as never, "walnut"]),
    tools: [look as never],
    middleware: middleware as never,
  }).graph as unknown as Runnable;
}

describe.each(runs)("redactTraces in %s", (_name, run, start) => {
  const settle = async (options: { redactTraces?: boolean }, config: RunnableConfig): Promise<void> => {
    await start(options, config).catch(() => undefined);
  };

  it("a tracer sees the runs inside, and none of their contents", async () => {
    const tracer = new FakeTracer();
    await settle({ redactTraces: true }, { callbacks: [tracer], tags: ["mine"], metadata: { order: 7 } });
    const text = textOf(tracer.runs);
    expect(text).not.toMatch(CONTENT);
    expect(text).toContain(run);
    expect(text).toContain("mine");
    expect(text).toContain("order=7");
  });

  it("a handler receives no contents either", async () => {
    const recorder = new Recorder();
    await settle({ redactTraces: true }, { callbacks: [recorder] });
    const text = textOf(recorder.received);
    expect(text).not.toMatch(CONTENT);
    expect(text).toContain(run);
  });

  it("a tracer sees them without the option", async () => {
    const tracer = new FakeTracer();
    await settle({}, { callbacks: [tracer] });
    expect(textOf(tracer.runs)).toMatch(CONTENT);
  });
});

describe("redactTraces", () => {
  it("keeps the verdicts and the cost of a call", async () => {
    const tracer = new FakeTracer();
    const recorder = new Recorder();
    const usage_metadata = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
    const costly = new ChunkedModel([new AIMessageChunk({ content: "bad walnut", id: "m", usage_metadata } as never)]);
    await (await guard({ redactTraces: true })).wrap(costly).invoke("sesame", { callbacks: [tracer, recorder] });
    const events = recorder.received.filter((each) => (each as unknown[])[0] === "handleCustomEvent");
    expect(events.map((each) => (each as unknown[])[2])).toMatchObject([
      { stage: "input", rail: "check words", status: "passed" },
      { stage: "output", rail: "check answer", status: "blocked" },
    ]);
    const text = textOf(tracer.runs);
    expect(text).toContain("total_tokens=7");
    expect(text).toContain("blocked=true");
    expect(text).toContain("status=blocked");
  });

  it("does not change what the caller streams", async () => {
    const wrapped = (await guard({ redactTraces: true })).wrap(model());
    const events = await drain(wrapped.streamEvents("hello", { version: "v2" }));
    expect(JSON.stringify(events)).toContain("walnut");
    expect(textOf(await drain(await wrapped.stream("hello")))).toContain("walnut");
  });

  it("keeps errors as they are for the caller, and their kind in traces", async () => {
    const tracer = new FakeTracer();
    const wrapped = (await guard({ redactTraces: true })).wrap(broken);
    await expect(wrapped.invoke("hello", { callbacks: [tracer] })).rejects.toThrow("almond is out");
    expect(tracer.runs[0]?.error).toContain("[redacted]");
  });

  it.each<[string, (wrapped: Runnable) => Runnable, number]>([
    ["the guarded run", (wrapped) => wrapped, 0],
    ["a run around it", (wrapped) => RunnableLambda.from((text: string) => text).pipe(wrapped), 1],
  ])("shows listeners of %s its texts, and none of the runs inside", async (_, around, depth) => {
    const seen: TracedRun[] = [];
    const wrapped = (await guard({ redactTraces: true })).wrap(model().pipe(new StringOutputParser()));
    const chain = around(wrapped as Runnable).withListeners({ onEnd: (run) => void seen.push(run) });
    await chain.invoke("sesame");
    await drain(await chain.stream("sesame"));
    expect(seen).toHaveLength(2);
    for (const { inputs, outputs, child_runs } of seen) {
      expect(textOf([inputs, outputs])).toMatch(/sesame.*walnut/);
      const inside = depth === 0 ? child_runs : child_runs.slice(depth);
      expect(inside.length).toBeGreaterThan(0);
      expect(textOf(inside.map((run) => ({ ...run, parent_run: undefined })))).not.toMatch(CONTENT);
    }
  });

  it("nests runs below an outer run, whose traces are not redacted", async () => {
    const tracer = new FakeTracer();
    const wrapped = (await guard({ redactTraces: true })).wrap(model());
    await RunnableLambda.from((text: string) => text)
      .pipe(wrapped as Runnable)
      .invoke("sesame", { callbacks: [tracer] });
    const [root] = tracer.runs;
    expect(root?.child_runs.map(({ name }) => name)).toEqual(["RunnableLambda", "GuardedChatModel"]);
    expect(textOf(root?.inputs)).toContain("sesame");
    const inside = root?.child_runs[1];
    expect(inside?.child_runs.map(({ name }) => name)).toContain("ChunkedModel");
    expect(textOf({ ...inside, parent_run: undefined })).not.toMatch(CONTENT);
  });

  it("redacts runs inside the middleware of an agent, and not the graph's own runs", async () => {
    const tracer = new FakeTracer();
    const guardrails = await toolGuardrails({ calls: ["check call"], output: ["check answer"], redactTraces: true });
    await agent([guardrailsMiddleware(guardrails)]).invoke(
      { messages: [new HumanMessage("sesame")] },
      { callbacks: [tracer] },
    );
    const all: { name: string; run_type: string }[] = [];
    const visit = (run: (typeof tracer.runs)[number]): void => {
      all.push(run);
      run.child_runs.forEach(visit);
    };
    tracer.runs.forEach(visit);
    const ours = all.filter(({ run_type, name }) => run_type === "llm" || name.startsWith("rail:"));
    expect(ours.length).toBeGreaterThan(3);
    for (const { inputs, outputs, error } of ours as unknown as { inputs: object; outputs: object; error?: string }[]) {
      expect(textOf({ inputs, outputs, error })).not.toMatch(CONTENT);
    }
  });
});

import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  HumanMessage,
} from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { type Runnable, RunnableLambda, RunnableMap, RunnableSequence } from "@langchain/core/runnables";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI } from "@langchain/openai";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { type GuardedChatModel, Guardrails, verdictOf } from "../../../src/index.js";
import { scriptedModel, scriptedServer, type ServerReply } from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { GuardrailViolationError } from "../../../src/langchain/blocked.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";

// Points of the checklist in docs/conformance-langchain.md that no other file covers: ways of calling, traces, chunks.
describe("the checklist of runnables", () => {
  const prompt = ChatPromptTemplate.fromMessages<{ q: string }>([["human", "{q}"]]);
  const join = <T>(chunks: readonly T[]): T =>
    chunks.reduce((whole, chunk) => concat(whole as never, chunk as never) as T);

  async function* once<T>(value: T): AsyncGenerator<T> {
    yield value;
  }

  /** A value without what differs from call to call. */
  const plain = (value: unknown): unknown => {
    if (AIMessage.isInstance(value) || AIMessageChunk.isInstance(value)) {
      const message = value as AIMessage;
      return [message.text, message.tool_calls, verdictOf(message)?.blocked];
    }
    return JSON.parse(
      JSON.stringify(value, (key, inner: unknown) => (key === "durationMs" || key === "id" ? undefined : inner)),
    );
  };

  class Recorder extends BaseTracer {
    name = "recorder";
    readonly roots: Run[] = [];
    protected async persistRun(run: Run): Promise<void> {
      this.roots.push(run);
    }
  }
  const everyRun = (run: Run): readonly Run[] => [run, ...run.child_runs.flatMap(everyRun)];

  describe("C1 every way of calling agrees on the final value", () => {
    const answers = ["a fine answer", "call 555", "a bad answer"];
    const makers: [string, (answer: string) => Promise<Runnable<{ q: string }, unknown>>][] = [
      [
        "string",
        async (answer) =>
          (await realGuardrails()).wrap(prompt.pipe(scriptedModel(answer)).pipe(new StringOutputParser()), {
            inputKey: "q",
          }),
      ],
      ["message", async (answer) => prompt.pipe((await realGuardrails()).wrap(scriptedModel(answer)))],
      [
        "object",
        async (answer) =>
          (await realGuardrails()).wrap(
            RunnableLambda.from((_input: { q: string }) => ({ answer, context: ["c"] })),
            { inputKey: "q" },
          ),
      ],
      [
        "structured",
        async (answer) => {
          const call = new AIMessage({ content: "", tool_calls: [{ name: "extract", args: { answer }, id: "1" }] });
          const schema = { type: "object", properties: { answer: { type: "string" } } };
          return prompt.pipe(
            (await realGuardrails()).wrap(scriptedModel(call)).withStructuredOutput(schema, { includeRaw: true }),
          );
        },
      ],
    ];

    it.each(makers.flatMap(([name, make]) => answers.map((answer) => [name, answer, make] as const)))(
      "%s of `%s`",
      async (_, answer, make) => {
        const runnable = await make(answer);
        const input = { q: "hi" };
        const invoked = plain(await runnable.invoke(input));
        expect(visibleJson(invoked)).not.toMatch(/bad|555/);
        const [batched] = await runnable.batch([input]);
        const others: unknown[] = [
          batched,
          join(await drain(await runnable.stream(input))),
          join(await drain(runnable.transform(once(input), {}))),
        ];
        for (const version of ["v1", "v2"] as const) {
          const events = await drain(runnable.streamEvents(input, { version }));
          others.push(events.findLast(({ event }) => /^on_(chain|chat_model|llm)_end$/.test(event))?.data.output);
        }
        const patches = await drain(runnable.streamLog(input));
        const states = patches.flatMap(({ ops }) => ops.filter(({ path }) => path === "/streamed_output/-"));
        others.push(join(states.map((op) => (op as { value: unknown }).value)));
        for (const other of others) expect(plain(other)).toEqual(invoked);
      },
    );

    it.each(answers)("a model without a version, of `%s`", async (answer) => {
      const guarded = (await realGuardrails()).wrap(scriptedModel(answer));
      expect(await guarded.streamEvents("hi").text).toBe((await guarded.invoke("hi")).text);
    });
  });

  describe("C3 the trace", () => {
    const JUDGED = {
      rails: { input: { flows: ["self check input"] }, output: { flows: ["self check output"] } },
      prompts: ["self_check_input", "self_check_output"].map((task) => ({
        task,
        content: "Block? {{ user_input }} {{ bot_response }}",
      })),
    };

    it.each<[string, (model: GuardedChatModel, config: object) => Promise<unknown>]>([
      ["invoke", (model, config) => model.invoke("hi", config)],
      ["stream", async (model, config) => drain(await model.stream("hi", config))],
    ])("of %s: only the call, its rails, their judges and the model inside", async (_, call) => {
      const tracer = new Recorder({ _awaitHandler: true } as never);
      const judge = scriptedModel("No", { name: "judge" });
      const guardrails = await Guardrails.fromConfig(
        { config: JUDGED },
        { models: { self_check_input: judge, self_check_output: judge } },
      );
      const runId = "11111111-2222-4333-8444-555555555555";
      const config = { callbacks: [tracer], runName: "asking", runId, tags: ["mine"], metadata: { tenant: "a" } };
      await call(guardrails.wrap(scriptedModel("fine", { name: "main" })), config);
      expect(tracer.roots).toHaveLength(1);
      const [root] = tracer.roots as [Run];
      expect([root.name, root.id, root.run_type]).toEqual(["asking", runId, "llm"]);
      const runs = everyRun(root);
      expect(runs.filter(({ id }) => id === runId)).toHaveLength(1);
      expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length);
      for (const stage of ["input", "output"]) {
        const rail = runs.find(({ name }) => name === `rail:self check ${stage}`);
        expect(rail).toMatchObject({ parent_run_id: runId, run_type: "chain" });
        expect(rail?.tags).toEqual(expect.arrayContaining([`guardrails:${stage}`, "mine"]));
        expect(rail?.extra?.["metadata"]).toMatchObject({ tenant: "a", guardrails_stage: stage });
        const judges = everyRun(rail as Run).filter(({ run_type: type }) => type === "llm");
        expect(judges).toHaveLength(1);
        expect(judges[0]?.tags).toEqual(expect.arrayContaining(["guardrails", "nostream", "langsmith:nostream"]));
      }
      const inner = root.child_runs.filter(({ run_type: type }) => type === "llm");
      expect(inner).toHaveLength(1);
      expect(inner[0]?.extra?.["metadata"]).toMatchObject({ tenant: "a" });
    });

    it("of a chain: the wrapped chain and its model nest below the one root", async () => {
      const tracer = new Recorder({ _awaitHandler: true } as never);
      const guardrails = await realGuardrails();
      const chain = prompt.pipe(scriptedModel("fine")).pipe(new StringOutputParser());
      await guardrails.wrap(chain, { inputKey: "q" }).invoke({ q: "hi" }, { callbacks: [tracer] });
      expect(tracer.roots.map(({ name }) => name)).toEqual(["GuardedRunnable"]);
      const runs = everyRun(tracer.roots[0] as Run);
      expect(runs.filter(({ run_type: type }) => type === "llm")).toHaveLength(1);
      expect(runs.filter(({ parent_run_id: parent }) => parent === undefined)).toHaveLength(1);
    });
  });

  describe("C8 the chunks of a guarded model", () => {
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
    const message = (fields: object): AIMessage =>
      new AIMessage({ id: "m", usage_metadata: usage, ...fields } as unknown as AIMessageFields);
    const calls = [
      { name: "look", args: { q: "x" }, id: "1", type: "tool_call" },
      { name: "look", args: { q: "y" }, id: "2", type: "tool_call" },
    ];
    const bare = ({ content, id, tool_calls, usage_metadata, response_metadata, additional_kwargs }: AIMessage) =>
      JSON.parse(
        JSON.stringify(
          { content, id, tool_calls, usage_metadata, response_metadata, additional_kwargs },
          (key, inner) => (key === "durationMs" || key === "index" ? undefined : (inner as unknown)),
        ),
      ) as object;

    it.each<[string, AIMessage]>([
      ["a long text", message({ content: "a fine answer of several words" })],
      ["a rewritten text", message({ content: "call 555 or 666 today" })],
      ["a blocked text", message({ content: "a long and bad answer" })],
      ["tool calls", message({ content: "", tool_calls: calls })],
      ["a text next to tool calls", message({ content: "let me see 5", tool_calls: calls })],
      ["metadata", message({ content: "fine", response_metadata: { model_name: "x", finish_reason: "stop" } })],
    ])("of %s join to what invoke returns: stable ids, indexes, one verdict", async (_, answer) => {
      const guarded = (await realGuardrails()).wrap(scriptedModel(answer));
      const invoked = await guarded.invoke([new HumanMessage("hi")]);
      const chunks = await drain(await guarded.stream([new HumanMessage("hi")]));
      expect(chunks.every((chunk) => AIMessageChunk.isInstance(chunk))).toBe(true);
      expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set(["m"]));
      expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toHaveLength(1);
      const indexes = chunks.flatMap(({ tool_call_chunks: pieces }) => (pieces ?? []).map(({ index }) => index));
      expect(indexes).toEqual(
        verdictOf(invoked)?.blocked ? [] : (answer.tool_calls ?? []).map((_call, index) => index),
      );
      expect(bare(join(chunks) as unknown as AIMessage)).toEqual(bare(invoked as unknown as AIMessage));
    });

    it.each<[string, ServerReply]>([
      ["text", { text: "a fine answer of several words" }],
      ["a blocked text", { text: "a long and bad answer" }],
      [
        "tool calls",
        {
          toolCalls: [
            { name: "look", args: { q: "x" } },
            { name: "look", args: { q: "y" } },
          ],
        },
      ],
    ])("of a provider over HTTP: %s", async (_, reply) => {
      await using server = await scriptedServer([reply, reply]);
      const llm = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: server.url } });
      const guarded = (await realGuardrails()).wrap(llm);
      const invoked = await guarded.invoke("hi");
      const whole = join(await drain(await guarded.stream("hi"))) as unknown as AIMessage;
      expect(plain(whole)).toEqual(plain(invoked));
      expect(whole.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 5 });
      expect(names(whole)).toEqual(names(invoked));
    });

    const names = (answer: BaseMessage): unknown =>
      verdictOf(answer)?.decisions.map(({ rail, status }) => [rail, status]);
  });
});

describe("steps in LCEL", () => {
  const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
  const rails = { input: strictRail, output: strictRail };

  async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
    const chunks: T[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  }

  async function* pieces<T>(...values: T[]): AsyncGenerator<T> {
    yield* values;
  }

  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, inner: unknown) => (key === "id" || key === "lc_kwargs" ? undefined : inner)),
    );

  describe("every way of calling agrees", () => {
    const { guardrails } = fakeGuardrails(rails);
    const chain = prompt.pipe(scriptedModel("call 5")).pipe(new StringOutputParser());
    const objects = RunnableLambda.from((_input: { q: string }) => ({ answer: "call 5", other: [1] }));

    it.each<[string, Runnable]>([
      ["a guarded model", prompt.pipe(guardrails.wrap(scriptedModel("call 5")))],
      ["a guarded chain of text", guardrails.wrap(chain, { inputKey: "q" })],
      ["a guarded chain of objects", guardrails.wrap(objects, { inputKey: "q" })],
      ["an output step after text", chain.pipe(guardrails.output())],
      ["an output step after a message", prompt.pipe(scriptedModel("call 5")).pipe(guardrails.output())],
      ["an output step after objects", objects.pipe(guardrails.output())],
      ["guardrails in a pipe", chain.pipe(guardrails)],
    ])("%s", async (_, runnable) => {
      const input = { q: "hi" };
      const invoked: unknown = await runnable.invoke(input);
      expect(plain(invoked)).not.toEqual(expect.stringContaining("5"));
      const [batched] = (await runnable.batch([input])) as unknown[];
      const streamed = await drain(await runnable.stream(input));
      const transformed = await drain(runnable.transform(pieces(input), {}));
      const events = await drain(runnable.streamEvents(input, { version: "v2" }));
      const last = events.findLast(({ event }) => event === "on_chain_end" || event === "on_chat_model_end");
      const text = (value: unknown): unknown => {
        const message = value as AIMessage;
        return AIMessage.isInstance(value) ? [message.content, verdictOf(message)?.blocked] : value;
      };
      for (const other of [batched, join(streamed), join(transformed), last?.data.output]) {
        expect(text(other)).toEqual(text(invoked));
      }
    });

    const join = (chunks: unknown[]): unknown =>
      chunks.reduce((whole, chunk) => concat(whole as never, chunk as never));
  });

  describe("LangChain's own wrappers around guarded runnables", () => {
    const { guardrails } = fakeGuardrails(rails);

    it("binds configuration, maps, and becomes a tool", async () => {
      const step = guardrails.output<string>().withConfig({ tags: ["x"], runName: "moderation" });
      expect(await step.invoke("bad")).toBe("REFUSED");
      const map = RunnableMap.from({
        verdict: guardrails.rail("output rail"),
        text: RunnableLambda.from((text: string) => text),
      });
      expect(await map.invoke("bad")).toMatchObject({ verdict: { status: "blocked" }, text: "bad" });
      const sequence = RunnableSequence.from([
        guardrails.input<{ q: string }>({ inputKey: "q" }),
        prompt,
        scriptedModel("ok"),
      ]);
      expect(await sequence.invoke({ q: "pin 1" })).toMatchObject({ content: "ok" });
    });

    it("is not retried after a violation if the retry handles it (T3)", async () => {
      let calls = 0;
      const { guardrails: counted } = fakeGuardrails({
        input: (text) => {
          calls += 1;
          return strictRail(text, undefined as never);
        },
      });
      const retried = counted.input<string>().withRetry({
        stopAfterAttempt: 3,
        onFailedAttempt: (error: unknown) => {
          if (GuardrailViolationError.isInstance(error)) throw error;
        },
      });
      await expect(retried.invoke("bad")).rejects.toThrow(GuardrailViolationError);
      expect(calls).toBe(1);
    });

    it("falls back inside the rails, so the fallback's response is checked too (T4)", async () => {
      const failing = scriptedModel([new Error("down")]);
      const inner = prompt.pipe(failing.withFallbacks([scriptedModel("bad answer")])).pipe(new StringOutputParser());
      expect(await guardrails.wrap(inner, { inputKey: "q" }).invoke({ q: "hi" })).toBe("REFUSED");
    });

    it("puts the verdict on exactly one chunk, so joining changes nothing (T10)", async () => {
      const chunks = await drain(
        await prompt
          .pipe(scriptedModel("a longer answer"))
          .pipe(guardrails.output<AIMessageChunk>())
          .stream({ q: "hi" }),
      );
      expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toHaveLength(1);
    });

    it("changes neither the wrapped runnable nor its wrapper (D11)", async () => {
      const model = new FakeListChatModel({ responses: ["a", "b"] });
      const before = JSON.stringify(Object.keys(model).sort());
      const first = guardrails.wrap(model);
      const second = guardrails.wrap(model);
      expect(first).not.toBe(second);
      expect(typeof first.bindTools).toBe("function");
      expect(JSON.stringify(Object.keys(model).sort())).toBe(before);
      await first.invoke("hi");
      expect((await model.invoke("hi")).content).toBe("b");
    });

    it("keeps a judge from ever seeing the bound tools", async () => {
      const model = scriptedModel(["judged", "answered"]);
      const { guardrails: judging, calls } = fakeGuardrails();
      await judging
        .wrap(model)
        .bindTools([{ type: "function", function: { name: "look", parameters: {} } }])
        .invoke("hi");
      await calls[0]?.options?.main?.generate({ kind: "text", text: "is this fine?" }, {}, {});
      expect(model.calls.map(({ options }) => options.tools !== undefined)).toEqual([true, false]);
    });
  });
});

import { describe, expect, it, jest } from "@jest/globals";
import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import {
  ConfigError,
  GuardrailsError,
  GuardrailViolationError,
  Guardrails,
  InputShapeError,
  verdictOf,
} from "../../src/index.js";
import { MemoryThreadStore } from "../../src/langchain/threads.js";
import { scriptedModel } from "../../src/testing/index.js";
import { drain, realGuardrails } from "../support/langchain/real-guardrails.js";
import { propertyRuns } from "../support/property-runs.js";
import { visibleJson } from "../support/langchain/visible-json.js";

const returning = <T>(value: T): RunnableLambda<unknown, T> => RunnableLambda.from((_input: unknown) => value);
const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };

describe("A1.1 the side decides", () => {
  const user: [string, unknown][] = [
    ["a message of the user", new HumanMessage("bad")],
    ["a tool's result", new ToolMessage({ content: "bad", tool_call_id: "1" })],
    ["a list that ends with the user", [new AIMessage("hi"), new HumanMessage("bad")]],
    ["a list that ends with a tool", [new HumanMessage("q"), new ToolMessage({ content: "bad", tool_call_id: "1" })]],
    ["messages in an object", { messages: [new HumanMessage("bad")] }],
    ["roles", { messages: [{ role: "user", content: "bad" }] }],
  ];
  const bot: [string, unknown, unknown][] = [
    ["a string", "bad", "REFUSED"],
    ["a message", new AIMessage("bad"), expect.objectContaining({ content: "REFUSED" })],
    ["a chunk", new AIMessageChunk("bad"), expect.objectContaining({ content: "REFUSED" })],
    ["answer", { answer: "bad" }, { answer: "REFUSED" }],
    ["output", { output: "bad" }, { output: "REFUSED" }],
    ["result", { result: "bad" }, { result: "REFUSED" }],
    ["text", { text: "bad" }, { text: "REFUSED" }],
  ];

  it.each(user)("user: %s", async (_, value) => {
    const guardrails = await realGuardrails({ llm: scriptedModel([]) });
    const reply = (await guardrails.invoke(value)) as BaseMessage | { messages: BaseMessage[] };
    // An object with messages returns one, so that guardrails can be a node of a graph.
    const result = ("messages" in reply ? reply.messages.at(-1) : reply) as BaseMessage;
    expect("messages" in reply).toBe(typeof value === "object" && value !== null && "messages" in value);
    expect([result.content, verdictOf(result)?.stage]).toEqual(["REFUSED", "input"]);
    expect((await guardrails.check(value)).guardrails.stage).toBe("input");
  });

  it("user: a prompt value", async () => {
    const guardrails = await realGuardrails({ llm: scriptedModel([]) });
    expect(await prompt.pipe(guardrails).invoke({ q: "bad" })).toMatchObject({ content: "REFUSED" });
  });

  it.each(bot)("bot: %s", async (_, value, expected) => {
    const guardrails = await realGuardrails();
    expect(await returning(value).pipe(guardrails).invoke("q")).toEqual(expected);
    expect((await guardrails.check(value)).guardrails.stage).toBe("output");
  });

  it.each<[string, unknown, RegExp]>([
    ["a number", 7, /a number/],
    ["null", null, /null/],
    ["nothing", undefined, /undefined/],
    ["an object with neither", { foo: 1, bar: "bad" }, /`foo`, `bar`/],
    ["an empty list", [], /empty array/],
  ])("neither: %s", async (_, value, named) => {
    const guardrails = await realGuardrails();
    const error: unknown = await guardrails.invoke(value).catch((thrown: unknown) => thrown);
    expect(InputShapeError.isInstance(error)).toBe(true);
    expect(String(error)).toMatch(named);
    expect(String(error)).toMatch(/outputKey|pass /);
  });
});

describe("A1.3 same type in, same type out, in invoke, batch and stream, blocked or not", () => {
  const chunk = (content: string): AIMessageChunk =>
    new AIMessageChunk({ content, id: "m", usage_metadata: usage, response_metadata: { model_name: "x" } } as never);
  const shapes: [string, (text: string) => unknown, (value: never) => unknown][] = [
    ["string", (text) => text, (value) => value],
    ["object", (text) => ({ answer: text, question: "q" }), (value: { answer: string }) => value.answer],
    ["message", (text) => new AIMessage({ content: text, id: "m" }), (value: BaseMessage) => value.content],
    ["chunk", chunk, (value: BaseMessage) => value.content],
    [
      "messages",
      (text) => [new HumanMessage("q"), new AIMessage(text)],
      (value: BaseMessage[]) => value.at(-1)?.content,
    ],
  ];
  const texts: [string, string][] = [
    ["fine", "fine"],
    ["call 5", "call *"],
    ["bad", "REFUSED"],
  ];

  it.each(shapes.flatMap(([name, make, read]) => texts.map(([text, then]) => [name, text, then, make, read] as const)))(
    "%s of `%s` becomes `%s`",
    async (_, text, then, make, read) => {
      const guardrails = await realGuardrails();
      const given = make(text);
      for (const runnable of [guardrails.wrap(returning(given)), returning(given).pipe(guardrails.output())]) {
        const results: unknown[] = [
          await runnable.invoke("q"),
          ...(await runnable.batch(["q"])),
          ...(await drain(await runnable.stream("q"))),
        ];
        expect(results).toHaveLength(3);
        for (const result of results) {
          expect(read(result as never)).toBe(then);
          expect((result as object).constructor).toBe((given as object).constructor);
          if (given instanceof AIMessage) expect((result as AIMessage).id).toBe("m");
          if (AIMessageChunk.isInstance(given)) expect((result as AIMessage).usage_metadata).toEqual(usage);
        }
      }
    },
  );
});

describe("faults seen in other guards", () => {
  it("D1 a wrapped runnable that returns a message cannot bypass output rails", async () => {
    const guardrails = await realGuardrails();
    const call = { name: "f", args: { text: "bad" }, id: "1" };
    const message = new AIMessage({ content: "bad answer", tool_calls: [call] });
    for (const value of [message, [message], { messages: [message] }, { output: { answer: message } }]) {
      const result = JSON.stringify(await guardrails.wrap(returning(value as unknown)).invoke("q"));
      expect(result).toContain("REFUSED");
      expect(result).not.toContain("bad");
    }
    await expect(guardrails.wrap(returning({ reply: message })).invoke("q")).rejects.toThrow(InputShapeError);
  });

  it.each<[string, unknown, { outputKey?: string }]>([
    ["a string", "bad answer", {}],
    ["strings", ["fine", "bad answer"], {}],
    ["an object under its own key", { reply: "bad answer" }, { outputKey: "reply" }],
    ["a nested object", { output: { answer: { text: "bad answer" } } }, {}],
    ["messages in an object", { messages: [new HumanMessage("q"), new AIMessage("bad answer")] }, {}],
    ["content blocks", new AIMessage({ content: [{ type: "text-plain", text: "bad answer" }] as never }), {}],
  ])("D1 not in any shape: %s", async (_, value, options) => {
    const guardrails = await realGuardrails();
    const guarded = guardrails.wrap(returning(value), options);
    for (const result of [await guarded.invoke("q"), ...(await drain(await guarded.stream("q")))]) {
      expect(JSON.stringify(result)).toContain("REFUSED");
      expect(visibleJson(result)).not.toContain("bad");
    }
  });

  it("D1 not in the arguments of a call that is the response", async () => {
    const guardrails = await realGuardrails();
    const call = { name: "answer", args: { text: "bad answer" }, id: "1" };
    const model = scriptedModel(new AIMessage({ content: "", tool_calls: [call] }));
    const schema = { type: "function", function: { name: "answer", parameters: {} } };
    const bound = guardrails.wrap(model).bindTools([schema], { tool_choice: "any" });
    for (const result of [await bound.invoke("q"), ...(await drain(await bound.stream("q")))]) {
      expect(result).toMatchObject({ content: "REFUSED", tool_calls: [] });
      expect(visibleJson(result)).not.toContain("bad");
    }
  });

  it("D2 the blocked text does not stay next to the refusal", async () => {
    const guardrails = await realGuardrails();
    const value = { answer: "bad answer", raw: ["bad answer"], context: ["bad answer is in a document"] };
    expect(await guardrails.wrap(returning(value)).invoke("q")).toEqual({ answer: "REFUSED", context: [] });
    const kept = await guardrails.wrap(returning(value), { keepContext: true }).invoke("q");
    expect(kept).toEqual({ answer: "REFUSED", context: value.context });
  });

  it("D3 parallel calls never run with another caller's config", async () => {
    const seen = new Map<string, string[]>();
    const note = (own: string, text: unknown): void => void seen.set(own, [...(seen.get(own) ?? []), String(text)]);
    const guardrails = await realGuardrails({
      input: ["check words"],
      output: ["check answer"],
      onCheck: (text, context) => {
        const { runnableConfig } = context as { runnableConfig: { metadata?: { own?: string } } };
        note(`action:${runnableConfig.metadata?.own}`, text);
      },
    });
    const chain = guardrails.wrap(
      RunnableLambda.from(async (text: string, config) => {
        await new Promise((resolve) => setImmediate(resolve));
        note(`chain:${String(config.metadata?.["own"])}:${String(config.configurable?.["thread_id"])}`, text);
        return `${text}!`;
      }),
    );
    // Every fourth call has a listener of its own; events of other calls would reach it under its name.
    const listenerOf = (own: string): CallbackHandlerMethods => ({
      handleChainStart: (_serialized, inputs, _id, _parent, _tags, metadata) =>
        note(`run:${own}`, `${String(metadata?.["own"])}/${String(inputs["input"] ?? own).replace("!", "")}`),
    });
    const names = Array.from({ length: propertyRuns(40) }, (_, index) =>
      [...String(index)].map((digit) => "klmnopqrst"[Number(digit)]).join(""),
    );
    const results = await Promise.all(
      names.map((own, index) =>
        chain.invoke(own, {
          metadata: { own },
          configurable: { thread_id: own },
          ...(index % 4 === 0 ? { callbacks: [listenerOf(own)] } : {}),
        }),
      ),
    );
    for (const [index, own] of names.entries()) {
      expect(results[index]).toBe(`${own}!`);
      expect(seen.get(`action:${own}`)).toEqual([own, `${own}!`]);
      expect(seen.get(`chain:${own}:${own}`)).toEqual([own]);
      if (index % 4 === 0) expect(new Set(seen.get(`run:${own}`))).toEqual(new Set([`${own}/${own}`]));
    }
  }, 20_000);

  it("D4 consecutive user messages and tool results are all checked", async () => {
    const guardrails = await realGuardrails();
    const model = scriptedModel([]);
    const asks = new AIMessage({ content: "", tool_calls: [{ name: "f", args: {}, id: "1" }] });
    for (const messages of [
      [new HumanMessage("bad"), new HumanMessage("nice")],
      [new HumanMessage("q"), asks, new ToolMessage({ content: "bad", tool_call_id: "1" })],
      [new HumanMessage("q"), asks, new ToolMessage({ content: "bad", tool_call_id: "1" }), new HumanMessage("so?")],
      [
        new HumanMessage({
          content: [
            { type: "text", text: "nice" },
            { type: "text-plain", text: "bad" },
          ] as never,
        }),
      ],
    ]) {
      expect((await guardrails.wrap(model).invoke(messages)).content).toBe("REFUSED");
      await expect(guardrails.input<BaseMessage[]>().invoke(messages)).rejects.toThrow(GuardrailViolationError);
    }
  });

  it("D5 a guard without rails warns when it is loaded", async () => {
    const guardrails = await Guardrails.fromConfig({ yaml: "models: []" });
    expect(guardrails.warnings.map(({ message }) => message).join("\n")).toMatch(/no rails|nothing|unguarded/i);
  });

  it("D8 callbacks are called, exceptions returned, and streams of chains work", async () => {
    const guardrails = await realGuardrails({ onBlocked: "throw" });
    const starts: string[] = [];
    const chain = guardrails.wrap(prompt.pipe(scriptedModel(["a", "b"])).pipe(new StringOutputParser()), {
      inputKey: "q",
    });
    const config = {
      callbacks: [
        { handleChatModelStart: (_m: unknown, lists: BaseMessage[][]) => void starts.push(lists[0]?.[0]?.text ?? "") },
      ],
    };
    const results = await chain.batch([{ q: "x" }, { q: "bad" }], config, { returnExceptions: true });
    expect(results[0]).toBe("a");
    expect(GuardrailViolationError.isInstance(results[1])).toBe(true);
    expect(await drain(await chain.stream({ q: "y" }, config))).toEqual(["b"]);
    expect(starts).toEqual(["x", "y"]);
  });

  it("D8 typed fallbacks run, and retries try again", async () => {
    const guardrails = await realGuardrails();
    const failing = guardrails.wrap(prompt.pipe(scriptedModel([new Error("down")])), { inputKey: "q" });
    const other = guardrails.wrap(prompt.pipe(scriptedModel(["call 5"])), { inputKey: "q" });
    expect(await failing.withFallbacks([other]).invoke({ q: "x" })).toMatchObject({ content: "call *" });
    let attempts = 0;
    const flaky = RunnableLambda.from((_input: { q: string }) => {
      attempts += 1;
      if (attempts === 1) throw new Error("down");
      return "fine";
    });
    jest.useFakeTimers();
    try {
      const running = guardrails.wrap(flaky, { inputKey: "q" }).withRetry({ stopAfterAttempt: 2 }).invoke({ q: "x" });
      await jest.advanceTimersByTimeAsync(10_000);
      expect([await running, attempts]).toEqual(["fine", 2]);
    } finally {
      jest.useRealTimers();
    }
  });

  it("D10 a block changes no type, and messages and prompt values are accepted", async () => {
    const guardrails = await realGuardrails();
    const echo = RunnableLambda.from((value: { toChatMessages?(): BaseMessage[] } | BaseMessage[]) => {
      const messages = Array.isArray(value) ? value : (value.toChatMessages?.() ?? []);
      return { answer: messages.at(-1)?.text ?? "", context: ["x"] };
    });
    const guarded = guardrails.wrap(echo as Runnable, { outputKey: "answer" });
    expect(await guarded.invoke([new HumanMessage("pin 1")])).toEqual({ answer: "pin *", context: ["x"] });
    expect(await prompt.pipe(guarded).invoke({ q: "pin 1" })).toEqual({ answer: "pin *", context: ["x"] });
    expect(await prompt.pipe(guarded).invoke({ q: "bad" })).toEqual({ answer: "REFUSED" });
  });

  it("D11 one guard in two branches guards each with its own chain", async () => {
    const guardrails = await realGuardrails();
    const left = returning("left 1").pipe(guardrails.output());
    const right = returning("bad").pipe(guardrails.output());
    expect(await Promise.all([left.invoke(0), right.invoke(0), left.invoke(0)])).toEqual([
      "left *",
      "REFUSED",
      "left *",
    ]);
    const [one, two] = [guardrails.wrap(scriptedModel("one")), guardrails.wrap(scriptedModel("two"))];
    expect([(await one.invoke("q")).content, (await two.invoke("q")).content]).toEqual(["one", "two"]);
  });

  it.each(["Not safe.", "No, this is unsafe", "It is not harmless", "perhaps", ""])(
    "D12 the verdict `%s` is not read as safe",
    async (verdict) => {
      const llm = scriptedModel(Array.from({ length: 3 }, () => verdict));
      const guardrails = await Guardrails.fromConfig(
        {
          config: {
            rails: { input: { flows: ["self check input"] } },
            prompts: [
              { task: "self_check_input", content: "Is this safe? {{ user_input }}", output_parser: "is_content_safe" },
            ],
          },
        },
        { llm },
      );
      const result = await guardrails.rail("self check input").invoke("hello");
      expect(["blocked", "error"]).toContain(result.status);
    },
  );

  it.each([
    ["rials:\n  input:\n    flows: [x]", "rails"],
    ["rails:\n  inptu:\n    flows: [x]", "input"],
    ["rails:\n  input:\n    flow: [x]", "flows"],
    ["rails:\n  input:\n    flows: [self chek input]", "self check input"],
  ])("D13 the typo in `%s` is an error that suggests `%s`", async (yaml, suggestion) => {
    const error: unknown = await Guardrails.fromConfig({ yaml }, { llm: scriptedModel([]) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(ConfigError.isInstance(error) || GuardrailsError.isInstance(error)).toBe(true);
    expect(String(error)).toContain(suggestion);
    expect(String(error)).toMatch(/:\d+:\d+/);
  });

  it("D17 the verdict reaches the caller by every channel", async () => {
    const decided: string[] = [];
    const custom: unknown[] = [];
    const guardrails = await realGuardrails({
      onDecision: ({ rail, status }) => void decided.push(`${rail} ${status}`),
    });
    const guarded = guardrails.wrap(scriptedModel("bad"));
    const callbacks = [
      { handleCustomEvent: (name: string, data: { rail: string }) => void custom.push([name, data.rail]) },
    ];
    const result = await guarded.invoke("hi", { callbacks: callbacks as never });
    expect(verdictOf(result)).toMatchObject({ blocked: true, stage: "output", rail: "check answer" });
    expect(decided).toEqual(["check words passed", "hide digits passed", "check answer blocked"]);
    expect(custom).toEqual(["check words", "hide digits", "check answer"].map((rail) => ["guardrails.decision", rail]));
    const object = guardrails.wrap(returning({ answer: "bad" }), { verdictKey: "verdict" });
    expect(await object.invoke("q")).toMatchObject({ verdict: { blocked: true, rail: "check answer" } });
    expect((await guardrails.check("bad")).guardrails).toMatchObject({ blocked: true, rail: "check answer" });
    expect((await guardrails.generate([{ role: "user", content: "bad" }])).guardrails.blocked).toBe(true);
  });

  it("D18 content blocks stay blocks", async () => {
    const guardrails = await realGuardrails();
    const model = scriptedModel(["ok"]);
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const message = new HumanMessage({ content: [{ type: "text", text: "pin 1" }, image] });
    await guardrails.wrap(model).invoke([message]);
    expect(model.calls[0]?.messages[0]?.content).toEqual([{ type: "text", text: "pin *" }, image]);
  });

  it("D19 conversations are stored by thread, within a limit, and never without a thread", async () => {
    const threads = new MemoryThreadStore({ max: 3 });
    const sets: string[] = [];
    const watched = {
      get: (id: string) => threads.get(id),
      set: (id: string, ...rest: [never, never]) => (sets.push(id), threads.set(id, ...rest)),
      delete: (id: string) => threads.delete(id),
    };
    const guardrails = await realGuardrails({ threads: watched as never });
    const guarded = guardrails.wrap(scriptedModel("ok"));
    await guarded.invoke("hi");
    expect(sets).toEqual([]);
    for (const thread_id of ["a", "b", "c", "d"]) await guarded.invoke("hi", { configurable: { thread_id } });
    expect(sets).toEqual(["a", "b", "c", "d"]);
    expect(["a", "b", "c", "d"].filter((id) => threads.get(id) !== undefined)).toEqual(["b", "c", "d"]);
  });

  it("D20 a turn does the same work however long the conversation is", async () => {
    const perTurn: number[] = [];
    let checks = 0;
    const guardrails = await realGuardrails({ onCheck: () => void (checks += 1) });
    const guarded = guardrails.wrap(scriptedModel("ok"));
    const messages: BaseMessage[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      messages.push(new HumanMessage("hi"));
      const before = checks;
      messages.push(await guarded.invoke(messages, { configurable: { thread_id: "long" } }));
      perTurn.push(checks - before);
    }
    expect(new Set(perTurn)).toEqual(new Set([2]));
  });

  it("D20 a stored conversation has a size limit too", async () => {
    const threads = new MemoryThreadStore();
    const guarded = (await realGuardrails({ threads })).wrap(scriptedModel("ok"));
    const sizes: number[] = [];
    // The stored steps of flows are those of this number of turns.
    const full = 204;
    for (let turn = 0; turn <= full + 10; turn += 1) {
      await guarded.invoke("hi", { configurable: { thread_id: "long" } });
      sizes.push(JSON.stringify(threads.get("long")).length);
    }
    expect(sizes[20]).toBeGreaterThan(sizes[10] ?? 0);
    // Counters may get a digit longer.
    expect((sizes[full + 10] ?? 0) - (sizes[full] ?? 0)).toBeLessThan(50);
  });
});

import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { concat } from "@langchain/core/utils/stream";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatOpenAI } from "@langchain/openai";
import { GuardrailViolationError } from "../../../src/langchain/blocked.js";
import { verdictOf } from "../../../src/langchain/verdict.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import type { Guardrails } from "../../../src/index.js";
import {
  chatModelContract,
  type ModelRequest,
  type ModelUnderTest,
  scriptedServer,
  type ServerReply,
  type ServerRequest,
} from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

describe("the guarded chat model", () => {
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };

  async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
    const chunks: T[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  }

  describe("a guarded chat model", () => {
    it("keeps the model's own message when its text passed", async () => {
      const answer = new AIMessage({
        content: "fine",
        id: "m1",
        usage_metadata: usage,
        response_metadata: { model_name: "x" },
      } as unknown as AIMessageFields);
      const model = scriptedModel([answer]);
      const { guardrails } = fakeGuardrails({ input: strictRail, output: strictRail });
      const result = await guardrails.wrap(model).invoke("hi");
      expect(result).toMatchObject({ content: "fine", id: "m1", usage_metadata: usage });
      expect(result.response_metadata).toMatchObject({ model_name: "x", guardrails: { blocked: false } });
      expect(verdictOf(result)?.decisions.map((decision) => decision.status)).toEqual(["passed", "passed"]);
      expect(answer.response_metadata).not.toHaveProperty("guardrails");
    });

    it("never sends the model a blocked message", async () => {
      const model = scriptedModel([]);
      const { guardrails } = fakeGuardrails({ input: strictRail });
      const result = await guardrails.wrap(model).invoke("bad words");
      expect(result.content).toBe("REFUSED");
      expect(AIMessageChunk.isInstance(result)).toBe(true);
      expect(verdictOf(result)).toMatchObject({ blocked: true, stage: "input", rail: "input rail" });
      expect(model.calls).toHaveLength(0);
    });

    it("passes on the caller's messages with the user's text rewritten", async () => {
      const model = scriptedModel(["ok"]);
      const { guardrails } = fakeGuardrails({ input: strictRail });
      const system = new SystemMessage("be kind");
      const user = new HumanMessage({
        content: [
          { type: "text", text: "pin 123" },
          { type: "image_url", image_url: "x" },
        ],
        id: "u",
      });
      await guardrails.wrap(model).invoke([system, user]);
      const sent = model.calls[0]?.messages ?? [];
      expect(sent[0]).toBe(system);
      expect(sent[1]).toMatchObject({ id: "u", content: [{ type: "text", text: "pin ***" }, user.content[1]] });
      expect(user.content[0]).toEqual({ type: "text", text: "pin 123" });
    });

    it("checks and rewrites every user message without a response yet (D4)", async () => {
      const model = scriptedModel(["ok"]);
      const { guardrails } = fakeGuardrails({ input: strictRail });
      const earlier = new HumanMessage("code 1 of an old turn");
      const messages = [earlier, new AIMessage("noted"), new HumanMessage("pin 1"), new HumanMessage("pin 2")];
      await guardrails.wrap(model).invoke(messages);
      expect(model.calls[0]?.prompt).toBe("human: code 1 of an old turn\nai: noted\nhuman: pin *\nhuman: pin *");
      expect(model.calls[0]?.messages[0]).toBe(earlier);
      const blocked = await guardrails.wrap(model).invoke([new HumanMessage("bad"), new HumanMessage("nice")]);
      expect(blocked.content).toBe("REFUSED");
    });

    it("checks tool results and passes them to no flow (D4)", async () => {
      const model = scriptedModel(["It says *."]);
      const { guardrails, calls } = fakeGuardrails({ input: strictRail, says: { "result *": "a flow" } });
      const call = new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "1" }] });
      const loop = (text: string): BaseMessage[] => [
        new HumanMessage("look up 5"),
        call,
        new ToolMessage({ content: text, tool_call_id: "1" }),
      ];
      const result = await guardrails.wrap(model).invoke(loop("result 7"));
      expect(result.content).toBe("It says *.");
      expect(model.calls[0]?.prompt).toBe("human: look up *\nai: \ntool: result *");
      expect(calls.map(({ method }) => method)).not.toContain("turn");
      expect((await guardrails.wrap(model).invoke(loop("bad result"))).content).toBe("REFUSED");
    });

    it("puts a refusal in the place of a blocked response and nothing else (D1)", async () => {
      const answer = new AIMessage({
        content: "bad answer",
        id: "m1",
        usage_metadata: usage,
        tool_calls: [{ name: "f", args: { text: "bad answer" }, id: "1" }],
        additional_kwargs: { raw: "bad answer" },
        response_metadata: { output: [{ text: "bad answer" }] },
      } as never);
      const { guardrails } = fakeGuardrails({ output: strictRail });
      const result = await guardrails.wrap(scriptedModel([answer])).invoke("hi");
      expect(result).toMatchObject({ content: "REFUSED", id: "m1", usage_metadata: usage, tool_calls: [] });
      expect(JSON.stringify(result)).not.toContain("bad answer");
      expect(verdictOf(result)?.stage).toBe("output");
    });

    it("removes the old text from the metadata of a rewritten response", async () => {
      const answer = new AIMessage({ content: "call 555", response_metadata: { raw: "call 555", model_name: "x" } });
      const { guardrails } = fakeGuardrails({ output: strictRail });
      const result = await guardrails.wrap(scriptedModel([answer])).invoke("hi");
      expect(result.content).toBe("call ***");
      expect(result.response_metadata).toMatchObject({ model_name: "x" });
      expect(visibleJson(result)).not.toContain("555");
    });

    it("passes a message that only calls tools", async () => {
      const call = new AIMessage({ content: "", tool_calls: [{ name: "look", args: { q: "x" }, id: "1" }], id: "m" });
      const model = scriptedModel([call]);
      const { guardrails } = fakeGuardrails({ input: strictRail, output: strictRail });
      const tool = { type: "function", function: { name: "look", parameters: {} } };
      const result = await guardrails.wrap(model).bindTools([tool]).invoke("hi");
      expect(result).toMatchObject({ tool_calls: call.tool_calls, id: "m" });
      expect(model.calls[0]?.options.tools).toEqual([tool]);
    });

    it("emits the utterance of a flow", async () => {
      const model = scriptedModel([]);
      const { guardrails } = fakeGuardrails({ says: { hi: "Hello from a flow" } });
      expect((await guardrails.wrap(model).invoke("hi")).content).toBe("Hello from a flow");
    });

    it("uses the configuration's prompts if passthrough is off", async () => {
      const model = scriptedModel(["ok"]);
      const { guardrails } = fakeGuardrails({ passthrough: false });
      await guardrails.wrap(model).invoke([new SystemMessage("mine"), new HumanMessage("hi")]);
      expect(model.calls[0]?.prompt).toBe("human: hi");
    });

    it("streams one reviewed chunk, with one verdict, that equals the invoked message", async () => {
      const { guardrails } = fakeGuardrails({ output: strictRail });
      const answer = new AIMessage({ content: "a 1", id: "m", tool_calls: [{ name: "f", args: { a: 1 }, id: "t" }] });
      const chunks = await collect(await guardrails.wrap(scriptedModel([answer])).stream("hi"));
      const whole = chunks.reduce((joined, chunk) => concat(joined, chunk));
      expect(whole).toMatchObject({ content: "a *", id: "m", tool_calls: [{ name: "f", args: { a: 1 }, id: "t" }] });
      expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toHaveLength(1);
    });

    it("shows no raw token to token handlers, stream events and their like", async () => {
      const seen: string[] = [];
      const handler = { handleLLMNewToken: (token: string) => void seen.push(token) };
      const { guardrails } = fakeGuardrails({ output: strictRail });
      const guarded = guardrails.wrap(scriptedModel("bad answer"));
      await collect(await guarded.stream("hi", { callbacks: [handler] }));
      expect(seen.join("")).toBe("REFUSED");
      const events = await collect(guarded.streamEvents("hi", { version: "v2" }));
      // Run ids are hexadecimal and may well spell it.
      const emitted = JSON.stringify(events).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
      expect(emitted).not.toContain("bad");
      expect(emitted).toContain("REFUSED");
    });

    it("emits raw tokens if configured", async () => {
      const seen: string[] = [];
      const prefers = {
        name: "pusher",
        lc_prefer_streaming: true,
        handleLLMNewToken: (token: string) => void seen.push(token),
      };
      const { guardrails } = fakeGuardrails({ output: strictRail, rawTokens: "allow" });
      await guardrails.wrap(scriptedModel("bad answer")).invoke("hi", { callbacks: [prefers as never] });
      expect(seen.join("")).toContain("bad");
    });

    it("passes thread, signal, metadata and call options on", async () => {
      const model = scriptedModel(["ok"]);
      const { guardrails, calls } = fakeGuardrails();
      const controller = new AbortController();
      await guardrails.wrap(model).invoke("hi", {
        configurable: { thread_id: "t1" },
        metadata: { tenant: "a" },
        tags: ["mine"],
        signal: controller.signal,
        stop: ["END"],
        rails: { output: false },
      });
      const config = calls[0]?.options?.config;
      expect(config?.configurable).toMatchObject({ thread_id: "t1" });
      expect(config?.metadata).toMatchObject({ tenant: "a" });
      expect(config?.signal).toBeDefined();
      expect(calls[0]?.options?.rails).toEqual({ output: false });
      expect(model.calls[0]?.options.stop).toEqual(["END"]);
      expect(model.calls[0]?.options).not.toHaveProperty("rails");
    });

    it("throws, or lets the caller decide, by `onBlocked`", async () => {
      const { guardrails } = fakeGuardrails({ input: strictRail });
      const thrown = await guardrails
        .wrap(scriptedModel([]), { onBlocked: "throw" })
        .invoke("bad words")
        .catch((error: unknown) => error);
      expect(GuardrailViolationError.isInstance(thrown)).toBe(true);
      expect(JSON.stringify(thrown) + String(thrown)).not.toContain("bad words");
      const own = guardrails.wrap(scriptedModel([]), { onBlocked: (decision) => `no: ${decision.rail}` });
      expect((await own.invoke("bad")).content).toBe("no: input rail");
    });

    it("reports the model's own error instead of an apology", async () => {
      const failure = new Error("provider is down");
      const { guardrails } = fakeGuardrails();
      await expect(guardrails.wrap(scriptedModel([failure])).invoke("hi")).rejects.toBe(failure);
    });

    it("works in a chain like any model, and in two chains at once (D11)", async () => {
      const { guardrails } = fakeGuardrails({ input: strictRail });
      const prompt = ChatPromptTemplate.fromMessages([["human", "{question}"]]);
      const first = prompt.pipe(guardrails.wrap(scriptedModel("one"))).pipe(new StringOutputParser());
      const second = prompt.pipe(guardrails.wrap(scriptedModel("two"))).pipe(new StringOutputParser());
      expect(await first.invoke({ question: "hi" })).toBe("one");
      expect(await second.invoke({ question: "hi" })).toBe("two");
      expect(await first.invoke({ question: "bad" })).toBe("REFUSED");
    });

    it.each([null, undefined, 5, {}, new Map(), new HumanMessage("hi")])(
      "refuses the input %p with the shapes that a model takes",
      async (input) => {
        const { guardrails } = fakeGuardrails({ input: strictRail });
        const guarded = guardrails.wrap(scriptedModel([]));
        const calls = [
          () => guarded.invoke(input as never),
          () => guarded.invoke(input as never, { callbacks: [{ handleLLMStart: () => undefined }] }),
          async () => collect(await guarded.stream(input as never)),
          () => guarded.batch([input as never]),
        ];
        for (const call of calls) {
          await expect(call()).rejects.toMatchObject({ name: "InputShapeError" });
        }
      },
    );
  });
});

describe("the contract of chat models", () => {
  type Guard = (model: BaseChatModel) => BaseChatModel;
  const bare: Guard = (model) => model;
  const passing: Partial<Parameters<typeof realGuardrails>[0]> = { input: ["check words"], output: ["check answer"] };
  // Modules may be loaded while a test runs, and not before.
  let guards: Promise<Guardrails> | undefined;
  const guarded = async (): Promise<Guard> => {
    const guardrails = await (guards ??= realGuardrails(passing));
    return (model) => guardrails.wrap(model);
  };

  function toMessage({ text, toolCalls = [], usage, error }: ServerReply): AIMessage | Error {
    if (error !== undefined) return new Error(String(error["message"]));
    return new AIMessage({
      content: text ?? "",
      tool_calls: toolCalls.map(({ name, args }, index) => ({ name, args: { ...args }, id: `call_${index + 1}` })),
      ...(usage === undefined
        ? {}
        : {
            usage_metadata: {
              input_tokens: usage.prompt,
              output_tokens: usage.completion,
              total_tokens: usage.prompt + usage.completion,
            },
          }),
    } as unknown as AIMessageFields);
  }

  const contentOf = ({ content, text }: BaseMessage): unknown => (typeof content === "string" ? text : content);

  function overScript(guard: Guard, replies: readonly ServerReply[]): ModelUnderTest {
    const scripted = scriptedModel(
      replies.map((reply) => async () => {
        await reply.gate;
        return toMessage(reply);
      }),
    );
    const toolName = (bound: unknown): string => {
      const { name, function: described } = bound as { name?: string; function?: { name: string } };
      return described?.name ?? name ?? "";
    };
    return {
      model: guard(scripted),
      requests: () =>
        scripted.calls.map(({ messages, options }) => ({
          messages: messages.map((message) => ({ role: message.getType(), content: contentOf(message) })),
          tools: (options.tools ?? []).map(toolName),
          stop: options.stop ?? [],
        })),
    };
  }

  const ROLES: Readonly<Record<string, string>> = { user: "human", assistant: "ai", tool: "tool", system: "system" };

  function readRequest({ body }: ServerRequest): ModelRequest {
    const { messages, tools, stop } = body as {
      messages: { role: string; content: unknown }[];
      tools?: { function: { name: string } }[];
      stop?: string | string[];
    };
    return {
      messages: messages.map(({ role, content }) => ({ role: ROLES[role] ?? role, content })),
      tools: (tools ?? []).map((bound) => bound.function.name),
      stop: [stop ?? []].flat(),
    };
  }

  async function overHttp(guard: Guard, replies: readonly ServerReply[]): Promise<ModelUnderTest> {
    const server = await scriptedServer(replies);
    const configuration = { baseURL: server.url };
    const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", maxRetries: 0, streamUsage: true, configuration });
    return { model: guard(model), requests: () => server.requests.map(readRequest), close: () => server.close() };
  }

  describe.each<[string, () => Guard | Promise<Guard>]>([
    ["a bare model, as a control", () => bare],
    ["a guarded model", guarded],
  ])("the contract of chat models: %s", (_, guard) => {
    describe("of a script", () => {
      const create = async (replies: readonly ServerReply[]) => overScript(await guard(), replies);
      it.each(chatModelContract({ create }))("$name", ({ run }) => run());
    });

    describe("ChatOpenAI over HTTP", () => {
      const create = async (replies: readonly ServerReply[]) => overHttp(await guard(), replies);
      it.each(chatModelContract({ create }))("$name", ({ run }) => run());
    });
  });

  describe("the contract reports a model that breaks it", () => {
    const broken: [string, RegExp, (model: BaseChatModel) => unknown][] = [
      [
        "streams a part only",
        /^stream: the chunks join/,
        (model) => ({ stream: async () => (await drain(await model.stream("hi"))).slice(1) }),
      ],
      ["forgets stop sequences", /^options: stop/, (model) => ({ invoke: (input: string) => model.invoke(input) })],
      ["forgets tools", /^tools: are sent/, (model) => ({ bindTools: () => model })],
      [
        "swallows errors",
        /^errors: of the provider/,
        (model) => ({ invoke: () => model.invoke("hi").catch(() => "") }),
      ],
    ];

    it.each(broken)("%s", async (_, pattern, flaw) => {
      const create = (replies: readonly ServerReply[]): ModelUnderTest => {
        const subject = overScript(bare, replies);
        const { model } = subject;
        const original = Object.assign(Object.create(model) as BaseChatModel, {
          invoke: model.invoke.bind(model),
          stream: model.stream.bind(model),
        });
        return { ...subject, model: Object.assign(model, flaw(original)) };
      };
      const found = chatModelContract({ create }).filter(({ name }) => pattern.test(name));
      expect(found).toHaveLength(1);
      await expect(found[0]?.run()).rejects.toThrow(/expected|hold/);
    });
  });
});

import { afterEach, describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { FakeListChatModel, FakeLLM, FakeStreamingLLM } from "@langchain/core/utils/testing";
import { ChatOpenAI } from "@langchain/openai";
import { initChatModel } from "langchain/chat_models/universal";
import { PromptTemplate } from "@langchain/core/prompts";
import { Guardrails, GuardrailViolationError } from "langchain-guardrails";
import { ModelError } from "../../../src/diagnostics/errors.js";
import { adaptModel } from "../../../src/langchain/models/chat-model.js";
import { traitsOf } from "../../../src/langchain/models/model-traits.js";
import type { LanguageModel, ModelParameters } from "../../../src/llm/model.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { scriptedServer, type ScriptedServer, type ServerScript } from "../../../src/testing/scripted-server.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

describe("adapters of chat models", () => {
  const servers: ScriptedServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function serve(script: ServerScript): Promise<ScriptedServer> {
    const server = await scriptedServer(script);
    servers.push(server);
    return server;
  }

  const openAI = (server: ScriptedServer, fields: object = {}): ChatOpenAI =>
    new ChatOpenAI({
      model: "gpt-4o-mini",
      apiKey: "none",
      maxRetries: 0,
      configuration: { baseURL: server.url },
      ...fields,
    });

  const ask = (model: LanguageModel, parameters: ModelParameters = {}, text = "hi") =>
    model.generate(
      {
        kind: "messages",
        messages: [
          { type: "system", content: "s" },
          { type: "user", content: text },
        ],
      },
      parameters,
      {},
    );

  describe("the adapter over a real client", () => {
    it("sends parameters and reads text, usage and message", async () => {
      const server = await serve([{ text: "fine END more", usage: { prompt: 7, completion: 2 } }]);
      const completion = await ask(adaptModel(openAI(server)), { temperature: 0, maxTokens: 3, stop: ["END"] });
      expect(completion).toMatchObject({
        text: "fine ",
        usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
      });
      expect(completion.message?.content).toBe("fine ");
      expect(server.requests[0]?.body).toMatchObject({
        model: "gpt-4o-mini",
        temperature: 0,
        max_tokens: 3,
        stop: ["END"],
        messages: [
          { role: "system", content: "s" },
          { role: "user", content: "hi" },
        ],
      });
    });

    it("never mixes the parameters of concurrent calls, and never changes the model", async () => {
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => (open = resolve));
      const server = await serve((request) => {
        if (server.requests.length === 40) open();
        const { temperature, messages } = request.body as { temperature: number; messages: { content: string }[] };
        return { text: `${String(temperature)} for ${messages[1]?.content}`, gate };
      });
      const native = openAI(server, { temperature: 0.9 });
      const model = adaptModel(native);
      const temperatures = [0, 0.25, 0.5, undefined];
      const completions = await Promise.all(
        Array.from({ length: 40 }, (_, index) => {
          const temperature = temperatures[index % 4];
          return ask(model, temperature === undefined ? {} : { temperature }, `${index}`);
        }),
      );
      for (const [index, completion] of completions.entries()) {
        expect(completion.text).toBe(`${temperatures[index % 4] ?? 0.9} for ${index}`);
      }
      expect(native.temperature).toBe(0.9);
    });

    it("keeps bound tools and options when it derives a model", async () => {
      const server = await serve(["ok"]);
      const tool = { type: "function" as const, function: { name: "look", parameters: {} } };
      await ask(adaptModel(openAI(server).bindTools([tool], { tool_choice: "auto" })), { temperature: 0 });
      expect(server.requests[0]?.body).toMatchObject({ temperature: 0, tools: [{ function: { name: "look" } }] });
    });

    it("omits parameters that reasoning models refuse, and applies stop sequences itself", async () => {
      const server = await serve(["fine STOP more"]);
      const completion = await ask(adaptModel(openAI(server, { model: "o3-mini" })), {
        temperature: 0,
        maxTokens: 9,
        stop: ["STOP"],
      });
      expect(completion.text).toBe("fine ");
      expect(server.requests[0]?.body).not.toHaveProperty("temperature");
      expect(server.requests[0]?.body).not.toHaveProperty("stop");
      expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 9 });
    });

    it("learns from a provider that refuses a parameter", async () => {
      const refusal = { message: "Unsupported value: 'temperature'", param: "temperature", code: "unsupported_value" };
      const server = await serve([{ status: 400, error: refusal }, "ok", "ok"]);
      const model = adaptModel(openAI(server));
      expect((await ask(model, { temperature: 0 })).text).toBe("ok");
      await ask(model, { temperature: 0 });
      expect(server.requests.map(({ body }) => "temperature" in body)).toEqual([true, false, false]);
    });

    it("keeps what it learned when a model is adapted again, as agents do in each step", async () => {
      const refusal = { message: "Unsupported value: 'temperature'", param: "temperature", code: "unsupported_value" };
      const server = await serve([{ status: 400, error: refusal }, "ok", "ok"]);
      const native = openAI(server);
      for (let step = 0; step < 2; step += 1) await ask(adaptModel(native), { temperature: 0 });
      expect(server.requests.map(({ body }) => "temperature" in body)).toEqual([true, false, false]);
    });

    it("wraps a provider's error with its cause", async () => {
      const server = await serve([{ status: 401, error: { message: "Incorrect API key", code: "invalid_api_key" } }]);
      const error = await ask(adaptModel(openAI(server))).catch((thrown: unknown) => thrown);
      expect(ModelError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ code: "RL-301", cause: { status: 401 } });
      expect(String(error)).toContain("Incorrect API key");
    });

    it("rejects with the abort of the caller, and cancels the request", async () => {
      const controller = new AbortController();
      const gate = new Promise<never>(() => undefined);
      const server = await serve(() => {
        queueMicrotask(() => controller.abort(new Error("enough")));
        return { text: "late", gate };
      });
      const call = adaptModel(openAI(server)).generate({ kind: "text", text: "hi" }, {}, { signal: controller.signal });
      await expect(call).rejects.toThrow("enough");
    });

    it("derives the model behind initChatModel", async () => {
      const server = await serve(["ok"]);
      const native = await initChatModel("gpt-4o-mini", {
        modelProvider: "openai",
        apiKey: "none",
        configuration: { baseURL: server.url },
      });
      const model = adaptModel(native);
      await ask(model, { temperature: 0 });
      expect(server.requests[0]?.body).toMatchObject({ temperature: 0 });
      expect(model).toMatchObject({ engine: "openai", name: "gpt-4o-mini" });
    });

    it("guards a real client from end to end, in JSON and as a stream", async () => {
      const server = await serve(["call 555", "a bad answer"]);
      const { guardrails } = fakeGuardrails({ output: strictRail });
      const guarded = guardrails.wrap(openAI(server, { temperature: 0.3 }));
      const result = await guarded.invoke("hi");
      expect(result).toMatchObject({ content: "call ***", usage_metadata: { total_tokens: 15 } });
      expect(result.id).toBe("chatcmpl-scripted");
      expect(server.requests[0]?.body).toMatchObject({ temperature: 0.3 });
      const chunks: unknown[] = [];
      for await (const chunk of await guarded.stream("hi")) chunks.push(chunk.content);
      expect(chunks).toEqual(["REFUSED"]);
    });
  });

  describe("the adapter over other models", () => {
    it("accepts text models, runnables of strings and custom models", async () => {
      expect((await ask(adaptModel(new FakeListChatModel({ responses: ["chat"] })))).text).toBe("chat");
      const text = adaptModel(new FakeLLM({ response: "text" }));
      expect(text.family).toBe("text");
      expect((await text.generate({ kind: "text", text: "hi" }, {}, {})).text).toBe("text");
      expect((await ask(adaptModel(RunnableLambda.from(() => "lambda")))).text).toBe("lambda");
      await expect(ask(adaptModel(RunnableLambda.from(() => 7)))).rejects.toThrow(/neither a string nor a message/);
    });

    it("passes parameters as call options to models without such fields", async () => {
      const native = scriptedModel(["ok"]);
      await ask(adaptModel(native), { temperature: 0, maxTokens: 5, stop: ["X"], extra: { seed: 1 } });
      expect(native.calls[0]?.options).toMatchObject({ temperature: 0, maxTokens: 5, stop: ["X"], seed: 1 });
    });

    it("runs under the name and tags of the rail, below its config", async () => {
      const seen: unknown[] = [];
      const native = scriptedModel(["ok"]);
      await adaptModel(native).generate(
        { kind: "native", messages: [new HumanMessage("hi")] },
        {},
        {
          config: {
            tags: ["mine"],
            metadata: { tenant: "a" },
            callbacks: [
              {
                handleChatModelStart: (_m, _i, _r, _p, _x, tags, metadata, name) =>
                  void seen.push(tags, metadata, name),
              },
            ],
          },
          runName: "rail:self check input",
        },
      );
      expect(seen[0]).toEqual(["mine", "guardrails", "langsmith:nostream", "nostream"]);
      expect(seen[1]).toMatchObject({ tenant: "a" });
      expect(seen[2]).toBe("rail:self check input");
    });

    it.each<[string, unknown, object]>([
      [
        "a client of OpenAI",
        new ChatOpenAI({ model: "gpt-4o", apiKey: "none" }),
        { engine: "openai", name: "gpt-4o", family: "chat" },
      ],
      ["a text model", new FakeLLM({}), { engine: "fake", family: "text" }],
      ["a function", RunnableLambda.from(() => "x"), { engine: "runnables", name: "unknown", family: "chat" }],
    ])("reports engine and name of %s", (_, model, expected) => {
      expect(traitsOf(model)).toMatchObject(expected);
    });
  });
});

describe("text models", () => {
  const INPUTS: readonly (readonly [name: string, passed: unknown, blocked: unknown])[] = [
    ["a text", "hi", "bad"],
    ["a message", [new HumanMessage("hi")], [new HumanMessage("bad")]],
    [
      "a conversation",
      [new HumanMessage("one"), new AIMessage("two"), new HumanMessage("hi")],
      [new HumanMessage("one"), new AIMessage("two"), new HumanMessage("bad")],
    ],
  ];

  describe.each(["1.0", "2.x"] as const)("a guarded text model (Colang %s)", (version) => {
    const guarded = async (reply: string, onBlocked: "refuse" | "throw" = "refuse") => {
      const guardrails = await toolGuardrails({ version, input: ["check words"], output: ["check answer"] });
      return guardrails.wrap(new FakeStreamingLLM({ responses: Array.from({ length: 9 }, () => reply), sleep: 0 }), {
        onBlocked,
      });
    };

    it.each(INPUTS)("returns and streams texts for %s", async (_name, passed, blocked) => {
      const model = await guarded("fine words");
      for (const [input, expected] of [
        [passed, "fine words"],
        [blocked, "REFUSED"],
      ] as const) {
        expect(await model.invoke(input as never)).toBe(expected);
        const chunks = await drain(await model.stream(input as never));
        expect(chunks.every((chunk) => typeof chunk === "string")).toBe(true);
        expect(chunks.join("")).toBe(expected);
      }
    });

    it.each(INPUTS)("refuses a bad response to %s as a text", async (_name, passed) => {
      const model = await guarded("a bad answer");
      expect(await model.invoke(passed as never)).toBe("REFUSED");
      expect((await drain(await model.stream(passed as never))).join("")).toBe("REFUSED");
    });

    it("works in a batch and in a pipe, and throws when it should", async () => {
      const model = await guarded("fine");
      expect(await model.batch(["hi", "bad"] as never[])).toEqual(["fine", "REFUSED"]);
      const chain = PromptTemplate.fromTemplate("Say {what}").pipe(model as never);
      expect(await chain.invoke({ what: "it" })).toBe("fine");
      expect(await chain.invoke({ what: "bad" })).toBe("REFUSED");
      const guardrails = await toolGuardrails({ version, input: ["check words"] });
      const inside = PromptTemplate.fromTemplate("{question}").pipe(new FakeLLM({ response: "fine" }));
      expect(await guardrails.wrap(inside, { inputKey: "question" }).invoke({ question: "bad" })).toBe("REFUSED");
      const error: unknown = await (await guarded("fine", "throw")).invoke("bad").catch((thrown: unknown) => thrown);
      expect(GuardrailViolationError.isInstance(error)).toBe(true);
    });
  });

  it("a guarded text model is called by rails and dialogs without a separate model", async () => {
    const judge =
      "rails:\n  input:\n    flows: [self check input]\nprompts:\n  - task: self_check_input\n    content: 'Q {{ user_input }}'\n";
    const judged = await Guardrails.fromConfig({ yaml: judge }, { logger: false });
    expect(await judged.wrap(new FakeLLM({ response: "No" })).invoke("hi")).toBe("No");
    expect(await judged.wrap(new FakeLLM({ response: "Yes" })).invoke("hi")).toMatch(/^I'm sorry/);
    const colang =
      'define user greet\n  "hello"\ndefine bot greet\n  "HELLO!"\ndefine flow\n  user greet\n  bot greet\n';
    const dialog = await Guardrails.fromConfig({ colang }, { logger: false });
    expect(await dialog.wrap(new FakeLLM({ response: "  greet" })).invoke("hello")).toBe("HELLO!");
  });
});

import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import * as fc from "fast-check";
import { RunnableLambda } from "@langchain/core/runnables";
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { ChunkedModel } from "../streaming/chunked-model.js";
import { realGuardrails } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { propertyRuns } from "../../support/property-runs.js";
import { adaptModel } from "../../../src/langchain/models/chat-model.js";
import type { ModelPiece } from "../../../src/llm/model.js";
import { scriptedModel, scriptedServer, type ScriptedServer, type ServerScript } from "../../../src/testing/index.js";
import { PRICE_DIALOG } from "../../support/rail-flows.js";

describe("fast paths", () => {
  /** The effect of the rail at this position on a text. */
  type Does = "pass" | "block" | "rewrite" | "note" | "fail";

  const INPUT = ["one", "two", "three"];
  const OUTPUT = ["four", "five"];

  function flow(name: string, text: "user_message" | "bot_message"): string {
    return `
define subflow ${name}
  $made = execute ${name}(text=$${text})
  if $made == "block"
    bot refuse ${name}
    stop
  if $made == "note"
    $noted = "${name}"
  if $made == "rewrite"
    $${text} = "${name} was here"

define bot refuse ${name}
  "REFUSED by ${name}"
`;
  }

  const COLANG = [
    ...INPUT.map((name) => flow(name, "user_message")),
    ...OUTPUT.map((name) => flow(name, "bot_message")),
  ];

  /** The plan of the rails for the next call; a configuration is loaded once for all of them. */
  let plan: readonly Does[] = [];

  /** The same rails with synchronous or asynchronous actions. */
  async function open(isLate: (place: number) => boolean) {
    const order: string[] = [];
    const actions = Object.fromEntries(
      [...INPUT, ...OUTPUT].map((name, place) => {
        const act = (): string => {
          order.push(name);
          if (plan[place] === "fail") throw new Error("out of order");
          return plan[place] ?? "pass";
        };
        return [name, isLate(place) ? async () => (await Promise.resolve(), act()) : act];
      }),
    );
    const rails = { input: { flows: INPUT, parallel: false }, output: { flows: OUTPUT, parallel: false } };
    const guardrails = await Guardrails.fromConfig({ colang: COLANG.join("\n"), config: { rails } }, { actions });
    return { guarded: guardrails.wrap(new ChunkedModel(["an ", "answer"])), guardrails, order };
  }

  class Listener extends BaseCallbackHandler {
    readonly name = "listener";
  }

  const places = INPUT.length + OUTPUT.length;
  const plans = fc.array(fc.constantFrom<Does>("pass", "pass", "pass", "block", "rewrite", "note", "fail"), {
    minLength: places,
    maxLength: places,
  });

  async function joined(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk | undefined> {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of stream) whole = whole === undefined ? chunk : concat(whole, chunk);
    return whole;
  }

  const said = (message: AIMessageChunk | undefined): string =>
    visibleJson([message?.content, message && verdictOf(message), message?.tool_calls, message?.usage_metadata]);

  describe("rails whose actions are done when they return", () => {
    it("decide as they do when their actions are asynchronous", async () => {
      const opened = await Promise.all([open(() => false), open((place) => place % 2 === 0), open(() => true)]);
      await fc.assert(
        fc.asyncProperty(plans, async (does) => {
          plan = does;
          const results: string[] = [];
          for (const { guarded, guardrails, order } of opened) {
            order.length = 0;
            const answer = await guarded.invoke("hello");
            const options = { rails: ["input"], outputVars: true, log: { activatedRails: true } } as const;
            const { guardrails: verdict, outputData, log } = await guardrails.generate("hello", options);
            results.push(`${said(answer)}${visibleJson([verdict, outputData, log.activatedRails, order])}`);
          }
          expect(new Set(results).size).toBe(1);
        }),
        { numRuns: propertyRuns(6) },
      );
    });
  });

  describe("a call without callbacks", () => {
    it("responds and streams like a call with callbacks", async () => {
      const { guarded } = await open((place) => place % 2 === 0);
      const traced = { callbacks: [new Listener()] };
      await fc.assert(
        fc.asyncProperty(plans, async (does) => {
          plan = does;
          const alone = await guarded.invoke("hello");
          expect(said(alone)).toBe(said(await guarded.invoke("hello", traced)));
          const streamed = await joined(await guarded.stream("hello"));
          expect(said(streamed)).toBe(said(await joined(await guarded.stream("hello", traced))));
          expect(streamed?.content).toBe(alone.content);
        }),
        { numRuns: propertyRuns(6) },
      );
    });

    it.each([
      ["alone", {}],
      ["traced", { callbacks: [new Listener()] }],
    ])("ends with the caller's signal and with the model's own error (%s)", async (_, config) => {
      const guardrails = await realGuardrails({ output: ["check answer"] });
      const model = new ChunkedModel(["one ", "two"]);
      const failure = new Error("no more");
      model.before = (index) => {
        if (index === 1) throw failure;
      };
      const guarded = guardrails.wrap(model);
      const reason = new Error("gone");
      await expect(guarded.invoke("hello", { ...config, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const reading = async () => joined(await guarded.stream("hello", config));
      await expect(reading()).rejects.toBe(failure);
    });
  });
});

describe("the merged call", () => {
  const open = (llm: ChatOpenAI): Promise<Guardrails> =>
    Guardrails.fromConfig({ colang: PRICE_DIALOG, config: { models: [] } }, { llm });
  const client = (server: ScriptedServer): ChatOpenAI =>
    new ChatOpenAI({ model: "any", apiKey: "none", maxRetries: 0, configuration: { baseURL: server.url } });

  /** Waits turn by turn of the event loop until a condition holds; otherwise the test reaches its time limit. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  }

  const never = new Promise<never>(() => undefined);
  const begun = (pieces: readonly string[]): ServerScript => [
    { pieces: [...pieces, "never sent"], gate: never, gateAt: pieces.length },
  ];

  describe("the one call of a turn, over HTTP", () => {
    it("is closed when a flow takes over before the provider has finished", async () => {
      await using server = await scriptedServer(begun(["User intent: ask ", "price\n", "Bot intent: "]));
      const guardrails = await open(client(server));
      const { response, log } = await guardrails.generate("what does it cost?", { log: { llmCalls: true } });
      expect(response).toBe("Four euros.");
      await until(() => server.aborted === 1);
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]?.body).toMatchObject({ stream: true, temperature: 0 });
      expect(log.llmCalls).toMatchObject([{ task: "generate_intent_steps_message" }]);
      expect(log.llmCalls?.[0]?.completion).toMatch(/^User intent: ask price\n/);
    });

    it("responds with the generated message, and its tokens are counted", async () => {
      const text = 'User intent: ask colour\nBot intent: name colour\nBot message: "Red, of course."';
      await using server = await scriptedServer([{ text, usage: { prompt: 20, completion: 9 } }]);
      const guardrails = await open(client(server));
      const { response, log } = await guardrails.generate("colour?", { log: { llmCalls: true } });
      expect(response).toBe("Red, of course.");
      expect(log.llmCalls).toMatchObject([{ completion: text, usage: { total_tokens: 29 } }]);
      expect(server.aborted).toBe(0);
    });

    it("shows none of its lines to readers of the stream", async () => {
      await using server = await scriptedServer(['User intent: rant\nBot intent: calm\nBot message: "All is well."']);
      const guardrails = await open(client(server));
      const seen: string[] = [];
      const said: unknown[] = [];
      for await (const event of guardrails.streamEvents(new HumanMessage("grr"), { version: "v2" })) {
        if (!event.event.endsWith("_stream")) continue;
        seen.push(JSON.stringify(event.data));
        said.push((event.data.chunk as AIMessageChunk).content);
      }
      expect(said).toEqual(["All", " is", " well.", ""]);
      expect(seen.join()).not.toMatch(/intent/i);
    });

    it("ends with the caller's signal when the provider stalls", async () => {
      await using server = await scriptedServer(begun(["User intent: rant\n", "Bot intent: "]));
      const guardrails = await open(client(server));
      const controller = new AbortController();
      const answer = guardrails.invoke(new HumanMessage("grr"), { signal: controller.signal });
      const refused = expect(answer).rejects.toThrow();
      await until(() => server.requests.length === 1);
      controller.abort();
      await refused;
      await until(() => server.aborted === 1);
    });

    it("is made again without a parameter that the provider refuses", async () => {
      const text = 'User intent: rant\nBot intent: calm\nBot message: "Well."';
      const message = "Unsupported value: 'temperature' does not support 0.001 with this model.";
      await using server = await scriptedServer(({ body }) =>
        body["temperature"] === undefined
          ? text
          : { status: 400, error: { message, param: "temperature", code: "unsupported_value" } },
      );
      const guardrails = await open(client(server));
      expect((await guardrails.generate("grr")).response).toBe("Well.");
      expect(server.requests).toHaveLength(2);
    });
  });

  describe("streams of models", () => {
    const collect = async (pieces: AsyncIterable<ModelPiece> | undefined): Promise<ModelPiece[]> => {
      const all: ModelPiece[] = [];
      for await (const piece of pieces ?? []) all.push(piece);
      return all;
    };
    const prompt = { kind: "messages", messages: [{ type: "user", content: "hi" }] } as const;

    it("arrive chunk by chunk, and the last one contains the message", async () => {
      const pieces = await collect(adaptModel(scriptedModel(["Hello there"])).stream?.(prompt, {}, {}));
      expect(pieces.map(({ text }) => text)).toEqual(["Hell", "o th", "ere", ""]);
      expect(pieces.at(-1)?.message?.content).toBe("Hello there");
    });

    it("of a runnable without streaming are one chunk", async () => {
      const lambda = RunnableLambda.from(async () => "Hello there");
      const pieces = await collect(adaptModel(lambda).stream?.({ kind: "text", text: "hi" }, {}, {}));
      expect(pieces.map(({ text }) => text).join("|")).toBe("Hello there|");
    });

    it("may be empty, with or without a speaker label", async () => {
      await using server = await scriptedServer([{ text: "" }, { text: "" }]);
      const pieces = await collect(adaptModel(client(server)).stream?.(prompt, {}, {}));
      expect(pieces.map(({ text }) => text).join("")).toBe("");
      expect((await adaptModel(client(server)).generate(prompt, {}, {})).text).toBe("");
    });

    it("fail as a call fails", async () => {
      const failing = adaptModel(scriptedModel([new Error("rate limit")]));
      await expect(collect(failing.stream?.(prompt, {}, {}))).rejects.toMatchObject({ name: "ModelError" });
    });
  });
});

import { describe, expect, it } from "@jest/globals";
import { type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import * as fc from "fast-check";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { FakeTracer } from "@langchain/core/utils/testing";
import { ChatOpenAI } from "@langchain/openai";
import {
  Guardrails,
  type GuardrailsOptions,
  GuardrailViolationError,
  type StreamingOptions,
  verdictOf,
} from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import type { GuardrailsMetadata } from "../../../src/turn/decision.js";
import { drain, realGuardrails, type RealOptions } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { ChunkedModel } from "./chunked-model.js";
import { propertyRuns } from "../../support/property-runs.js";
import { scriptedServer, type ScriptedServer } from "../../../src/testing/scripted-server.js";
import { PRICE_DIALOG, railFlows } from "../../support/rail-flows.js";

describe("messages of the configuration's own prompts", () => {
  const RAILS = railFlows("1.0", {
    "check answer": ["block", "bot_message", "check_words"],
    "hide digits of words": ["rewrite", "bot_message", "hide_digits", '{"stream": "word"}'],
    "hide digits of answer": ["rewrite", "bot_message", "hide_digits"],
  });
  const GREETING = `
define user greet
  "hello"
${PRICE_DIALOG}`;
  const ANSWERED = `${GREETING}
define flow greeting
  user greet
  bot answer greeting
`;

  /**
   * A way in which prompts of the configuration generate a response: the completion for a text, and the user message.
   */
  interface Way {
    readonly colang: string;
    readonly config?: Readonly<Record<string, unknown>>;
    readonly ask: string;
    readonly head: readonly string[];
  }

  const ways: [string, Way][] = [
    ["a response without intents", { colang: "", ask: "hi", head: [] }],
    ["passthrough", { colang: "", config: { passthrough: true }, ask: "hi", head: [] }],
    ["the message of a step", { colang: ANSWERED, ask: "hello", head: ["Bot message: "] }],
    ["step and text", { colang: GREETING, ask: "hello", head: ["Bot intent: answer\n", "Bot message: "] }],
    [
      "intent, step and text",
      { colang: GREETING, ask: "so what", head: ["User intent: x\nBot", " intent: answer\n", "Bot message: "] },
    ],
  ];

  interface Setup extends GuardrailsOptions {
    readonly output?: readonly string[];
    readonly onCheck?: (text: string) => unknown;
  }

  function open(way: Way, { output = ["check answer"], onCheck, ...options }: Setup = {}): Promise<Guardrails> {
    return Guardrails.fromConfig(
      { colang: RAILS + way.colang, config: { models: [], ...way.config, rails: { output: { flows: [...output] } } } },
      {
        streaming: { chunkSize: 2, contextSize: 1 },
        ...options,
        actions: {
          check_words: defineAction({ name: "check_words", verdict: true }, async ({ text }) => {
            await onCheck?.(String(text));
            return !String(text).includes("bad");
          }),
          hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
        },
      },
    );
  }

  const asked = (way: Way): HumanMessage[] => [new HumanMessage(way.ask)];
  const stream = async (guardrails: Guardrails, way: Way, options = {}): Promise<AIMessageChunk[]> =>
    drain((await guardrails.stream(asked(way), options)) as AsyncIterable<AIMessageChunk>);
  const textsOf = (chunks: readonly AIMessageChunk[]): unknown[] => chunks.map(({ content }) => content);
  const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** The comparable parts of a message: all but the durations of rails. */
  function plain(message: AIMessageChunk): object {
    const { guardrails: verdict, ...metadata } = message.response_metadata as { guardrails?: GuardrailsMetadata };
    const decisions = verdict?.decisions.map(({ durationMs: _time, ...rest }) => rest);
    return { ...message.toDict().data, response_metadata: { ...metadata, verdict: { ...verdict, decisions } } };
  }

  describe.each(ways)("%s streams while it is generated", (_, way) => {
    const model = (...words: string[]): ChunkedModel => new ChunkedModel([...way.head, ...words]);

    it.each<[string, string[], Setup, string[]]>([
      ["window by window", ["a", "b", "c", "d", "e"], {}, ["a", "b", "c", "d", "e", ""]],
      ["token by token without rails", ["a", "b", "c"], { output: [] }, ["a", "b", "c", ""]],
      ["until a block", ["a", "b", "ba", "d", "e"], {}, ["a", "b", "REFUSED"]],
      ["until a block across two windows", ["a", "b", "c", "ba", "d", "e"], {}, ["a", "b", "c", "ba", "REFUSED"]],
      ["not at all at a block in the first window", ["ba", "d", "c"], {}, ["REFUSED"]],
      ["word by word", ["a1 ", "b2 ", "c3"], { output: ["hide digits of words"] }, ["a* b*", "", " c*", ""]],
      ["only at its end where a rail wants that", ["1", "2", "a"], { output: ["hide digits of answer"] }, ["**a"]],
      ["at once where it is buffered", ["a", "b", "c"], { streaming: { mode: "buffer" } }, ["abc"]],
      ["unreviewed if configured", ["a", "bad"], { streaming: { mode: "passthrough" } }, ["a", "bad", "REFUSED"]],
    ])("%s", async (__, words, setup, expected) => {
      const guardrails = await open(way, { llm: model(...words), ...setup });
      const chunks = await stream(guardrails, way);
      if (expected[0] !== "a* b*") expect(textsOf(chunks)).toEqual(expected);
      else expect(textsOf(chunks).join("")).toBe(expected.join(""));
      expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toEqual([chunks.at(-1)]);
    });

    it("joins to what invoke returns", async () => {
      const guardrails = await open(way, { llm: model("a", "b", " c\n", "d") });
      const chunks = await stream(guardrails, way);
      const whole = chunks.reduce((left, right) => concat(left, right));
      expect(plain(whole)).toEqual(plain((await guardrails.invoke(asked(way))) as AIMessageChunk));
    });

    it("reads at most two chunks more after a block, and cancels the model", async () => {
      const llm = model("a", "b", "bad", "c", ...Array.from({ length: 50 }, () => "d"));
      await stream(await open(way, { llm }), way);
      await turnOfLoop();
      expect(llm.made).toBeLessThanOrEqual(way.head.length + 4 + 2);
      expect(llm.signals.map((signal) => signal?.aborted)).toEqual([true]);
    });

    it("generates no more than is read, and ends with its reader", async () => {
      const llm = model(...Array.from({ length: 100 }, () => "a"));
      const reader = (await (await open(way, { llm })).stream(asked(way)))[Symbol.asyncIterator]();
      await reader.next();
      for (let turn = 0; turn < 50; turn += 1) await turnOfLoop();
      expect(llm.made).toBeLessThan(12);
      await reader.return?.();
      await turnOfLoop();
      expect(llm.signals.map((signal) => signal?.aborted)).toEqual([true]);
    });

    it("ends with the caller's signal", async () => {
      const controller = new AbortController();
      const llm = model("a", "b", "c", "d", "e");
      llm.before = (index) => {
        if (index === way.head.length + 3) controller.abort(new Error("enough"));
      };
      const chunks: unknown[] = [];
      const reading = async (): Promise<void> => {
        const options = { signal: controller.signal };
        for await (const chunk of await (await open(way, { llm })).stream(asked(way), options)) chunks.push(chunk);
      };
      await expect(reading()).rejects.toThrow();
      expect("ab".startsWith(textsOf(chunks as AIMessageChunk[]).join(""))).toBe(true);
      await turnOfLoop();
      expect(llm.signals.map((signal) => signal?.aborted)).toEqual([true]);
    });

    it("throws after the passed text if a block is configured as an error", async () => {
      const guardrails = await open(way, { llm: model("a", "b", "bad", "c"), onBlocked: "throw" });
      const seen: unknown[] = [];
      const reading = async (): Promise<void> => {
        for await (const chunk of await guardrails.stream(asked(way))) seen.push((chunk as AIMessageChunk).content);
      };
      const error: unknown = await reading().catch((thrown: unknown) => thrown);
      expect(GuardrailViolationError.isInstance(error)).toBe(true);
      expect(seen).toEqual(["a", "b"]);
      expect(visibleJson(error)).not.toContain("bad");
    });

    it("emits only passed windows, and nothing else of the completion", async () => {
      const guardrails = await open(way, { llm: model("fine ", "so ", "far ", "bad ", "xyzzy ", "end") });
      const events: unknown[] = [];
      for await (const event of guardrails.streamEvents(asked(way), { version: "v2" })) {
        if (event.event.endsWith("_stream")) events.push(event.data);
      }
      expect(visibleJson(events)).toContain("fine");
      expect(visibleJson(events)).not.toMatch(/bad|xyzzy|intent|Bot message/);
    });

    it("fails with the model's error, after the passed text", async () => {
      const llm = model("a", "b", "c", "d");
      llm.before = (index) => {
        if (index === way.head.length + 3) throw new Error("reset");
      };
      const seen: unknown[] = [];
      const reading = async (): Promise<void> => {
        for await (const chunk of await (await open(way, { llm })).stream(asked(way))) {
          seen.push((chunk as AIMessageChunk).content);
        }
      };
      await expect(reading()).rejects.toMatchObject({ name: "ModelError" });
      expect(seen).toEqual(["a", "b"]);
    });

    it("leaves a thread that can continue", async () => {
      const guardrails = await open(way, { llm: model("one ", "two ", "three ", "four") });
      const thread = { configurable: { thread_id: "t" } };
      for await (const __ of await guardrails.stream(asked(way), thread)) break;
      await turnOfLoop();
      expect(((await guardrails.invoke(asked(way), thread)) as AIMessageChunk).content).toBe("one two three four");
    });
  });

  describe("for any completion, chunks, rails and windows", () => {
    const words = [
      '"',
      "b",
      "a",
      "d",
      " ",
      "5",
      "\n",
      "\\n",
      '\\"',
      "\nuser b",
      "\nBot intent: a",
      "END",
      "\n\n",
      "</think>",
    ];
    const pieces = fc.array(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 10,
    });
    const sizes = fc.record({ chunkSize: fc.integer({ min: 1, max: 4 }), contextSize: fc.integer({ min: 0, max: 3 }) });
    const rails = fc.subarray(["check answer", "hide digits of words"]);

    it.each(ways)("%s: the stream joins to the text, and nothing is emitted unreviewed", async (_, way) => {
      const llm = new ChunkedModel([""]);
      const seen: string[] = [];
      const made = new Map<string, Promise<Guardrails>>();
      const openOnce = (streaming: StreamingOptions, output: readonly string[]): Promise<Guardrails> => {
        const key = JSON.stringify([streaming, output]);
        const known = made.get(key) ?? open(way, { llm, streaming, output, onCheck: (text) => seen.push(text) });
        made.set(key, known);
        return known;
      };
      await fc.assert(
        fc.asyncProperty(pieces, sizes, rails, fc.boolean(), async (given, streaming, output, quoted) => {
          llm.say([...way.head, ...(quoted ? ['"'] : []), ...given.map((each) => each.join(""))]);
          const guardrails = await openOnce(streaming, output);
          const whole = (await guardrails.invoke(asked(way), { rails: { output: false } })) as AIMessageChunk;
          const text = output.includes("hide digits of words") ? whole.text.replaceAll("5", "*") : whole.text;
          seen.length = 0;
          const streamed = textsOf(await stream(guardrails, way)).join("");
          const blocked = streamed.endsWith("REFUSED");
          const released = blocked ? streamed.slice(0, -"REFUSED".length) : streamed;
          if (blocked) expect(text.startsWith(released)).toBe(true);
          else expect(streamed).toBe(text);
          if (!output.includes("check answer")) return;
          expect(blocked).toBe(seen.some((judged) => judged.includes("bad")));
          let covered = 0;
          for (const judged of seen.filter((each) => !each.includes("bad"))) {
            const at = text.lastIndexOf(judged, covered);
            expect(at).toBeGreaterThanOrEqual(0);
            covered = Math.max(covered, at + judged.length);
          }
          expect(covered).toBeGreaterThanOrEqual(released.length);
        }),
        { numRuns: propertyRuns(4) },
      );
    });
  });
});

describe("handlers of the caller", () => {
  class TokenPusher extends BaseCallbackHandler {
    name = "pusher";
    override awaitHandlers = true;
    tokens = "";
    starts = 0;

    override handleLLMNewToken(token: string): void {
      this.tokens += token;
    }

    override handleChatModelStart(): void {
      this.starts += 1;
    }
  }

  const usage = { prompt: 1, completion: 1 };
  const guard = (options: RealOptions = {}) =>
    realGuardrails({ input: [], output: ["check answer"], streaming: { chunkSize: 1 }, ...options });
  const openAI = (server: ScriptedServer, callbacks: BaseCallbackHandler[]) =>
    new ChatOpenAI({
      model: "gpt-4o",
      apiKey: "none",
      streaming: true,
      callbacks,
      configuration: { baseURL: server.url },
    });
  const asks: [string, (model: ChatOpenAI) => Promise<Runnable>][] = [
    ["a model", async (model) => (await guard()).wrap(model as never) as Runnable],
    ["a model with tools", async (model) => (await guard()).wrap(model as never).bindTools([]) as Runnable],
    ["a bound model", async (model) => (await guard()).wrap(model.withConfig({ tags: ["t"] }) as Runnable)],
    ["a chain", async (model) => (await guard()).wrap(model.pipe(new StringOutputParser()) as Runnable)],
  ];

  describe("handlers that were given to the constructor of a model", () => {
    it.each(asks)("see no token of %s, and still receive everything else", async (_, wrap) => {
      const server = await scriptedServer([{ text: "a bad secret", usage }]);
      try {
        const pusher = new TokenPusher();
        const guarded = await wrap(openAI(server, [pusher]));
        const said = JSON.stringify(await drain(await guarded.stream("hi")));
        expect(said).toContain("REFUSED");
        expect(pusher.tokens).toBe("");
        expect(pusher.starts).toBe(1);
      } finally {
        await server.close();
      }
    });

    it('are unchanged with `rawTokens: "allow"`, and the model itself always', async () => {
      const server = await scriptedServer([
        { text: "fine", usage },
        { text: "fine", usage },
      ]);
      try {
        const pusher = new TokenPusher();
        const model = openAI(server, [pusher]);
        const before = model.callbacks;
        await drain(await (await guard()).wrap(model as never).stream("hi"));
        expect(model.callbacks).toBe(before);
        await drain(await (await guard({ rawTokens: "allow" })).wrap(model as never).stream("hi"));
        expect(pusher.tokens).toBe("fine");
      } finally {
        await server.close();
      }
    });

    it("do not make the package copy a model if they see no tokens", async () => {
      const model = new ChunkedModel(["fine"]);
      const tracer = new FakeTracer();
      model.callbacks = [tracer];
      await (await guard()).wrap(model).invoke("hi");
      expect(tracer.runs.length).toBe(1);
    });

    it("make the package refuse a model that cannot be copied", async () => {
      const model = new ChunkedModel(["fine"]);
      model.callbacks = [new TokenPusher()];
      const guardrails = await guard();
      await expect(guard({ llm: model })).rejects.toThrow("handlers of its own");
      expect(() => guardrails.wrap(model)).toThrow(/a model without handlers of its own.*rawTokens/s);
    });

    it("receive no contents with `redactTraces`", async () => {
      const model = new ChunkedModel(["fine"]);
      model.callbacks = [new FakeTracer()];
      const guardrails = await guard({ redactTraces: true });
      expect(() => guardrails.wrap(model)).toThrow("handlers of its own");
    });
  });
});

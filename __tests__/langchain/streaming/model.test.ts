import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { actionResult } from "../../../src/actions/dispatcher.js";
import type { ActionContext } from "../../../src/actions/action.js";
import { Guardrails, GuardrailViolationError, verdictOf } from "../../../src/index.js";
import type { GuardrailsMetadata } from "../../../src/turn/decision.js";
import { drain, realGuardrails, type RealOptions, type Version } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "./chunked-model.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { scriptedModel } from "../../../src/testing/index.js";

describe("streams of models", () => {
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
  const chunk = (fields: object): AIMessageChunk => new AIMessageChunk({ id: "m", ...fields } as AIMessageChunkFields);
  const windows = { chunkSize: 2, contextSize: 1 } as const;

  const guard = (options: RealOptions = {}) =>
    realGuardrails({ input: [], output: ["check answer"], streaming: windows, ...options });

  /** The comparable parts of a message: all but the durations of rails. */
  function plain(message: AIMessageChunk): object {
    const { guardrails: verdict, ...metadata } = message.response_metadata as { guardrails?: GuardrailsMetadata };
    return {
      content: message.content,
      id: message.id,
      usage: message.usage_metadata,
      calls: message.tool_calls,
      kwargs: message.additional_kwargs,
      metadata,
      verdict: verdict && { ...verdict, decisions: verdict.decisions.map(({ durationMs: _time, ...rest }) => rest) },
    };
  }

  describe("a guarded model streams window by window", () => {
    it.each<[string, (string | AIMessageChunk)[], RealOptions, string[]]>([
      ["windows as their chunks", ["a", "b", "c", "d", "e"], {}, ["a", "b", "c", "d", "e", ""]],
      ["a block in the first window", ["ba", "d", "c"], {}, ["REFUSED"]],
      ["a block further on", ["a", "b", "ba", "d", "e"], {}, ["a", "b", "REFUSED"]],
      [
        "a block across the border of two windows",
        ["a", "b", "c", "ba", "d", "e", "f"],
        {},
        ["a", "b", "c", "ba", "REFUSED"],
      ],
      ["a block in the rest", ["a", "b", "bad"], {}, ["a", "b", "REFUSED"]],
      ["nothing that a rail must see as a whole", ["1", "2", "a"], { output: ["hide digits of answer"] }, ["**a"]],
      ["no rails, chunk by chunk", ["a", "bad"], { output: [] }, ["a", "bad", ""]],
      ["everything at once where it is buffered", ["a", "b", "c"], { streaming: { mode: "buffer" } }, ["abc"]],
      [
        "unreviewed if configured",
        ["a", "bad", "c"],
        { streaming: { mode: "passthrough" } },
        ["a", "bad", "c", "REFUSED"],
      ],
      [
        "a window before its review",
        ["a", "bad", "c"],
        { streaming: { ...windows, streamFirst: true } },
        ["a", "bad", "REFUSED"],
      ],
      [
        "whole words and rewritten words",
        ["a1 ", "b2 ", "c3"],
        { output: ["hide digits of words"] },
        ["a* b* ", "", "c*", ""],
      ],
      ["a response of spaces", [" ", "\n"], {}, ["Sorry, I do not have an answer to that.", "", ""]],
      ["an empty window in between", ["a", "", "b", "", "c"], {}, ["a", "", "b", "", "c", ""]],
    ])("%s", async (_, chunks, options, expected) => {
      const guardrails = await guard(options);
      const model = new ChunkedModel(chunks);
      const stream = await drain(await guardrails.wrap(model).stream("hi"));
      expect(stream.map(({ content }) => content)).toEqual(expected);
      expect(stream.filter((message) => verdictOf(message) !== undefined)).toEqual([stream.at(-1)]);
      expect(new Set(stream.map(({ id }) => id))).toEqual(new Set(["m"]));
    });

    it.each<[string, (string | AIMessageChunk)[], RealOptions]>([
      ["text", ["Hel", "lo ", "you"], {}],
      ["a block", ["bad", "x", "y"], {}],
      ["a rewritten text", ["pin 1", "2 34"], { output: ["check answer", "hide digits of answer"] }],
      ["rewritten words", ["pin 1", "2 34 ", "or 5"], { output: ["check answer", "hide digits of words"] }],
      [
        "usage and metadata",
        ["a", "b", "c", chunk({ content: "", usage_metadata: usage, response_metadata: { model_name: "x" } })],
        {},
      ],
      [
        "the cost of what was blocked",
        ["bad", chunk({ content: "", usage_metadata: usage })],
        { streaming: { chunkSize: 9 } },
      ],
      [
        "calls of tools",
        [
          "a",
          "b",
          "c",
          chunk({ tool_call_chunks: [{ name: "f", args: '{"x":', id: "t", index: 0 }] }),
          chunk({ tool_call_chunks: [{ args: "1}", index: 0 }] }),
        ],
        {},
      ],
      [
        "blocks",
        [
          chunk({ content: [{ type: "text", text: "a", index: 0 }] }),
          chunk({ content: [{ type: "text", text: "b", index: 0 }] }),
          chunk({ content: [{ type: "text", text: "c", index: 0 }] }),
        ],
        {},
      ],
      ["reasoning next to the content", [chunk({ additional_kwargs: { reasoning_content: "hm" } }), "a", "b", "c"], {}],
      [
        "reasoning of a message that asks for tools",
        [
          chunk({ additional_kwargs: { reasoning_content: "hm" } }),
          "a",
          "b",
          "c",
          chunk({ tool_call_chunks: [{ name: "f", args: "{}", id: "t", index: 0 }] }),
        ],
        {},
      ],
      [
        "reasoning among the blocks",
        [
          chunk({ content: [{ type: "thinking", thinking: "hm", index: 0 }] }),
          chunk({ content: [{ type: "text", text: "a", index: 1 }] }),
        ],
        {},
      ],
      ["an audio response", ["a", chunk({ additional_kwargs: { audio: { transcript: "said" } } }), "b"], {}],
      ["nothing", [], {}],
    ])("joined, its chunks are what invoke returns: %s", async (_, chunks, options) => {
      const guardrails = await guard(options);
      const guarded = guardrails.wrap(new ChunkedModel(chunks.length === 0 ? [""] : chunks));
      const stream = await drain(await guarded.stream("hi"));
      const whole = stream.reduce((left, right) => concat(left, right));
      expect(plain(whole)).toEqual(plain(await guarded.invoke("hi")));
    });

    it("holds tool calls back until all of the text has passed", async () => {
      const call = chunk({ content: "", tool_call_chunks: [{ name: "f", args: "{}", id: "t", index: 0 }] });
      const guarded = (await guard()).wrap(new ChunkedModel(["a", "b", "c", call, "bad"]));
      const stream = await drain(await guarded.stream("hi"));
      expect(stream.map(({ content }) => content)).toEqual(["a", "b", "REFUSED"]);
      expect(stream.flatMap(({ tool_calls }) => tool_calls ?? [])).toEqual([]);
    });

    it("streams responses to tool results too", async () => {
      const guarded = (await guard()).wrap(new ChunkedModel(["a", "b", "bad", "c"]));
      const messages = [
        new HumanMessage("look"),
        new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "1" }] }),
        new ToolMessage({ content: "fine", tool_call_id: "1" }),
      ];
      const stream = await drain(await guarded.stream(messages));
      expect(stream.map(({ content }) => content)).toEqual(["a", "b", "REFUSED"]);
      expect(verdictOf(stream.at(-1) as AIMessageChunk)).toMatchObject({ blocked: true, rail: "check answer" });
    });

    it("reads at most two chunks more after a block, and aborts the model's signal (D14)", async () => {
      const model = new ChunkedModel(["a", "b", "bad", "c", ...Array.from({ length: 50 }, () => "d")]);
      await drain(await (await guard()).wrap(model).stream("hi"));
      expect(model.made).toBeLessThanOrEqual(4 + 2);
      expect(model.signals[0]?.aborted).toBe(true);
    });

    it("emits the text of a flow, and calls no model", async () => {
      const guardrails = await guard();
      const model = new ChunkedModel(["x"]);
      expect((await drain(await guardrails.wrap(model).stream("hi"))).length).toBeGreaterThan(0);
      const blocked = await realGuardrails({ input: ["check words"], output: [] });
      const silent = new ChunkedModel(["x"]);
      const stream = await drain(await blocked.wrap(silent).stream("bad"));
      expect([stream.map(({ content }) => content), silent.made]).toEqual([["REFUSED"], 0]);
    });

    it("throws after the passed text if a block is configured as an error", async () => {
      const guarded = (await guard({ onBlocked: "throw" })).wrap(new ChunkedModel(["a", "b", "bad", "c"]));
      const seen: unknown[] = [];
      const reading = async (): Promise<void> => {
        for await (const { content } of await guarded.stream("hi")) seen.push(content);
      };
      const error: unknown = await reading().catch((thrown: unknown) => thrown);
      expect(GuardrailViolationError.isInstance(error)).toBe(true);
      expect(seen).toEqual(["a", "b"]);
      expect(visibleJson(error)).not.toContain("bad");
    });

    it("ends with RL-107 if a rail rewrites emitted text", async () => {
      const guarded = (
        await guard({
          output: ["sly"],
          actions: {
            sly: (_params: unknown, { context }: ActionContext) =>
              String(context["bot_message"]).includes("c")
                ? actionResult({ contextUpdates: { bot_message: "nothing of that" } })
                : true,
          },
        })
      ).wrap(new ChunkedModel(["a", "b", "c", "d"]));
      const seen: unknown[] = [];
      const reading = async (): Promise<void> => {
        for await (const { content } of await guarded.stream("hi")) seen.push(content);
      };
      await expect(reading()).rejects.toMatchObject({ code: "RL-107" });
      expect(seen).toEqual(["a", "b"]);
    });

    it("rejects with the model's own error, after the passed text", async () => {
      const model = new ChunkedModel(["a", "b", "c"]);
      model.before = (index) => {
        if (index === 2) throw new Error("the line broke");
      };
      const stream = await (await guard()).wrap(model).stream("hi");
      await expect(drain(stream)).rejects.toThrow("the line broke");
    });
  });
});

describe("long responses", () => {
  const COLANG: Readonly<Record<Version, string>> = {
    "1.0": `
define subflow local check
  $allowed = execute local_check(text=$bot_message)
  if not $allowed
    stop
`,
    "2.x": `
import core

flow local check
  global $bot_message
  $allowed = await LocalCheckAction(text=$bot_message)
  if not $allowed
    abort
`,
  };

  const PROMPTS = [
    { task: "self_check_output", content: "Is this bad? {{ bot_response }}" },
    { task: "self_check_input", content: "Is this bad? {{ user_input }}" },
  ];

  function open(version: Version, output: readonly string[], limits: object = {}, chunkSize = 2): Promise<Guardrails> {
    return Guardrails.fromConfig(
      {
        colang: COLANG[version],
        config: {
          colang_version: version,
          prompts: PROMPTS,
          limits,
          rails: { output: { flows: [...output] } },
        },
      },
      {
        llm: scriptedModel("No"),
        logger: false,
        streaming: { chunkSize, contextSize: 1 },
        actions: { local_check: ({ text }: { text: string }) => !text.includes("bad") },
      },
    );
  }
  const chunksOf = (count: number): string[] => Array.from({ length: count }, () => "word ");
  const surfaces: [string, (guardrails: Guardrails, model: ChunkedModel) => Runnable][] = [
    ["a model", (guardrails, model) => guardrails.wrap(model) as unknown as Runnable],
    ["a chain", (guardrails, model) => guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable) as Runnable],
    ["a pipe", (guardrails, model) => (model as Runnable).pipe(guardrails.output())],
  ];
  const textOf = (chunk: unknown): string => (typeof chunk === "string" ? chunk : (chunk as AIMessageChunk).text);

  /** A guarded model is its own judge, and this one has only one response. */
  const isOwnJudge = (surface: string, output: readonly string[]): boolean =>
    surface === "a model" && output.includes("self check output");

  const cells = (["1.0", "2.x"] as const).flatMap((version) =>
    surfaces.flatMap(([surface, wrap]) =>
      [["self check output"], ["local check"], ["local check", "self check output"]]
        .filter((output) => !isOwnJudge(surface, output))
        .map((output) => ({
          title: `${surface} with ${output.join(", ")} in Colang ${version}`,
          version,
          wrap,
          output,
        })),
    ),
  );

  describe("the limits of a turn", () => {
    it.each(cells)("allow the stream of $title the same length as `invoke`", async ({ version, wrap, output }) => {
      const chunks = chunksOf(80);
      // Enough for the whole response, and far too little for the sum of its windows.
      const guardrails = await open(version, output, { llm_calls_per_turn: 3, events_per_turn: 60 });
      const invoked = textOf(await wrap(guardrails, new ChunkedModel(chunks)).invoke("hi"));
      expect(invoked).toBe(chunks.join(""));
      const streamed = await drain(await wrap(guardrails, new ChunkedModel(chunks)).stream("hi"));
      expect(streamed.map(textOf).join("")).toBe(invoked);
      expect(streamed.length).toBeGreaterThan(30);
    });

    it.each(["llm_calls_per_turn", "events_per_turn"])("count a window like `invoke`: %s", async (name) => {
      const firstThatPasses = async (ask: (guarded: Runnable) => Promise<string>): Promise<number> => {
        for (let limit = 1; limit < 40; limit += 1) {
          const guardrails = await open("1.0", ["self check output"], { [name]: limit });
          const model = new ChunkedModel(["word ", "word "]);
          const guarded = guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable) as Runnable;
          // After a window was emitted, a limit that ends the turn is an error.
          if ((await ask(guarded).catch(() => "")) === "word word ") return limit;
        }
        return Infinity;
      };
      const invoked = await firstThatPasses((guarded) => guarded.invoke("hi") as Promise<string>);
      const streamed = await firstThatPasses(async (guarded) => (await drain(await guarded.stream("hi"))).join(""));
      expect(streamed).toBe(invoked);
      expect(invoked).toBeLessThan(40);
    });

    it("still end a window that costs too much", async () => {
      const guardrails = await open("1.0", ["self check output"], { events_per_turn: 3 });
      const streamed = await drain(await guardrails.wrap(new ChunkedModel(chunksOf(12))).stream("hi"));
      expect(streamed.map(textOf).join("")).not.toContain("word");
    });

    it.each(["self check output", "local check"])("allow 3,000 chunks with `%s`", async (rail) => {
      const guardrails = await open("1.0", [rail], { llm_calls_per_turn: 3, events_per_turn: 60 }, 64);
      let length = 0;
      async function* words(): AsyncGenerator<string> {
        for (let index = 0; index < 3_000; index += 1) yield "word ";
      }
      for await (const chunk of guardrails.output().transform(words() as never, {})) length += textOf(chunk).length;
      expect(length).toBe(3_000 * 5);
    });
  });
});

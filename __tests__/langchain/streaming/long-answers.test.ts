import { describe, expect, it } from "@jest/globals";
import type { AIMessageChunk } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, type Version } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "./chunked-model.js";

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

/** A guarded model is its own judge, and this one has one answer only. */
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
  it.each(cells)("let the stream of $title be as long as `invoke` lets it", async ({ version, wrap, output }) => {
    const chunks = chunksOf(80);
    // Enough for the whole answer, and far from enough for the sum of its windows.
    const guardrails = await open(version, output, { llm_calls_per_turn: 3, events_per_turn: 60 });
    const invoked = textOf(await wrap(guardrails, new ChunkedModel(chunks)).invoke("hi"));
    expect(invoked).toBe(chunks.join(""));
    const streamed = await drain(await wrap(guardrails, new ChunkedModel(chunks)).stream("hi"));
    expect(streamed.map(textOf).join("")).toBe(invoked);
    expect(streamed.length).toBeGreaterThan(30);
  });

  it.each(["llm_calls_per_turn", "events_per_turn"])(
    "count the same for a window as for `invoke`: %s",
    async (name) => {
      const firstThatPasses = async (ask: (guarded: Runnable) => Promise<string>): Promise<number> => {
        for (let limit = 1; limit < 40; limit += 1) {
          const guardrails = await open("1.0", ["self check output"], { [name]: limit });
          const model = new ChunkedModel(["word ", "word "]);
          const guarded = guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable) as Runnable;
          // After a window has left, a limit that ends the turn is an error.
          if ((await ask(guarded).catch(() => "")) === "word word ") return limit;
        }
        return Infinity;
      };
      const invoked = await firstThatPasses((guarded) => guarded.invoke("hi") as Promise<string>);
      const streamed = await firstThatPasses(async (guarded) => (await drain(await guarded.stream("hi"))).join(""));
      expect(streamed).toBe(invoked);
      expect(invoked).toBeLessThan(40);
    },
  );

  it("still end a window that costs too much", async () => {
    const guardrails = await open("1.0", ["self check output"], { events_per_turn: 3 });
    const streamed = await drain(await guardrails.wrap(new ChunkedModel(chunksOf(12))).stream("hi"));
    expect(streamed.map(textOf).join("")).not.toContain("word");
  });

  it.each(["self check output", "local check"])("let 3,000 chunks pass `%s`", async (rail) => {
    const guardrails = await open("1.0", [rail], { llm_calls_per_turn: 3, events_per_turn: 60 }, 64);
    let length = 0;
    async function* words(): AsyncGenerator<string> {
      for (let index = 0; index < 3_000; index += 1) yield "word ";
    }
    for await (const chunk of guardrails.output().transform(words() as never, {})) length += textOf(chunk).length;
    expect(length).toBe(3_000 * 5);
  });
});

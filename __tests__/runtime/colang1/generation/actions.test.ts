import { describe, expect, it } from "@jest/globals";
import { isActionResult } from "../../../../src/actions/action-result.js";
import { createGenerationActions } from "../../../../src/runtime/colang1/generation/actions.js";
import { type BenchOptions, openBench } from "./bench.js";

const DIALOG = `
define user say hello
  "hello"
define bot hi
  "Hi."
`;

const QUESTION = [
  { type: "UtteranceUserActionFinished", final_transcript: "what are tubes?" },
  { type: "UserMessage", text: "what are tubes?" },
];

const kb = {
  search: async (query: string) => [
    { title: "Tubes", file: "kb/tubes.md", body: `about ${query}`, metadata: {}, score: 0.7 },
    { title: "", file: "", body: "more", metadata: {} },
  ],
};

async function run(name: string, options: BenchOptions = {}, params: Record<string, unknown> = {}) {
  const bench = await openBench(options);
  const action = createGenerationActions(bench.generation).find((each) => each.name === name);
  const result = await action?.run(params, bench.action);
  return { bench, result: isActionResult(result) ? { ...result } : result };
}

describe("the actions of the pipeline", () => {
  it("are system actions under the names of the pipeline", async () => {
    const { generation } = await openBench();
    const actions = createGenerationActions(generation);
    expect(actions.map(({ name, system }) => [name, system])).toEqual([
      ["generate_user_intent", true],
      ["generate_next_step", true],
      ["generate_next_steps", true],
      ["generate_bot_message", true],
      ["retrieve_relevant_chunks", true],
      ["render_bot_message", true],
      ["generate_value", true],
    ]);
  });

  it.each<[string, string, BenchOptions, unknown]>([
    [
      "an intent",
      "generate_user_intent",
      { colang: DIALOG, llm: ["ask tubes"], context: { events: QUESTION } },
      { returnValue: null, events: [{ type: "UserIntent", intent: "ask tubes" }], contextUpdates: {} },
    ],
    [
      "the step of a model",
      "generate_next_steps",
      { colang: DIALOG, llm: ["bot explain tubes"], context: { events: [{ type: "UserIntent", intent: "ask" }] } },
      { returnValue: null, events: [{ type: "BotIntent", intent: "explain tubes" }], contextUpdates: {} },
    ],
    [
      "a flow of a model",
      "generate_next_step",
      {
        colang: DIALOG,
        llm: ["bot hi\nbot bye"],
        config: { enable_multi_step_generation: true },
        context: { events: [{ type: "UserIntent", intent: "ask" }] },
      },
      {
        returnValue: null,
        events: [{ type: "start_flow", flow_id: "flow-1", flow_body: "bot hi\nbot bye" }],
        contextUpdates: {},
      },
    ],
    [
      "a predefined message, which skips the output rails",
      "generate_bot_message",
      { colang: DIALOG, context: { events: [{ type: "BotIntent", intent: "hi" }] } },
      {
        returnValue: "Hi.",
        events: [{ type: "BotMessage", text: "Hi." }],
        contextUpdates: { skip_output_rails: true, _predefined_message: true },
      },
    ],
    [
      "chunks",
      "retrieve_relevant_chunks",
      { context: { events: QUESTION, kb } },
      {
        returnValue: "about what are tubes?\nmore",
        events: [],
        contextUpdates: {
          relevant_chunks: "about what are tubes?\nmore",
          relevant_chunks_sep: ["about what are tubes?", "more"],
          relevant_chunks_sources: [
            { title: "Tubes", file: "kb/tubes.md", score: 0.7 },
            { title: "", file: "" },
          ],
          retrieved_for: "what are tubes?",
        },
      },
    ],
    [
      "the caller's chunks, unchanged, without a knowledge base",
      "retrieve_relevant_chunks",
      { context: { events: QUESTION, context: { relevant_chunks: "mine" } } },
      { returnValue: "mine", events: [], contextUpdates: {} },
    ],
  ])("bring %s", async (_, name, options, expected) => {
    expect((await run(name, options)).result).toEqual(expected);
  });

  it("forget what was noted about the message before", async () => {
    const context = { _own_evidence: true, _predefined_message: true };
    const events = [{ type: "BotIntent", intent: "x" }];
    const { result } = await run("generate_bot_message", {
      colang: DIALOG,
      llm: ['"A."'],
      context: { context, events },
    });
    expect(result).toMatchObject({ contextUpdates: { _own_evidence: false, _predefined_message: false } });
  });

  it.each<[string, Record<string, unknown>, unknown[]]>([
    ["given", { var_name: "count" }, []],
    ["the result variable", {}, [{ type: "StartInternalSystemAction", action_result_key: "count" }]],
  ])("generate a value for the variable %s", async (_, params, events) => {
    const { result, bench } = await run(
      "generate_value",
      { colang: DIALOG, llm: ["3"], context: { events: events as never } },
      { instructions: null, ...params },
    );
    expect(result).toBe(3);
    expect(bench.model.calls[0]?.text).toContain("$count =");
  });

  it("render predefined messages and nothing else", async () => {
    expect((await run("render_bot_message", { colang: DIALOG }, { intent: "hi" })).result).toBe("Hi.");
    await expect(run("render_bot_message", { colang: DIALOG }, { intent: "bye" })).rejects.toThrow("`bye` is not");
  });

  it("refuse to generate a value for nothing", async () => {
    await expect(run("generate_value", { llm: [] })).rejects.toThrow("needs a variable");
  });
});

describe("without user messages", () => {
  const general = (options: BenchOptions) =>
    run("generate_user_intent", { ...options, context: { events: QUESTION, ...options.context } });

  it.each<[string, BenchOptions, string]>([
    ["the model answers", { llm: ['"Rubber rings."'] }, "Rubber rings."],
    ["a quote inside stays", { llm: ['They are "rings".'] }, 'They are "rings".'],
    ["the wrapped chain answers", { call: { generator: async () => ({ text: "Chain." }) } }, "Chain."],
    ["passthrough sends the text alone", { llm: ["Plain."], config: { passthrough: true } }, "Plain."],
    ["nothing becomes the fixed text", { llm: [""], config: { messages: { no_answer: "Hm." } } }, "Hm."],
  ])("%s", async (_, options, text) => {
    const { result } = await general(options);
    expect(result).toMatchObject({ events: [{ type: "BotMessage", text }] });
  });

  it("shows the model what the knowledge base has", async () => {
    const { bench, result } = await general({ llm: ["Rings."], context: { kb } });
    expect(bench.model.calls[0]?.text).toContain("about what are tubes?\nmore");
    expect(result).toMatchObject({ contextUpdates: { retrieved_for: "what are tubes?" } });
  });

  it("never shows chunks that the retrieval rails have not seen", async () => {
    const options = { llm: ["Rings."], config: { rails: { retrieval: { flows: ["mask"] } } }, context: { kb } };
    const colang = "";
    const { bench, result } = await general({ ...options, colang });
    expect(result).toMatchObject({ events: [{ type: "BotIntent", intent: "general response" }], contextUpdates: {} });
    expect(bench.model.calls).toEqual([]);
    const after = await run("generate_bot_message", {
      ...options,
      context: {
        kb,
        events: [...QUESTION, { type: "BotIntent", intent: "general response" }],
        context: { relevant_chunks: "masked" },
      },
    });
    expect(after.bench.model.calls[0]?.text).toContain("masked");
    expect(after.bench.model.calls[0]?.text).not.toContain("about what");
  });

  it("needs a model", async () => {
    await expect(general({})).rejects.toMatchObject({ code: "CF-119" });
  });
});

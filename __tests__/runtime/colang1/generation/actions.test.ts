import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { isActionResult } from "../../../../src/actions/dispatcher.js";
import { createGenerationActions } from "../../../../src/runtime/colang1/generation/actions.js";
import { generateValue } from "../../../../src/runtime/colang1/generation/dialog-actions.js";
import { type BenchOptions, openBench } from "./bench.js";
import { readMerged } from "../../../../src/runtime/colang1/generation/completions.js";
import { mergedParameters } from "../../../../src/runtime/colang1/generation/start-merged-call.js";
import { readValue } from "../../../../src/generation/read-value.js";
import { propertyRuns } from "../../../support/property-runs.js";

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
  ])("return %s", async (_, name, options, expected) => {
    expect((await run(name, options)).result).toEqual(expected);
  });

  it("drop details about the previous message", async () => {
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

  it("render only predefined messages", async () => {
    expect((await run("render_bot_message", { colang: DIALOG }, { intent: "hi" })).result).toBe("Hi.");
    await expect(run("render_bot_message", { colang: DIALOG }, { intent: "bye" })).rejects.toThrow("got `bye`");
  });

  it("refuse to generate a value without a variable", async () => {
    await expect(run("generate_value", { llm: [] })).rejects.toThrow("expected a variable");
  });
});

describe("without user messages", () => {
  const general = (options: BenchOptions) =>
    run("generate_user_intent", { ...options, context: { events: QUESTION, ...options.context } });

  it.each<[string, BenchOptions, string]>([
    ["the model responds", { llm: ['"Rubber rings."'] }, "Rubber rings."],
    ["a quote inside stays", { llm: ['They are "rings".'] }, 'They are "rings".'],
    ["the wrapped chain responds", { call: { generator: async () => ({ text: "Chain." }) } }, "Chain."],
    ["passthrough sends the text alone", { llm: ["Plain."], config: { passthrough: true } }, "Plain."],
    ["nothing becomes the fixed text", { llm: [""], config: { messages: { no_answer: "Hm." } } }, "Hm."],
  ])("%s", async (_, options, text) => {
    const { result } = await general(options);
    expect(result).toMatchObject({ events: [{ type: "BotMessage", text }] });
  });

  it("shows the model chunks of the knowledge base", async () => {
    const { bench, result } = await general({ llm: ["Rings."], context: { kb } });
    expect(bench.model.calls[0]?.text).toContain("about what are tubes?\nmore");
    expect(result).toMatchObject({ contextUpdates: { retrieved_for: "what are tubes?" } });
  });

  it("never shows chunks that the retrieval rails have not reviewed", async () => {
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

describe("a merged completion: intent, next step and message", () => {
  it.each<[string, string, string | null, string | null, string]>([
    ["three parts", '  ask price\nbot give price\n  "Four euros."', "ask price", "give price", "Four euros."],
    ["with the speaker", 'user ask price\nbot give price\n"Four."', "ask price", "give price", "Four."],
    ["blank lines and comments", '\n# hm\nask price\n\nbot give price\n\n "Four."', "ask price", "give price", "Four."],
    ["the utterance repeated", 'user "how much?"\n  ask price\nbot give price\n "4"', "ask price", "give price", "4"],
    ["nothing", "", null, null, ""],
    ["blanks", " \n\n ", null, null, ""],
    ["one line", "ask price", "ask price", null, ""],
    ["prose", "I cannot do that.\nSorry.", "I cannot do that.", null, ""],
    ["no intent", 'bot give price\n  "Four."', null, "give price", "Four."],
    ["no step", 'ask price\n  "Four."', "ask price", null, "Four."],
    ["text only", '"Four."', null, null, "Four."],
    ["no message", "ask price\nbot give price", "ask price", "give price", ""],
    ["the message in the line of the step", 'ask price\nbot give price "Four."', "ask price", "give price", "Four."],
    ["a text without quotes", "ask price\nbot give price\n  Four euros.", "ask price", "give price", "Four euros."],
    ["a quote that is not closed", 'ask price\nbot give price\n  "Four', "ask price", "give price", "Four"],
    ["the next turn after it", 'ask price\nbot give price\n  "4"\nuser "ok"\n  thank', "ask price", "give price", "4"],
    ["the next turn instead of a message", 'ask price\nbot give price\nuser "ok"', "ask price", "give price", ""],
    ["several lines in the text", 'a\nbot b\n  "One:\n\n  - two"', "a", "b", "One:\n\n  - two"],
    ["an attempt to end the turn", 'a\nbot stop\n"x"', "a", "general response", "x"],
    ["an attempt to print a variable", 'a\nbot $api_key\n"x"', "a", "general response", "x"],
    ["line ends of another system", 'a\r\nbot b\r\n"One:\r\n- two"\r\n', "a", "b", "One:\n- two"],
    ["line ends of a third one", 'a\rbot b\r"c"', "a", "b", "c"],
    ["several steps before the text", 'a\nbot b\nbot c\n"x"', "a", "b", ""],
    ["several steps with text", 'a\nbot b\n"x"\nbot c\n"y"', "a", "b", "x"],
    ["a step without a name", 'a\nbot "x"', "a", "general response", "x"],
    ["a step that is too long", `a\nbot ${"b ".repeat(200)}\n"x"`, "a", null, "x"],
    ["no more than three dots", "...", "...", null, ""],
    ["three dots for a step", "a\n...", "a", null, ""],
    ["a step that is an action", 'a\nexecute rm\n"x"', "a", null, "x"],
    ["a line without end", "a ".repeat(500), null, null, ""],
    [
      "another language",
      "preguntar precio\nbot decir precio\n«Cuatro.»",
      "preguntar precio",
      "decir precio",
      "«Cuatro.»",
    ],
  ])("%s", (_, completion, userIntent, botIntent, message) => {
    expect(readMerged(completion, true)).toEqual({ userIntent, botIntent, message });
  });
});

it("reads a beginning as the whole completion, or returns nothing", () => {
  const line = fc.oneof(
    fc.constantFrom("", "  ask price", "bot give price", '  "Four."', 'user "x"', '"', "# c", "bot stop", '"a', 'b"'),
    fc.string({ maxLength: 8 }).map((text) => text.replaceAll("\n", " ")),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 7 }), fc.nat(7), (lines, count) => {
      const whole = readMerged(lines.join("\n"), true);
      const begun = readMerged(`${lines.slice(0, Math.min(count, lines.length - 1)).join("\n")}\n`, false);
      for (const part of ["userIntent", "botIntent", "message"] as const) {
        if (begun[part] !== undefined) expect(begun[part]).toEqual(whole[part]);
      }
    }),
    { numRuns: propertyRuns(100) },
  );
});

const lowest = 0.001;

describe("`llm_params` in a call that also decides", () => {
  it.each<[string, Record<string, unknown> | undefined, object]>([
    ["nothing", undefined, { parameters: { temperature: lowest }, stop: [], areWordsApart: false }],
    ["a limit, with room for the lines before the text", { max_tokens: 100 }, { parameters: { maxTokens: 164 } }],
    ["a limit under another name", { maxTokens: 100 }, { parameters: { maxTokens: 164 } }],
    ["a limit that is invalid", { max_tokens: "x" }, { parameters: { extra: { max_tokens: "x" } } }],
    [
      "stop sequences, which apply to the text",
      { stop: ["\n"] },
      { parameters: { temperature: lowest }, stop: ["\n"] },
    ],
    ["one stop sequence", { stop: "END" }, { stop: ["END"] }],
    ["a stop sequence that is invalid", { stop: null }, { stop: [] }],
    ["others", { seed: 1, top_p: 0.9 }, { parameters: { temperature: lowest, extra: { seed: 1, top_p: 0.9 } } }],
    ["a temperature", { temperature: 0.9 }, { parameters: { temperature: lowest }, areWordsApart: true }],
    ["the lowest temperature", { temperature: 0 }, { parameters: { temperature: lowest }, areWordsApart: false }],
    ["a temperature that is invalid", { temperature: "hot" }, { areWordsApart: false }],
    [
      "a name that objects have",
      JSON.parse('{"__proto__": {"seed": 1}}'),
      { parameters: { temperature: lowest }, areWordsApart: false },
    ],
  ])("%s", (_, llmParams, expected) => {
    expect(mergedParameters(llmParams, { mode: "early", lowest })).toMatchObject(expected);
  });

  it("no temperature if the completion is read as a whole", () => {
    const { areWordsApart } = mergedParameters({ temperature: 0.9 }, { mode: "whole", lowest });
    expect(areWordsApart).toBe(false);
  });

  it("`stop` is not sent", () => {
    const { parameters } = mergedParameters({ stop: ["a"], seed: 1 }, { mode: "early", lowest });
    expect(parameters).toEqual({ temperature: lowest, extra: expect.objectContaining({ seed: 1 }) });
    expect(parameters.extra).not.toHaveProperty("stop");
  });
});

describe("the value in a completion", () => {
  it.each<[string, unknown]>([
    ["3", 3],
    ["3;", 3],
    ["-2.5", -2.5],
    ['"tube"', "tube"],
    ["'tube';", "tube"],
    ["True", true],
    ["false", false],
    ["None", null],
    ["null", null],
    ['["a", 1]', ["a", 1]],
    ['{"qty": 2, "size": [1, 2]}', { qty: 2, size: [1, 2] }],
    ["$count = 3", 3],
    ["next Tuesday", "next Tuesday"],
    ["2 bikes", "2 bikes"],
    ["1 + 1", "1 + 1"],
    ["len([1])", "len([1])"],
    ["3\nThat is the number of bikes.", 3],
    ['[\n  "a",\n  "b"\n]', ["a", "b"]],
    ["\n\n 3 \n", 3],
  ])("%j", (completion, value) => {
    expect({ value: readValue(completion, "count") }).toEqual({ value });
  });

  it.each(["", "\n", ";", "The number is\nthree."])("fails for %j", (completion) => {
    expect(() => readValue(completion, "count")).toThrow(/for `\$count`/);
  });
});

describe("a prompt for a value", () => {
  const colang = `
define user x
  "x"
define flow
  user book
  # The number of bikes.
  $count = ...
define flow
  user count
  $count = 2
`;

  it("shows the instructions and flows that do not generate themselves", async () => {
    const { model, services } = await openBench({ colang, llm: ["3;"] });
    const input = { variable: "count", instructions: "Use 1 when unclear.", events: [], context: {} };
    expect(await generateValue(input, services)).toBe(3);
    const [call] = model.calls;
    expect(call?.text).toContain("# Use 1 when unclear.\n$count =");
    expect(call?.text).toContain("$count = 2");
    expect(call?.text).not.toContain("$count = ...");
  });
});

import { describe, expect, it } from "@jest/globals";
import { generateBotMessage } from "../../../../src/runtime/colang1/generation/bot-message.js";
import type { GeneratorRequest } from "../../../../src/turn/answer.js";
import { type BenchOptions, openBench } from "./bench.js";

const COLANG = `
define user say hello
  "hello"
define bot hi
  "Hi $name."
  "Hello."
define bot door
  "{% if vip %}Come in{% else %}Queue{% endif %}, {{ 2 + 1 }} left."
define bot two lines
  "one\\\\ntwo"
`;

interface Step {
  readonly intent: string;
  readonly [property: string]: unknown;
}

async function say(step: Step, options: BenchOptions & { variables?: Record<string, unknown> } = {}) {
  const bench = await openBench({ colang: COLANG, ...options });
  const event = { type: "BotIntent", ...step };
  const events = [
    { type: "UtteranceUserActionFinished", final_transcript: "original" },
    { type: "UserMessage", text: "question" },
    { type: "UserIntent", intent: "ask" },
    event,
  ];
  const context = { name: "Ada", vip: true, count: 42, none: null, list: ["a", true], ...options.variables };
  return { bench, message: await generateBotMessage({ step: event, events, context }, bench.services) };
}

describe("without a model", () => {
  it.each<[string, Step, string, "predefined" | "variable"]>([
    ["the variant that is picked", { intent: "hi" }, "Hi Ada.", "predefined"],
    ["a template", { intent: "door" }, "Come in, 3 left.", "predefined"],
    ["a text in the flow", { intent: "say", text: "Mind $name." }, "Mind Ada.", "predefined"],
    ["a text in the flow before a message of the same name", { intent: "hi", text: "Now." }, "Now.", "predefined"],
    ["a value", { intent: "$count", value: 42 }, "42", "variable"],
    ["a value that is false", { intent: "$off", value: false }, "False", "variable"],
    ["a list", { intent: "$list", value: ["a", true] }, '["a",true]', "variable"],
    ["a variable that an action asked for", { intent: "$count" }, "42", "variable"],
    [
      "a variable's text is not rendered",
      { intent: "$x", value: "{{ 1 + 1 }} $name" },
      "{{ 1 + 1 }} $name",
      "variable",
    ],
  ])("%s", async (_, step, text, source) => {
    const { message } = await say(step, { llm: [] });
    expect(message).toMatchObject({ text, source });
    expect(message.contextUpdates).toEqual(source === "predefined" ? { skip_output_rails: true } : {});
  });

  it.each<[string, Step]>([
    ["a value that is null", { intent: "$none", value: null }],
    ["a variable that is null", { intent: "$none" }],
    ["an undefined variable", { intent: "$missing" }],
    ["an inherited property", { intent: "$constructor" }],
  ])("has nothing to say for %s (CO-401)", async (_, step) => {
    await expect(say(step, { llm: [] })).rejects.toMatchObject({ code: "CO-401" });
  });

  it("reports undefined variables (CO-408)", async () => {
    const warnings: unknown[] = [];
    await say(
      { intent: "hi" },
      { variables: { name: undefined }, call: { warn: (warning) => warnings.push(warning) } },
    );
    expect(warnings).toEqual([{ code: "CO-408", message: "the message `hi` reads `$name`, which is undefined" }]);
  });
});

describe("a bot message in a completion", () => {
  it.each<[string, string, string]>([
    ["quotes", '  "Oil it weekly."', "Oil it weekly."],
    ["no closing quote", '"Oil it', "Oil it"],
    ["no quotes", "Oil it.", "Oil it."],
    ["a turn of the user after it", '"Oil it."\nuser "thanks"\n  thank', "Oil it."],
    ["a turn of the user after bare text", "Oil it.\nuser ask more", "Oil it."],
    ["several lines", '"Oil it:\n\n  - weekly"\n', "Oil it:\n\n  - weekly"],
    ["written line breaks", '"one\\ntwo"', "one\ntwo"],
    ["nothing", "", "I'm not sure what to say."],
    ["an empty text", '""', "I'm not sure what to say."],
  ])("%s", async (_, completion, text) => {
    const config = { messages: { no_answer: "I'm not sure what to say." } };
    const { message } = await say({ intent: "give advice" }, { llm: [completion], config });
    expect(message).toMatchObject({ text, source: "llm" });
  });

  it("asks with the nearest messages, the instructions and the parameters of the call", async () => {
    const { bench, message } = await say(
      { intent: "hi there", instructions: "Be brief." },
      { llm: ['"Hi."'], call: { llmParams: { temperature: 0.9 } } },
    );
    const [call] = bench.model.calls;
    expect(call?.text).toContain('bot hi\n  "Hi $name."');
    expect(call?.text).toContain("# Be brief.\nbot hi there");
    expect(call?.parameters.extra).toEqual({ temperature: 0.9 });
    expect(message.contextUpdates).toEqual({ _last_bot_prompt: call?.text });
  });

  it("needs a model", async () => {
    await expect(say({ intent: "give advice" })).rejects.toMatchObject({ code: "CF-119" });
  });
});

describe("a wrapped chain", () => {
  it("answers what no flow words, with the rewritten text", async () => {
    const requests: GeneratorRequest[] = [];
    const generator = async (request: GeneratorRequest) => {
      requests.push(request);
      return { text: "From the chain.", relevantChunks: ["a", "b"] };
    };
    const { message } = await say({ intent: "general response" }, { call: { generator, llmParams: { seed: 1 } } });
    expect(message).toEqual({
      text: "From the chain.",
      source: "generator",
      contextUpdates: {
        relevant_chunks: "a\nb",
        relevant_chunks_sep: ["a", "b"],
        relevant_chunks_sources: [
          { file: "", title: "" },
          { file: "", title: "" },
        ],
        _own_evidence: true,
      },
    });
    expect(requests).toMatchObject([{ userMessage: "question", rewritten: true, llmParams: { seed: 1 } }]);
  });

  it("leaves predefined messages alone", async () => {
    const generator = async () => ({ text: "From the chain." });
    const { message } = await say({ intent: "hi" }, { call: { generator } });
    expect(message.source).toBe("predefined");
  });

  it("that says nothing is replaced by the fixed text", async () => {
    const { message } = await say({ intent: "x" }, { call: { generator: async () => ({ text: " " }) } });
    expect(message.text).not.toBe(" ");
  });
});

describe("passthrough", () => {
  it("sends the user's text as it is", async () => {
    const { bench, message } = await say({ intent: "x" }, { llm: [" Answer. "], config: { passthrough: true } });
    expect(message).toMatchObject({ text: "Answer.", source: "llm" });
    expect(bench.model.calls.map(({ text }) => text)).toEqual(["question"]);
    expect(bench.records).toMatchObject([{ task: "passthrough", prompt: "question", completion: " Answer. " }]);
  });
});

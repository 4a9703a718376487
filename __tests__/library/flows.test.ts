import { describe, expect, it } from "@jest/globals";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { ScriptedModel } from "../support/language-models/scripted-model.js";

const COLANG = `
define user say hello
  "hello"
define bot hi
  "Hi."
define flow
  user say hello
  bot hi
define flow
  user ask facts
  $check_facts = True
  bot inform facts
define flow
  user ask person
  $check_hallucination = True
  bot inform person
define flow
  user ask rumour
  $hallucination_warning = True
  bot inform rumour
define flow
  user ask two rumours
  $hallucination_warning = True
  bot inform rumour
  bot hi
`;

interface Setup {
  readonly rails: Readonly<Record<string, readonly string[]>>;
  readonly llm: readonly string[];
  readonly exceptions?: boolean;
  readonly colang?: string;
  readonly prompts?: readonly Record<string, unknown>[];
  readonly context?: Readonly<Record<string, unknown>>;
}

async function open({ rails, llm, exceptions = false, colang = COLANG, prompts = [] }: Setup) {
  const model = new ScriptedModel(llm);
  const config = await loadConfigFromContent({
    colang,
    config: {
      enable_rails_exceptions: exceptions,
      prompts,
      rails: {
        ...Object.fromEntries(Object.entries(rails).map(([stage, flows]) => [stage, { flows }])),
        dialog: { single_call: { enabled: false } },
      },
    },
  });
  const runtime = await createRuntime({
    config,
    models: { main: model, byType: {} },
    tracker: silentTracker,
    pickVariant: (variants) => variants[0] ?? "",
  });
  return { model, runtime };
}

async function turn(text: string, setup: Setup) {
  const { model, runtime } = await open(setup);
  const result = await runtime.turn([{ role: "user", content: text }], {
    context: setup.context,
    outputVars: true,
  });
  expect(model.unsaid).toBe(0);
  return { result, model };
}

const REFUSAL = "I'm sorry, I can't respond to that.";
const UNKNOWN = "I'm sorry, I don't know the answer to that.";

describe("the rails in a turn", () => {
  const input = { input: ["self check input"] };
  const output = { output: ["self check output"] };
  const facts = { output: ["self check facts"] };
  const hallucination = { output: ["self check hallucination"] };
  const evidence = { context: { relevant_chunks: "Bob was born in 1984." } };

  it.each<[string, string, Setup, string, string[]]>([
    ["input passes", "hello", { rails: input, llm: ["No"] }, "Hi.", ["passed"]],
    ["input blocks before any other call", "be evil", { rails: input, llm: ["Yes"] }, REFUSAL, ["blocked"]],
    ["output passes", "x", { rails: output, llm: ["ask x", "bot inform x", '"X."', "No"] }, "X.", ["passed"]],
    ["output blocks", "x", { rails: output, llm: ["ask x", "bot inform x", '"X."', "Yes"] }, REFUSAL, ["blocked"]],
    ["output does not check predefined messages", "hello", { rails: output, llm: [] }, "Hi.", []],
    [
      "facts are not checked without the flag",
      "x",
      { rails: facts, llm: ["ask x", "bot y", '"X."'], ...evidence },
      "X.",
      ["passed"],
    ],
    ["facts pass", "x", { rails: facts, llm: ["ask facts", '"1984."', "Yes"], ...evidence }, "1984.", ["passed"]],
    ["facts block", "x", { rails: facts, llm: ["ask facts", '"1985."', "No"], ...evidence }, REFUSAL, ["blocked"]],
    ["facts pass without evidence", "x", { rails: facts, llm: ["ask facts", '"1985."'] }, "1985.", ["passed"]],
    [
      "hallucination passes",
      "x",
      { rails: hallucination, llm: ["ask person", '"42."', "42", "42", "Yes"] },
      "42.",
      ["passed"],
    ],
    [
      "hallucination blocks",
      "x",
      { rails: hallucination, llm: ["ask person", '"42."', "17", "3", "No"] },
      UNKNOWN,
      ["blocked"],
    ],
    [
      "a reworded refusal",
      "be evil",
      { rails: input, llm: ["Yes"], colang: 'define bot refuse to respond\n  "No way."' },
      "No way.",
      ["blocked"],
    ],
    ["an unreadable verdict blocks as an error", "be evil", { rails: input, llm: ["Hm", "Hm"] }, REFUSAL, ["error"]],
  ])("%s", async (_, text, setup, reply, statuses) => {
    const { result } = await turn(text, setup);
    expect(result.text).toBe(reply);
    expect(result.decisions.map(({ status }) => status)).toEqual(statuses);
  });

  it.each<[string, string, Setup, string]>([
    ["input", "x", { rails: input, llm: ["Yes"] }, "InputRailException"],
    ["output", "x", { rails: output, llm: ["ask x", "bot inform x", '"X."', "Yes"] }, "OutputRailException"],
    ["facts", "x", { rails: facts, llm: ["ask facts", '"1985."', "No"], ...evidence }, "FactCheckRailException"],
    [
      "hallucination",
      "x",
      { rails: hallucination, llm: ["ask person", '"42."', "1", "2", "No"] },
      "SelfCheckHallucinationRailException",
    ],
  ])("raise an exception with `enable_rails_exceptions`: %s", async (_, text, setup, type) => {
    const { result } = await turn(text, { ...setup, exceptions: true });
    expect(result).toMatchObject({ status: "exception", text: "", exception: { type, message: expect.any(String) } });
  });

  it("use the prompt of a variant, separately for each reference", async () => {
    const prompts = [{ task: "legal_check", content: "Legal? {{ user_input }}" }];
    const rails = { input: ["self check input $variant=legal_check", "self check input"] };
    const { model } = await turn("hello", { rails, llm: ["No", "No"], prompts });
    expect(model.calls.map(({ text }) => text.startsWith("Legal?")).sort()).toEqual([false, true]);
  });

  it("check one message each time the flag is set", async () => {
    const { runtime, model } = await open({
      rails: facts,
      llm: ["ask facts", '"1984."', "Yes", "ask x", "bot y", '"Y."'],
    });
    const options = { config: { configurable: { thread_id: "t" } }, ...evidence };
    await runtime.turn([{ role: "user", content: "a" }], options);
    const second = await runtime.turn([{ role: "user", content: "b" }], options);
    expect([second.text, model.unsaid]).toEqual(["Y.", 0]);
  });

  it("give the reason in the decision, without the text", async () => {
    const { result } = await turn("be evil", { rails: input, llm: ["unsafe\nS1"] });
    expect(result.decisions).toMatchObject([
      {
        stage: "input",
        rail: "self check input",
        status: "blocked",
        refusal: REFUSAL,
        reason: "the model says that the text should be blocked",
        categories: ["S1"],
      },
    ]);
    expect(JSON.stringify(result.decisions)).not.toContain("evil");
  });
});

describe("hallucination warning", () => {
  it.each<[string, string[], string]>([
    [
      "adds a warning",
      ["ask rumour", '"42."', "1", "2", "No"],
      "42.\nPlease double-check this answer: parts of it may not be accurate.",
    ],
    [
      "goes before the next message, and doubts only one",
      ["ask two rumours", '"42."', "1", "2", "No"],
      "42.\nPlease double-check this answer: parts of it may not be accurate.\nHi.",
    ],
    ["stays silent", ["ask rumour", '"42."', "42", "42", "Yes"], "42."],
    ["does nothing without the flag", ["ask x", "bot y", '"Y."'], "Y."],
  ])("%s", async (_, llm, reply) => {
    const { result } = await turn("x", { rails: { output: ["self check hallucination"] }, llm });
    expect(result.text).toBe(reply);
  });
});

import { describe, expect, it } from "@jest/globals";
import type { ActionDefinition } from "../../src/actions/action.js";
import { ModelError, OutputParseError } from "../../src/diagnostics/errors.js";
import { LIBRARY_RAILS } from "../../src/library/manifest.js";
import { railActions } from "../../src/library/rail-code.js";
import { check } from "./check-context.js";

const [selfCheckInputAction, selfCheckOutputAction, selfCheckFactsAction, selfCheckHallucinationAction] = [
  "self_check_input",
  "self_check_output",
  "self_check_facts",
  "self_check_hallucination",
].map(actionOf) as [ActionDefinition, ActionDefinition, ActionDefinition, ActionDefinition];

function actionOf(name: string): ActionDefinition {
  const found = railActions(LIBRARY_RAILS).find((action) => action.name === name);
  if (found === undefined) throw new Error(`no action ${name}`);
  return found;
}

const MASK = [{ type: "mask_prev_user_message", intent: "unanswerable message" }];

const SUBJECT = {
  user_message: "How old is Bob?",
  bot_message: "Bob is 42.",
  relevant_chunks: "Bob was born 42 years ago.",
};

/** Each rail with its results for a pass and for a block, and the responses before the verdict. */
const RAILS: readonly (readonly [string, ActionDefinition, unknown, unknown, readonly string[]])[] = [
  ["input", selfCheckInputAction, true, false, []],
  ["output", selfCheckOutputAction, true, false, []],
  ["facts", selfCheckFactsAction, 1, 0, []],
  ["hallucination", selfCheckHallucinationAction, false, true, ["He is 42.", '"42"']],
];

const PASSING: Readonly<Record<string, readonly string[]>> = {
  input: ["No", "no.", "**No**", "safe", "Answer: No", "<think>Yes? No.</think>No"],
  facts: ["Yes", "yes.", "**Yes**", "<think>No?</think>Yes"],
};

const BLOCKING: Readonly<Record<string, readonly string[]>> = {
  input: ["Yes", "yes, it insults", "unsafe", "Not safe.", "unsafe\nS1"],
  facts: ["No", "no.", "No, the evidence says nothing of it."],
};

const UNREADABLE = ["", "I cannot help with that.", "Yes and no", "maybe", "<think>No", "Yes\nNo"];

const STRICT = /\n\nReply in exactly this format: [^]*\nAnswer:$/;

const verdictsOf = (rail: string, table: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  table[rail === "input" || rail === "output" ? "input" : "facts"] ?? [];

describe.each(RAILS)("the verdict of self check %s", (rail, action, passes, blocks, samples) => {
  it.each(verdictsOf(rail, PASSING))("passes on %j", async (completion) => {
    const checked = await check(action, SUBJECT, { llm: [...samples, completion] });
    expect(checked).toMatchObject({ value: passes, events: [], unsaid: 0 });
    expect(checked.details?.reason).toEqual(expect.any(String));
  });

  it.each(verdictsOf(rail, BLOCKING))("blocks on %j", async (completion) => {
    const checked = await check(action, SUBJECT, { llm: [...samples, completion] });
    expect(checked).toMatchObject({ value: blocks, events: rail === "input" ? MASK : [], unsaid: 0 });
    expect(checked.details?.reason).toEqual(expect.any(String));
  });

  it.each(UNREADABLE)("calls the model once more with a stricter format after %j", async (completion) => {
    const [good = ""] = verdictsOf(rail, PASSING);
    const checked = await check(action, SUBJECT, { llm: [...samples, completion, good] });
    expect(checked).toMatchObject({ value: passes, unsaid: 0 });
    const [first = "", second = ""] = checked.calls.slice(samples.length).map(({ text }) => text);
    expect(first).not.toMatch(STRICT);
    expect(second.replace(STRICT, "")).toBe(first);
    expect(second).toMatch(STRICT);
  });

  it("accepts a block as the second reply", async () => {
    const [bad = ""] = verdictsOf(rail, BLOCKING);
    expect(await check(action, SUBJECT, { llm: [...samples, "maybe", bad] })).toMatchObject({
      value: blocks,
      unsaid: 0,
    });
  });

  it.each(UNREADABLE)("is an error after two times %j", async (completion) => {
    const checked = check(action, SUBJECT, { llm: [...samples, completion, completion] });
    await expect(checked).rejects.toThrow(OutputParseError);
    await expect(checked).rejects.toThrow(/the judge's reply for the task `\w+` is unclear: .*, also when asked again/);
    // The completion may repeat what must not be shown.
    await expect(checked).rejects.not.toThrow(/cannot help/);
  });

  it("passes an empty text without a model call", async () => {
    const checked = await check(action, { user_message: " ", bot_message: "" }, { llm: [] });
    expect(checked).toMatchObject({ value: passes, details: { reason: "there is no text to check" } });
  });

  it("needs a model", async () => {
    await expect(check(action, SUBJECT)).rejects.toMatchObject({ code: "CF-119" });
  });

  it("rethrows the error of a failed call", async () => {
    await expect(check(action, SUBJECT, { llm: [new Error("rate limit")] })).rejects.toThrow(ModelError);
  });

  it("calls the model at the lowest temperature with room for reasoning", async () => {
    const [good = ""] = verdictsOf(rail, PASSING);
    const { calls } = await check(action, SUBJECT, { llm: [...samples, good], config: { lowest_temperature: 0.01 } });
    expect(calls.at(-1)?.parameters).toMatchObject({ temperature: 0.01, maxTokens: 1024 });
  });

  it("has no effect but its verdict", () => {
    expect([action.verdict, action.system]).toEqual([true, true]);
  });
});

describe("texts that the model sees", () => {
  it.each<[string, ActionDefinition, readonly string[], readonly string[]]>([
    ["input", selfCheckInputAction, ["No"], ["How old is Bob?"]],
    ["output", selfCheckOutputAction, ["No"], ["How old is Bob?", "Bob is 42."]],
    ["facts", selfCheckFactsAction, ["Yes"], ["Bob was born 42 years ago.", "Bob is 42."]],
    ["hallucination", selfCheckHallucinationAction, ["He is 42.", '"42"', "Yes"], ["He is 42. 42", "Bob is 42."]],
  ])("by self check %s", async (_, action, llm, texts) => {
    const { calls } = await check(action, SUBJECT, { llm });
    for (const text of texts) expect(calls.at(-1)?.text).toContain(text);
  });

  it("by the samples: the question and the evidence, at a temperature of 1", async () => {
    const { calls } = await check(
      selfCheckHallucinationAction,
      SUBJECT,
      { llm: ["a", "b", "c", "Yes"] },
      { num_samples: 3 },
    );
    const samples = calls.slice(0, 3);
    expect(samples.map(({ parameters }) => parameters.temperature)).toEqual([1, 1, 1]);
    for (const { text } of samples) {
      expect(text).toContain("How old is Bob?");
      expect(text).toContain("Bob was born 42 years ago.");
      expect(text).not.toContain("Bob is 42.");
    }
  });
});

describe("a prompt of the configuration", () => {
  const prompts = (fields: Record<string, unknown>) => ({
    config: { prompts: [{ task: "self_check_input", content: "Block? {{ user_input }}", ...fields }] },
  });

  it("replaces the built-in prompt and states its own limits", async () => {
    const { calls } = await check(selfCheckInputAction, SUBJECT, { ...prompts({ max_tokens: 8 }), llm: ["No"] });
    expect(calls).toMatchObject([{ text: "Block? How old is Bob?", parameters: { maxTokens: 8 } }]);
  });

  it("may be chosen by a variant", async () => {
    const { calls } = await check(
      selfCheckInputAction,
      SUBJECT,
      { config: { prompts: [{ task: "legal_check", content: "Legal? {{ user_input }}" }] }, llm: ["Yes"] },
      { variant: "legal_check" },
    );
    expect(calls).toMatchObject([{ text: "Legal? How old is Bob?" }]);
  });

  it.each(["nothing", 3])("must exist for the variant %j", async (variant) => {
    const checked = check(selfCheckOutputAction, SUBJECT, { llm: ["No"] }, { variant });
    await expect(checked).rejects.toMatchObject({ code: "PR-105" });
  });

  it("reports categories", async () => {
    const { details } = await check(selfCheckInputAction, SUBJECT, { llm: ["unsafe\nS1, S7"] });
    expect(details).toMatchObject({ categories: ["S1", "S7"], metadata: { task: "self_check_input" } });
  });
});

describe("long texts", () => {
  const config = { prompts: [{ task: "self_check_input", content: "Block? {{ user_input }}", max_length: 1007 }] };
  const text = (length: number): string =>
    Array.from({ length }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");

  it("are checked in overlapping parts that cover everything", async () => {
    const message = text(2000);
    const { calls, value } = await check(
      selfCheckInputAction,
      { user_message: message },
      { config, llm: ["No", "No", "No"] },
    );
    const parts = calls.map((call) => call.text.slice("Block? ".length));
    expect(parts.map(({ length }) => length)).toEqual([1000, 1000, 800]);
    expect(parts[0] + (parts[1] ?? "").slice(400) + (parts[2] ?? "").slice(400)).toBe(message);
    expect(value).toBe(true);
  });

  it("are blocked by the first bad part", async () => {
    const checked = await check(selfCheckInputAction, { user_message: text(2000) }, { config, llm: ["No", "Yes"] });
    expect(checked).toMatchObject({ value: false, unsaid: 0 });
  });

  it("have a limit (RL-106)", async () => {
    const most = 600 * 8 + 400;
    const enough = await check(
      selfCheckInputAction,
      { user_message: text(most) },
      { config, llm: Array(8).fill("No") },
    );
    expect(enough.calls).toHaveLength(8);
    const tooLong = check(selfCheckInputAction, { user_message: text(most + 1) }, { config, llm: [] });
    await expect(tooLong).rejects.toMatchObject({ code: "RL-106", maximum: most });
  });

  it("have no room if the prompt alone is too long (PR-107)", async () => {
    const full = {
      prompts: [{ task: "self_check_input", content: `Block? ${"x".repeat(100)} {{ user_input }}`, max_length: 50 }],
    };
    const asked = check(selfCheckInputAction, { user_message: "hi" }, { config: full, llm: [] });
    await expect(asked).rejects.toMatchObject({
      code: "PR-107",
      limit: "max_length",
      maximum: 50,
      message:
        "the prompt of the task `self_check_input` is over its limit of 50 characters without the text that it judges: shorten its policies, or raise `max_length` of the prompt",
    });
  });

  it("of evidence are searched for a part that supports the message", async () => {
    const facts = {
      prompts: [{ task: "self_check_facts", content: "{{ evidence }}|{{ response }}", max_length: 1100 }],
    };
    const subject = { bot_message: "Bob is 42.", relevant_chunks: text(2000) };
    const checked = await check(selfCheckFactsAction, subject, { config: facts, llm: ["No", "Yes"] });
    expect(checked).toMatchObject({ value: 1, details: { score: 1, threshold: 0.5 } });
  });

  it("fit next to a long question", async () => {
    const output = {
      prompts: [{ task: "self_check_output", content: "{{ user_input }}|{{ bot_response }}", max_length: 3000 }],
    };
    const subject = { user_message: text(5000), bot_message: "short" };
    const { calls } = await check(selfCheckOutputAction, subject, { config: output, llm: ["No"] });
    expect(calls[0]?.text).toBe(`${text(1000)} …|short`);
  });
});

describe("facts and hallucination", () => {
  it("pass without evidence", async () => {
    const checked = await check(selfCheckFactsAction, { bot_message: "x" }, { llm: [] });
    expect(checked).toMatchObject({ value: 1, details: { reason: "there is no evidence" } });
  });

  it("accept a list of chunks as evidence", async () => {
    const subject = { bot_message: "x", relevant_chunks_sep: ["one", "two"] };
    const { calls } = await check(selfCheckFactsAction, subject, { llm: ["Yes"] });
    expect(calls[0]?.text).toContain("one\ntwo");
  });

  it("do not doubt predefined messages", async () => {
    const subject = { ...SUBJECT, _predefined_message: true };
    expect(await check(selfCheckHallucinationAction, subject, { llm: [] })).toMatchObject({ value: false });
  });

  it.each<[string, Record<string, unknown>, readonly string[], Record<string, unknown>, RegExp]>([
    ["a question", { bot_message: "x" }, [], {}, /needs the user's question/],
    ["responses to compare with", SUBJECT, ["", '""'], {}, /gave no further answers/],
    ["a whole number of samples", SUBJECT, [], { num_samples: 0 }, /whole number from 1 to 10/],
    ["a bounded number of samples", SUBJECT, [], { num_samples: 11 }, /whole number from 1 to 10/],
  ])("need %s", async (_, subject, llm, params, message) => {
    await expect(check(selfCheckHallucinationAction, subject, { llm }, params)).rejects.toThrow(message);
  });

  const each = (settings: object) => ({
    config: { rails: { config: { self_check_hallucination: { method: "each", ...settings } } } },
  });

  it.each<[string, object, readonly string[], boolean, number]>([
    ["most", { num_samples: 3, threshold: 0.6 }, ["Yes", "No", "Yes"], false, 0.67],
    ["too few", { num_samples: 3, threshold: 0.7 }, ["Yes", "No", "Yes"], true, 0.67],
    ["half of the usual two", {}, ["Yes", "No"], false, 0.5],
    ["none", { num_samples: 1 }, ["No"], true, 0],
  ])("compare with each sample: %s agree", async (_, settings, verdicts, doubtful, score) => {
    const samples = verdicts.map((_verdict, index) => `${index}`);
    const checked = await check(selfCheckHallucinationAction, SUBJECT, {
      ...each(settings),
      llm: [...samples, ...verdicts],
    });
    expect(checked).toMatchObject({ value: doubtful, unsaid: 0 });
    expect(checked.details?.score).toBeCloseTo(score, 2);
    const paragraphs = checked.calls.slice(samples.length).map(({ text }) => /<answers>\n(.*)\n/.exec(text)?.[1]);
    expect(paragraphs).toEqual(samples);
  });
});

// Fields of decisions and of variables that rails leave, as callers read them.
import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage } from "@langchain/core/messages";
import { FakeRetriever } from "@langchain/core/utils/testing";
import { Guardrails, type GuardrailsOptions, type RailDecision, verdictOf } from "../../src/index.js";
import { withoutQuotes } from "../../src/langchain/verdict.js";
import { scriptedModel } from "../../src/testing/index.js";
import { summarizeDecisions } from "../../src/turn/decision.js";

const made = (colang: string, rails: object, options: GuardrailsOptions = {}): Promise<Guardrails> =>
  Guardrails.fromConfig({ colang, config: { rails } }, { logger: false, ...options });

describe("a decision about reasoning", () => {
  const colang = "define subflow note\n  $seen = execute note(text=$bot_message)\n";
  const thinking = new AIMessage({
    content: [
      { type: "reasoning", reasoning: "let me see" },
      { type: "text", text: "fine" },
    ] as never,
  });

  it.each([
    [true, [["note", "reasoning"], ["note"]]],
    [false, [["note"]]],
  ])("says so when `apply_to_reasoning_traces` is %p", async (applies, expected) => {
    const output = { flows: ["note"], apply_to_reasoning_traces: applies };
    const guardrails = await made(colang, { output }, { actions: { note: () => true } });
    const message = await guardrails.wrap(scriptedModel([thinking])).invoke("hi");
    const named = verdictOf(message)?.decisions.map((decision) =>
      "about" in decision ? [decision.rail, decision.about] : [decision.rail],
    );
    expect(named?.toSorted((left, right) => right.length - left.length)).toEqual(expected);
  });
});

describe("chunks after the retrieval rails", () => {
  const documents = ["Bells ring.", "Tyres roll."].map((pageContent) => new Document({ pageContent }));

  it.each([
    ["a rail that rewrites none", "  $note = 1", ["Bells ring.", "Tyres roll."]],
    ["a rail that rewrites the text", '  $relevant_chunks = "Bikes."', ["Bikes."]],
    ["a rail that empties the text", '  $relevant_chunks = ""', []],
    ["a rail that rewrites both", '  $relevant_chunks = "A. B."\n  $relevant_chunks_sep = ["A.", "B."]', ["A.", "B."]],
  ])("of %s are those that it left", async (_title, body, expected) => {
    const guardrails = await made(
      `define subflow edit\n${body}\n`,
      { retrieval: { flows: ["edit"] } },
      {
        llm: scriptedModel("fine"),
        retriever: new FakeRetriever({ output: documents }),
      },
    );
    const { outputData } = await guardrails.generate("What rings?", { outputVars: ["relevant_chunks_sep"] });
    expect(outputData).toEqual({ relevant_chunks_sep: expected });
  });
});

describe("decisions without quotes of a text", () => {
  const text = "a long text that must stay hidden";
  const decision = (fields: Partial<RailDecision>): RailDecision => ({
    status: "blocked",
    stage: "input",
    rail: "judge",
    durationMs: 1,
    ...fields,
  });

  it.each<[string, Partial<RailDecision>, readonly string[]]>([
    ["neither reason nor details", {}, []],
    ["a reason alone", { reason: "too long" }, ["reason"]],
    ["a reason that quotes", { reason: `it says: ${text}` }, ["reason"]],
    ["details alone", { metadata: { code: "RL-104" } }, ["metadata"]],
    ["details that quote", { metadata: { seen: text } }, ["metadata"]],
    ["both, of which one quotes", { reason: text, metadata: { code: "RL-104" } }, ["metadata", "reason"]],
  ])("keep %s", (_title, fields, kept) => {
    const [given, other] = withoutQuotes([decision(fields), decision({ reason: text })], [text, undefined]);
    expect(JSON.stringify([given, other])).not.toContain(text);
    expect(
      Object.keys(given ?? {})
        .filter((key) => key === "reason" || key === "metadata")
        .toSorted(),
    ).toEqual(kept);
    expect(given).toMatchObject({ status: "blocked", stage: "input", rail: "judge", durationMs: 1 });
    if (fields.metadata?.["code"] !== undefined) expect(given?.metadata).toEqual({ code: "RL-104" });
  });
});

describe("the verdict over decisions", () => {
  const decided = (rail: string, status: RailDecision["status"], more: Partial<RailDecision> = {}): RailDecision => ({
    status,
    stage: "output",
    rail,
    durationMs: 1,
    ...more,
  });
  const refused = decided("reviewer", "blocked", { about: "refusal" });

  it.each<[string, readonly RailDecision[], boolean, string | undefined]>([
    ["nothing blocked", [decided("a", "passed"), decided("b", "modified")], true, undefined],
    ["the first block", [decided("a", "passed"), decided("b", "blocked"), decided("c", "blocked")], true, "b"],
    ["a failure where failures block", [decided("a", "error"), decided("b", "blocked")], true, "a"],
    ["no failure where failures pass", [decided("a", "error")], false, undefined],
    ["a block behind a failure that passes", [decided("a", "error"), decided("b", "blocked")], false, "b"],
    [
      "the rail that spoke, not the one that refused its words",
      [refused, decided("speaker", "blocked")],
      true,
      "speaker",
    ],
    [
      "the rail that refused words, where no other blocked",
      [decided("speaker", "modified"), refused],
      true,
      "reviewer",
    ],
  ])("names %s", (_title, decisions, blockedOnError, rail) => {
    const verdict = summarizeDecisions(decisions, blockedOnError);
    expect(verdict).toEqual(
      rail === undefined ? { blocked: false, decisions } : { blocked: true, stage: "output", rail, decisions },
    );
    if (blockedOnError) expect(summarizeDecisions(decisions)).toEqual(verdict);
  });
});

describe("the refusal of a rail that failed", () => {
  it("stands in the history as a refusal, and no flow of the dialog reacts to it", async () => {
    const noted: unknown[] = [];
    const colang = `
define bot refuse to respond
  "Not now."
define flow
  bot refuse to respond
  execute note
define subflow judge
  $allowed = execute judge
  if not $allowed
    stop
`;
    const judge = (): never => {
      throw new Error("down");
    };
    const actions = { judge, note: () => noted.push("noted") };
    const guardrails = await made(colang, { input: { flows: ["judge"] } }, { actions, llm: scriptedModel([]) });
    const { log } = await guardrails.generate("hello", { log: { colangHistory: true } });
    expect(log?.colangHistory).toContain('bot refuse to respond\n  "Not now."');
    expect(noted).toEqual([]);
  });
});

import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage } from "@langchain/core/messages";
import { FakeRetriever } from "@langchain/core/utils/testing";
import { Guardrails, type GuardrailsOptions, type RailDecision, verdictOf } from "../../src/index.js";
import { withoutQuotes } from "../../src/langchain/verdict.js";
import { scriptedModel } from "../../src/testing/index.js";
import { summarizeDecisions, type Entry } from "../../src/turn/decision.js";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { checkRewritten } from "../../src/rails/rail-decision.js";
import type { RailRun, RailOutcome, StageRequest } from "../../src/rails/rail-dialect.js";
import { reviewUtterances } from "../../src/rails/review-utterances.js";
import type { RailServices } from "../../src/rails/services.js";
import { areMarkersAwaited, OutcomeCollector, withMarkers, withoutNotes } from "../../src/rails/stage-outcome.js";
import type { Turn } from "../../src/turn/turn.js";

// Fields of decisions and variables of rails, as callers read them.

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
  ])("is marked when `apply_to_reasoning_traces` is %p", async (applies, expected) => {
    const output = { flows: ["note"], apply_to_reasoning_traces: applies };
    const guardrails = await made(colang, { output }, { actions: { note: () => true } });
    const message = await guardrails.wrap(scriptedModel([thinking])).invoke("hi");
    const named = verdictOf(message)?.decisions.map((decision) =>
      "about" in decision ? [decision.rail, decision.about] : [decision.rail],
    );
    expect(named?.toSorted((left, right) => right.length - left.length)).toEqual(expected);
  });
});

it("a retrieval rail that finds no chunks has passed", async () => {
  const colang = `${[
    'define user greet\n  "hello"',
    'define bot greet\n  "Hi."',
    "define flow\n  user greet\n  bot greet",
    "define subflow tidy\n  $relevant_chunks = execute tidy(text=$relevant_chunks)",
  ].join("\n\n")}\n`;
  const rails = { retrieval: { flows: ["tidy"] }, dialog: { user_messages: { embeddings_only: true } } };
  const guardrails = await made(colang, rails, {
    llm: scriptedModel([]),
    actions: { tidy: ({ text }: { text?: string }) => text ?? "" },
  });
  const { guardrails: verdict } = await guardrails.generate("hello");
  expect(verdict.decisions.map(({ rail, status }) => [rail, status])).toEqual([["tidy", "passed"]]);
});

describe("chunks after the retrieval rails", () => {
  const documents = ["Bells ring.", "Tyres roll."].map((pageContent) => new Document({ pageContent }));

  it.each([
    ["a rail that rewrites none", "  $note = 1", ["Bells ring.", "Tyres roll."]],
    ["a rail that rewrites the text", '  $relevant_chunks = "Bikes."', ["Bikes."]],
    ["a rail that empties the text", '  $relevant_chunks = ""', []],
    ["a rail that rewrites both", '  $relevant_chunks = "A. B."\n  $relevant_chunks_sep = ["A.", "B."]', ["A.", "B."]],
  ])("of %s are as the rail left them", async (_title, body, expected) => {
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
    ["a block after a failure that passes", [decided("a", "error"), decided("b", "blocked")], false, "b"],
    [
      "the rail that emitted a text, not the one that refused it",
      [refused, decided("speaker", "blocked")],
      true,
      "speaker",
    ],
    ["the rail that refused a text, if no other blocked", [decided("speaker", "modified"), refused], true, "reviewer"],
  ])("names %s", (_title, decisions, blockedOnError, rail) => {
    const verdict = summarizeDecisions(decisions, blockedOnError);
    expect(verdict).toEqual(
      rail === undefined ? { blocked: false, decisions } : { blocked: true, stage: "output", rail, decisions },
    );
    if (blockedOnError) expect(summarizeDecisions(decisions)).toEqual(verdict);
  });
});

describe("the refusal of a rail that failed", () => {
  it("is in the history as a refusal, and no dialog flow reacts to it", async () => {
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

// Texts that rails produce: checked, reviewed by other rails, and joined.

describe("a text that a rail assigned", () => {
  const TEXTS = ["user_message", "bot_message", "relevant_chunks", "tool_message"];

  it.each<[string, Record<string, unknown>, Record<string, unknown>, boolean]>([
    ["nothing", {}, {}, true],
    ["another variable", {}, { note: 7 }, true],
    ...TEXTS.flatMap((name): [string, Record<string, unknown>, Record<string, unknown>, boolean][] => [
      [`a text in ${name}`, { [name]: "a" }, { [name]: "b" }, true],
      [`an empty text in ${name}`, { [name]: "a" }, { [name]: "" }, true],
      [`null in ${name}`, { [name]: "a" }, { [name]: null }, false],
      [`undefined in ${name}`, { [name]: "a" }, { [name]: undefined }, false],
      [`null in ${name} for null`, { [name]: null }, { [name]: null }, true],
      [`null in ${name} for nothing`, {}, { [name]: null }, true],
      [`a number in ${name} for nothing`, {}, { [name]: 7 }, false],
      [`a map in ${name}`, { [name]: "a" }, { [name]: {} }, false],
    ]),
    ["a list of chunks", { relevant_chunks: "a" }, { relevant_chunks: ["a", "b"] }, true],
    ["a list of one chunk", { relevant_chunks: "a" }, { relevant_chunks: ["b"] }, true],
    ["an empty list of chunks", { relevant_chunks: "a" }, { relevant_chunks: [] }, false],
    ["a list of other things", { relevant_chunks: "a" }, { relevant_chunks: ["a", 1] }, false],
    ["a list in another variable", { bot_message: "a" }, { bot_message: ["b"] }, false],
    ["parts", { relevant_chunks_sep: ["a"] }, { relevant_chunks_sep: ["b"] }, true],
    ["no parts", { relevant_chunks_sep: ["a"] }, { relevant_chunks_sep: [] }, true],
    ["parts that are a text", { relevant_chunks_sep: ["a"] }, { relevant_chunks_sep: "b" }, false],
    ["parts that are null", { relevant_chunks_sep: ["a"] }, { relevant_chunks_sep: null }, false],
    ["parts that were null", {}, { relevant_chunks_sep: null }, true],
    ["parts with a number", {}, { relevant_chunks_sep: ["a", 1] }, false],
    ["arguments", { tool_args: {} }, { tool_args: { a: 1 } }, true],
    ["arguments that are null", { tool_args: {} }, { tool_args: null }, false],
    ["arguments that were null", {}, { tool_args: null }, true],
    ["arguments that are a list", { tool_args: {} }, { tool_args: [] }, false],
    ["arguments that are a text", { tool_args: {} }, { tool_args: "a" }, false],
  ])("is checked: %s", (_title, before, updates, isFine) => {
    const check = (): void => checkRewritten("mask", before, { ...updates });
    if (isFine) expect(check).not.toThrow();
    else {
      const [name] = Object.keys(updates) as [string];
      const expected = name === "tool_args" ? "a map" : name.endsWith("_sep") ? "a list of texts" : "a text";
      expect(check).toThrow(`expected the rail \`mask\` to leave ${expected} in \`$${name}\`, got `);
      expect(check).toThrow(expect.objectContaining({ code: "RL-108", flow: "mask" }));
    }
  });

  it("is joined from a list of chunks, which keeps its parts", () => {
    const updates: Record<string, unknown> = { relevant_chunks: ["a", "b"] };
    checkRewritten("mask", {}, updates);
    expect(updates).toEqual({ relevant_chunks: "a\nb", relevant_chunks_sep: ["a", "b"] });
    const both: Record<string, unknown> = { relevant_chunks: ["a", "b"], relevant_chunks_sep: ["c"] };
    checkRewritten("mask", {}, both);
    expect(both).toEqual({ relevant_chunks: "a\nb", relevant_chunks_sep: ["c"] });
  });
});

const outcome = (fields: Partial<RailOutcome> = {}): RailOutcome => ({
  reference: "judge",
  flow: "judge",
  blocked: false,
  contextUpdates: {},
  entries: [],
  decision: { status: "passed", stage: "output", rail: "judge", durationMs: 0 },
  ...fields,
});
const said = (script: string) => ({ type: "StartUtteranceBotAction", script });
const other = { note: { type: "Other", script: "one" } };
const exception = { type: "OutputRailException", message: "no" } as GuardrailsEvent;

describe("a text that a rail emits", () => {
  const run: RailRun = {
    context: { bot_message: "one", seen: "one" },
    isBlocked: false,
    utterances: ["one", "two"],
    entries: [said("one"), other, said("two")],
  };
  const play = async (
    given: Partial<RailRun>,
    answers: Readonly<Record<string, Partial<RailOutcome>>>,
    { rails = ["judge"], written = [] }: { rails?: readonly string[]; written?: readonly string[] } = {},
  ) => {
    const asked: string[] = [];
    const reviewed = await reviewUtterances(
      { ...run, ...given },
      { rails, review: async (rail, text) => (asked.push(`${rail}: ${text}`), outcome(answers[text] ?? {})) },
      (text) => written.includes(text),
    );
    return { asked, reviewed };
  };

  it.each<[string, Partial<RailRun>, object, readonly string[]]>([
    ["no rail", {}, { rails: [] }, []],
    ["one rail", {}, {}, ["judge: one", "judge: two"]],
    ["two rails", {}, { rails: ["judge", "mask"] }, ["judge: one", "mask: one", "judge: two", "mask: two"]],
    ["a written text", {}, { written: ["one"] }, ["judge: two"]],
    ["an empty text", { utterances: ["", "two"] }, {}, ["judge: two"]],
  ])("goes through the other rails as it is: %s", async (_title, given, options, expected) => {
    const { asked, reviewed } = await play(given, {}, options);
    expect(asked).toEqual(expected);
    expect(reviewed).toStrictEqual({ ...run, ...given });
  });

  it("is rewritten in place, and the next rail sees it rewritten", async () => {
    const answers = { one: { contextUpdates: { bot_message: "1" } } };
    const { asked, reviewed } = await play({}, answers, { rails: ["mask", "judge"] });
    expect(asked).toEqual(["mask: one", "judge: 1", "mask: two", "judge: two"]);
    expect(reviewed).toEqual({
      context: { bot_message: "1", seen: "one" },
      isBlocked: false,
      utterances: ["1", "two"],
      entries: [said("1"), other, said("two")],
    });
    const { reviewed: kept } = await play({ context: { bot_message: "two" } }, answers);
    expect(kept.context).toEqual({ bot_message: "two" });
    const odd = await play({}, { one: { contextUpdates: { bot_message: 7 } } });
    expect(odd.reviewed.utterances).toEqual(["one", "two"]);
  });

  it.each<[string, Partial<RailOutcome>, Partial<RailRun>, Partial<RailRun>]>([
    [
      "with a refusal",
      { refusal: "no", entries: [said("no")] },
      {},
      { utterances: ["no"], context: { bot_message: "no", seen: "one" }, entries: [other, said("no")] },
    ],
    ["without a refusal", {}, {}, { utterances: [], context: { bot_message: null, seen: "one" }, entries: [other] }],
    ["with an exception", { exception }, {}, { exception }],
    ["with the exception of the rail itself", {}, { exception }, { exception }],
    ["over another text", {}, { context: { bot_message: "x" } }, { context: { bot_message: "x" } }],
  ])("is blocked %s, and nothing else is emitted", async (_title, answer, given, expected) => {
    const { asked, reviewed } = await play(given, { one: { blocked: true, ...answer } });
    expect(asked).toEqual(["judge: one"]);
    expect(reviewed).toMatchObject({ isBlocked: true, ...expected });
  });
});

describe("the outcome of a stage", () => {
  const services = (...awaited: string[]): RailServices => ({ awaited: new Set(awaited) }) as unknown as RailServices;
  const open = (
    stage: "input" | "output" | "retrieval",
    context: object = {},
    ...awaited: string[]
  ): OutcomeCollector => new OutcomeCollector(services(...awaited), { stage, context } as unknown as StageRequest);
  const names = { input: "Input", output: "Output", retrieval: "Retrieval" } as const;

  it.each(["input", "output", "retrieval"] as const)("has the markers of its stage: %s", (stage) => {
    const name = names[stage];
    const awaited = [`Start${name}Rail`, `${name}RailsFinished`];
    const collected = open(stage, {}, ...awaited);
    collected.add(outcome({ flow: "a", entries: [other] }));
    const last = outcome({ flow: "b", blocked: true });
    collected.add(last);
    const marker = (type: string, flow?: string): Entry => {
      const event = flow === undefined ? { type } : { type, flow_id: flow };
      return awaited.includes(type) ? event : { note: event, isMarker: true };
    };
    const entries = [
      marker(`Start${name}Rail`, "a"),
      other,
      marker(`${name}RailFinished`, "a"),
      marker(`Start${name}Rail`, "b"),
    ];
    const blocked = collected.blockedBy(last);
    expect(blocked.entries).toEqual(entries);
    const markers = services(...awaited);
    expect(withMarkers(markers, stage, blocked)).toEqual({
      ...blocked,
      entries: [marker(`Start${name}Rails`), ...entries],
    });
    expect(withMarkers(markers, stage, { blocked: false, entries: [other] }).entries).toEqual([
      marker(`Start${name}Rails`),
      other,
      marker(`${name}RailsFinished`),
    ]);
    for (const type of [`Start${name}Rails`, `${name}RailsFinished`, `Start${name}Rail`, `${name}RailFinished`]) {
      expect([type, areMarkersAwaited(services("Other", type), stage)]).toEqual([type, true]);
    }
    expect(areMarkersAwaited(services("Other"), stage)).toBe(false);
  });

  it.each<["input" | "output" | "retrieval", string | undefined]>([
    ["input", "triggered_input_rail"],
    ["output", "triggered_output_rail"],
    ["retrieval", undefined],
  ])("names the rail that blocked in a variable: %s", (stage, variable) => {
    const last = outcome({ blocked: true, refusal: "no", exception });
    const updates = variable === undefined ? {} : { contextUpdates: { [variable]: "judge" } };
    expect(open(stage).blockedBy(last)).toEqual({ blocked: true, entries: [], refusal: "no", exception, ...updates });
    expect(open(stage).blockedBy(outcome())).toStrictEqual({ blocked: true, entries: [], ...updates });
    expect(open(stage).passed()).toStrictEqual({ blocked: false, entries: [] });
    if (variable === undefined) return;
    expect(open(stage, { [variable]: "old" }).passed().contextUpdates).toEqual({ [variable]: null });
    expect(open(stage, { [variable]: null }).passed()).not.toHaveProperty("contextUpdates");
    expect(open(stage, { [variable]: "judge" }).blockedBy(last)).not.toHaveProperty("contextUpdates");
  });

  it("has the variables that rails changed, and those of the next rail", () => {
    const collected = open("input", { a: 1, b: 1 });
    collected.add(outcome({ contextUpdates: { a: 1, b: 2 } }));
    expect(collected.context).toMatchObject({ a: 1, b: 2 });
    collected.add(outcome({ contextUpdates: { c: undefined } }));
    expect(collected.passed().contextUpdates).toEqual({ b: 2, c: undefined });
    expect(Object.keys(collected.passed().contextUpdates ?? {})).toEqual(["b", "c"]);
  });

  it.each<[string, unknown, unknown, boolean]>([
    ["other values", 1, 2, true],
    ["equal values", 1, 1, false],
    ["not a number twice", Number.NaN, Number.NaN, false],
    ["equal lists", [], [], true],
  ])("warns of a variable that two parallel rails set: %s", (_title, left, right, isWarned) => {
    const trace: object[] = [];
    const collected = open("input");
    const turn = { trace } as unknown as Turn;
    collected.add(outcome({ flow: "one", contextUpdates: { a: left } }), turn);
    collected.add(outcome({ flow: "two", contextUpdates: { a: right } }), turn);
    const message = "parallel rails `one` and `two` both write `$a`; the later one wins";
    expect(trace).toEqual(isWarned ? [{ type: "warning", code: "CO-406", message, flow: "two" }] : []);
    const silent = open("input");
    for (const value of [left, right]) silent.add(outcome({ contextUpdates: { a: value } }));
    expect(silent.passed().contextUpdates).toEqual({ a: right });
  });

  it("can be recorded without notes", () => {
    const contextUpdates = { a: 1, triggered_input_rail: "x", triggered_output_rail: "y", bot_message: "z" };
    const kept = { triggered_input_rail: "x", triggered_output_rail: "y" };
    expect(withoutNotes({ blocked: true, entries: [], refusal: "no", contextUpdates })).toEqual({
      blocked: true,
      entries: [],
      refusal: "no",
      contextUpdates: kept,
    });
    expect(withoutNotes({ blocked: true, entries: [] }).contextUpdates).toEqual({});
  });
});

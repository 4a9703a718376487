import { describe, expect, it } from "@jest/globals";
import { DEFAULT_REFUSAL } from "../../src/engine/default-refusal.js";
import { DEFAULT_LIMITS } from "../../src/engine/limits.js";
import type { RailRun, RailStart } from "../../src/rails/rail-dialect.js";
import { createRailPlans, type RailGroup } from "../../src/rails/plan.js";
import type { OnError } from "../../src/diagnostics/errors.js";
import type { RailServices } from "../../src/rails/services.js";
import { checkRail, checkStage, stageOfRail } from "../../src/rails/stage-check.js";
import { toolMetadata, toolVariables } from "../../src/rails/tools/tool-subject.js";
import type { RailSubject } from "../../src/turn/result.js";
import type { RailsStage } from "../../src/turn/decision.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { Turn } from "../../src/turn/turn.js";
import { runGroup } from "../../src/rails/run-group.js";

// Stages of rails over a scripted dialect: inputs and decisions of rails, and the result of a stage.

type Play = (start: RailStart) => Partial<RailRun>;

interface Bench {
  readonly services: RailServices;
  readonly turn: Turn;
  readonly seen: Readonly<Record<string, unknown>>[];
}

function open(
  play: Play,
  {
    onError = "block",
    exceptions = false,
    refusal = async () => "Sorry." as string | undefined,
    reasoning = false,
  } = {} as {
    onError?: OnError;
    exceptions?: boolean;
    refusal?: () => Promise<string | undefined>;
    reasoning?: boolean;
  },
): Bench {
  const list = { flows: ["judge"], shadow: [], parallel: null };
  const tools = { flows: ["on tools"], shadow: [], per_tool: {}, shadow_per_tool: {}, parallel: null };
  const rails = {
    input: list,
    output: { ...list, apply_to_reasoning_traces: reasoning },
    retrieval: list,
    tool_input: tools,
    tool_output: tools,
  };
  const settings = { rails, enable_rails_exceptions: exceptions, security: { check_all_user_messages: true } };
  const seen: Readonly<Record<string, unknown>>[] = [];
  let time = 0;
  const clock = { now: () => (time += 1) };
  const none = new Set<string>();
  const services = {
    config: { settings },
    awaited: none,
    railPlans: createRailPlans(settings as never, () => ({
      rewrites: false,
      isKnown: true,
      reads: none,
      writes: none,
    })),
    rails: {
      isWritten: () => true,
      has: (flow: string) => ["judge", "on tools", "loose"].includes(flow),
      names: ["judge", "on tools", "loose"],
      stageOf: (rail: string) => (rail === "on tools" ? "tool_input" : rail === "loose" ? "output" : undefined),
      refusal,
      run: (start: RailStart) => {
        seen.push(start.request.context);
        return { context: start.request.context, isBlocked: false, utterances: [], entries: [], ...play(start) };
      },
    },
    clock,
    limits: DEFAULT_LIMITS,
    tracker: silentTracker,
    timeoutMs: 0,
    onError,
  } as unknown as RailServices;
  return { services, turn: new Turn({ options: {}, limits: DEFAULT_LIMITS, clock } as never), seen };
}

const SUBJECTS: Readonly<Record<RailsStage, RailSubject>> = {
  input: { userMessage: "hi" },
  output: { botMessage: "ho" },
  retrieval: { relevantChunks: ["one", "two"] },
};
const passes: Play = () => ({});
const fails: Play = () => {
  throw new TypeError("it saw: a long text of the user");
};
const EVENT = { type: "InputRailException", message: "no" };

describe("a stage of rails", () => {
  it.each<[string, RailsStage, RailSubject, Readonly<Record<string, unknown>>]>([
    ["a user text", "input", { userMessage: "hi" }, { user_message: "hi", last_user_message: "hi" }],
    ["several user texts", "input", { userMessages: ["a", "b"] }, { user_message: "b", last_user_message: "b" }],
    ["one of several texts", "input", { userMessage: "c", userMessages: ["a", "b"] }, { last_user_message: "c" }],
    ["a response", "output", { botMessage: "ho" }, { bot_message: "ho" }],
    [
      "a response to a text",
      "output",
      { botMessage: "ho", userMessage: "hi" },
      { bot_message: "ho", user_message: "hi" },
    ],
    ["an empty response", "output", { botMessage: "" }, { bot_message: "" }],
    [
      "chunks",
      "retrieval",
      { relevantChunks: ["a", "b"] },
      { relevant_chunks: "a\nb", relevant_chunks_sep: ["a", "b"] },
    ],
    ["one chunk", "retrieval", { relevantChunks: "a\nb" }, { relevant_chunks: "a\nb", relevant_chunks_sep: ["a\nb"] }],
    ["variables", "output", { botMessage: "ho", context: { tier: "gold" } }, { tier: "gold", bot_message: "ho" }],
  ])("receives %s", async (_title, stage, subject, expected) => {
    const { services, turn, seen } = open(passes);
    const result = await checkStage(services, turn, stage, subject);
    expect(seen.at(-1)).toMatchObject(expected);
    expect(Object.hasOwn(seen.at(-1) ?? {}, "relevant_chunks")).toBe(subject.relevantChunks !== undefined);
    expect(Object.hasOwn(seen.at(-1) ?? {}, "_own_evidence")).toBe(subject.relevantChunks !== undefined);
    expect(Object.hasOwn(seen.at(-1) ?? {}, "user_message")).toBe("user_message" in expected || stage === "input");
    expect(result.status).toBe("passed");
    expect(["refusal", "exception", "blockedAt"].filter((key) => Object.hasOwn(result, key))).toEqual([]);
  });

  it.each<[RailsStage, string]>([
    ["input", "expected a user message for the input rails, got none"],
    ["output", "expected a bot message for the output rails, got none"],
    ["retrieval", "expected a retrieved text for the retrieval rails, got none"],
  ])("needs its text: %s", async (stage, message) => {
    const { services, turn } = open(passes);
    await expect(checkStage(services, turn, stage, {})).rejects.toThrow(message);
  });

  it.each<[RailsStage, object]>([
    ["input", { userMessage: "hi", userMessages: ["hi"], botMessage: "", relevantChunks: "" }],
    ["output", { userMessage: "", userMessages: [], botMessage: "ho", relevantChunks: "" }],
    ["retrieval", { userMessage: "", botMessage: "", relevantChunks: "one\ntwo" }],
  ])("has the texts after it: %s", async (stage, expected) => {
    const { services, turn } = open(passes);
    const result = await checkStage(services, turn, stage, SUBJECTS[stage]);
    expect(result).toMatchObject(expected);
    expect(result.decisions).toMatchObject([
      { status: "passed", stage, rail: "judge", flow: "judge", durationMs: expect.any(Number) },
    ]);
    expect(Object.keys(result.decisions[0] ?? {}).toSorted()).toEqual([
      "durationMs",
      "flow",
      "rail",
      "stage",
      "status",
    ]);
  });

  it.each<[RailsStage, string, string, object]>([
    ["input", "user_message", "x", { userMessage: "x", userMessages: ["x"] }],
    ["output", "bot_message", "x", { botMessage: "x" }],
    ["retrieval", "relevant_chunks", "x", { relevantChunks: "x" }],
  ])("is modified by a rail that rewrites: %s", async (stage, name, value, expected) => {
    const { services, turn } = open(({ request }) => ({ context: { ...request.context, [name]: value, note: 1 } }));
    const result = await checkStage(services, turn, stage, SUBJECTS[stage]);
    expect(result).toMatchObject({ status: "modified", ...expected });
    expect(turn.variables).toMatchObject({ note: 1 });
  });

  it.each<[string, Partial<RailRun>, object, readonly string[]]>([
    ["with text", { utterances: ["No.", "Never."] }, { refusal: "No.\nNever." }, ["refusal"]],
    ["without text", { utterances: [] }, {}, []],
    ["with an exception", { exception: EVENT }, { exception: EVENT }, ["exception"]],
    [
      "with both",
      { utterances: ["No."], exception: EVENT },
      { refusal: "No.", exception: EVENT },
      ["refusal", "exception"],
    ],
  ])("is blocked %s", async (_title, run, expected, keys) => {
    for (const stage of ["input", "output", "retrieval"] as const) {
      const { services, turn } = open(({ notes }) => {
        for (const text of run.utterances ?? []) notes.written.add(text);
        return { isBlocked: true, ...run };
      });
      const result = await checkStage(services, turn, stage, SUBJECTS[stage]);
      expect(result).toMatchObject({
        status: "blocked",
        ...expected,
        verdict: { blocked: true, stage, rail: "judge" },
      });
      expect(["refusal", "exception"].filter((key) => Object.hasOwn(result, key))).toEqual(keys);
      expect(result.blockedAt).toBe(stage === "input" ? 0 : undefined);
      expect(result.decisions[0]).toMatchObject({
        status: "blocked",
        ...(run.exception === undefined ? {} : { metadata: { exception: EVENT } }),
      });
      expect(Object.hasOwn(result.decisions[0] ?? {}, "refusal")).toBe(keys.includes("refusal"));
    }
  });

  it("has the details of the rail's actions, without quotes", async () => {
    const { services, turn } = open(({ notes }) => {
      const quoted = "a long text of the user";
      notes.details = {
        reason: `it says: ${quoted}`,
        categories: ["S1", quoted],
        score: 0.4,
        threshold: 0.5,
        metadata: { seen: quoted, kept: 1 },
      };
      return {};
    });
    const { decisions } = await checkStage(services, turn, "input", { userMessage: "a long text of the user" });
    expect(decisions).toMatchObject([
      { reason: "it says: …", categories: ["S1"], score: 0.4, threshold: 0.5, metadata: { kept: 1 } },
    ]);
    expect(JSON.stringify(decisions)).not.toContain("long text");
  });

  it.each<[string, Parameters<typeof open>[1], object]>([
    ["blocks with the refusal of the configuration", {}, { status: "error", refusal: "Sorry." }],
    [
      "blocks with the default refusal",
      { refusal: async () => undefined },
      { status: "error", refusal: DEFAULT_REFUSAL },
    ],
    ["blocks instead of an empty refusal", { refusal: async () => "" }, { status: "error", refusal: DEFAULT_REFUSAL }],
    [
      "blocks where the refusal fails as well",
      { refusal: () => Promise.reject(new Error("no")) },
      { status: "error", refusal: DEFAULT_REFUSAL },
    ],
    [
      "raises an exception",
      { exceptions: true },
      { status: "error", exception: { message: "Rail `judge` failed, so it blocked." } },
    ],
    ["lets it pass", { onError: "allow" }, { status: "passed" }],
  ])("whose rail fails %s", async (_title, options, expected) => {
    for (const [stage, kind] of [
      ["input", "InputRailException"],
      ["output", "OutputRailException"],
      ["retrieval", "RetrievalRailException"],
    ] as const) {
      const { services, turn } = open(fails, options);
      const subject = { ...SUBJECTS[stage], userMessage: "a long text of the user" };
      const result = await checkStage(services, turn, stage, subject);
      expect(result).toMatchObject(expected);
      expect(result.exception?.type).toBe(options?.exceptions === true ? kind : undefined);
      expect(result.decisions).toMatchObject([
        { status: "error", rail: "judge", reason: "it saw: …", metadata: { code: "RL-104" } },
      ]);
      expect(Object.hasOwn(result.decisions[0] ?? {}, "refusal")).toBe(options?.onError !== "allow");
      expect(result.verdict.blocked).toBe(options?.onError !== "allow");
    }
  });

  it("whose rail fails rejects the call if errors are thrown, and quotes nothing", async () => {
    const { services, turn } = open(fails, { onError: "throw" });
    const rejected = checkStage(services, turn, "input", { userMessage: "a long text of the user" });
    await expect(rejected).rejects.toThrow(new TypeError("it saw: …"));
  });

  it.each<[string, boolean, string | undefined, readonly unknown[]]>([
    ["reads reasoning", true, "hm", ["hm", "ho"]],
    ["does not", false, "hm", ["ho"]],
    ["reads no empty reasoning", true, "", ["ho"]],
    ["is given none", true, undefined, ["ho"]],
  ])("reviews reasoning if it %s", async (_title, reads, reasoning, expected) => {
    const { services, turn, seen } = open(passes, { reasoning: reads });
    const subject = { botMessage: "ho", ...(reasoning === undefined ? {} : { reasoning }) };
    const result = await checkStage(services, turn, "output", subject);
    expect(seen.map(({ bot_message: text }) => text)).toEqual(expected);
    expect(result.decisions.map(({ about }) => about)).toEqual(
      expected.length === 2 ? ["reasoning", undefined] : [undefined],
    );
  });
});

describe("one rail", () => {
  it("decides, and leaves its variables", async () => {
    const { services, turn } = open(({ request }) => ({ isBlocked: true, context: { ...request.context, note: 1 } }));
    const decision = await checkRail(services, turn, "loose", { stage: "output", botMessage: "ho" });
    expect(decision).toMatchObject({ status: "blocked", rail: "loose", stage: "output" });
    expect(turn.variables).toEqual({ note: 1 });
  });

  it.each([
    ["judg", "rail `judg` is not defined"],
    ["zzz", "rail `zzz` is not defined"],
  ])("must be defined: %s", async (rail, message) => {
    const { services, turn } = open(passes);
    await expect(checkRail(services, turn, rail, { stage: "input", userMessage: "hi" })).rejects.toThrow(message);
    expect(() => stageOfRail(services, rail)).toThrow(message);
  });

  it("has the stage that lists it, or the one it is written for, and no tool stage", () => {
    const { services } = open(passes);
    expect(["judge", "judge $a=1", "loose"].map((rail) => stageOfRail(services, rail))).toEqual([
      "input",
      "input",
      "output",
    ]);
    expect(() => stageOfRail(services, "on tools")).toThrow("the rail `on tools` checks tool calls");
  });
});

describe("a tool in decisions and variables", () => {
  it.each<[unknown, unknown, object]>([
    ["look_up", "c1", { tool: "look_up", toolCallId: "c1" }],
    ["look_up", null, { tool: "look_up" }],
    [7, "c1", { toolCallId: "c1" }],
    ["a\nb", "a".repeat(65), {}],
    ["a".repeat(64), "", { tool: "a".repeat(64) }],
  ])("is shown if it looks like a name: %j %j", (tool, id, expected) => {
    const context = { tool_name: tool, tool_call_id: id };
    expect(toolMetadata(context, "tool_output")).toEqual({ checked: "call", ...expected });
    expect(toolMetadata(context, "tool_input")).toEqual({ checked: "result", ...expected });
  });

  it.each([
    [
      { tool: "t", args: { a: 1 } },
      { tool_args: { a: 1 }, tool_call_id: null, tool_problem: null },
    ],
    [
      { tool: "t", args: undefined, callId: "c" },
      { tool_args: null, tool_call_id: "c", tool_problem: null },
    ],
    [
      { tool: "t", args: {}, problem: "odd" },
      { tool_args: {}, tool_problem: "odd" },
    ],
    [
      { tool: "t", args: {}, userMessage: "hi" },
      { user_message: "hi", last_user_message: "hi" },
    ],
  ])("has its variables: %j", (subject, expected) => {
    const call = toolVariables(subject, "tool_output");
    expect(call).toMatchObject({ tool_name: "t", ...expected });
    expect(call["tool_calls"]).toMatchObject([
      { name: "t", args: call["tool_args"], id: call["tool_call_id"], type: "tool_call" },
    ]);
    const result = toolVariables({ ...subject, result: "found" }, "tool_input");
    expect(result).toMatchObject({ tool_message: "found", ...expected });
    expect(toolVariables(subject, "tool_input")["tool_message"]).toBe("");
    expect([Object.hasOwn(call, "tool_message"), Object.hasOwn(result, "tool_calls")]).toEqual([false, false]);
    expect(Object.hasOwn(call, "user_message")).toBe("userMessage" in subject);
  });
});

// Rails of one group over a scripted dialect: outcomes in order, races, and variables that are hidden from a rail.

type Does = "pass" | "block" | "mask" | "wait" | "fail";

/** Runs a group of rails whose names state their behaviour, such as `mask 1`. */
async function run(
  names: readonly string[],
  group: Partial<RailGroup>,
  hidden: Readonly<Record<string, string[]>> = {},
) {
  let time = 0;
  const clock = { now: () => (time += 1) };
  const turn = new Turn({ options: {}, limits: DEFAULT_LIMITS, clock } as never);
  const seen: string[] = [];
  let blocks = 0;
  const play = async ({ request, flow, cancellation }: RailStart) => {
    const context = request.context as Readonly<Record<string, string>>;
    seen.push(`${flow}: ${Object.values(context).join(" ")}`);
    const does = flow.split(" ")[0] as Does;
    if (does === "fail") throw new TypeError("failed");
    if (does === "wait") {
      await new Promise<void>((_resolve, reject) => {
        cancellation.signal.addEventListener("abort", () => reject(cancellation.signal.reason as Error));
      });
    }
    const masked = does === "mask" ? { ...context, user_message: `${context["user_message"]}*` } : context;
    return { context: masked, isBlocked: does === "block", utterances: [], entries: [] };
  };
  const services = {
    config: { settings: { rails: { output: { flows: [], shadow: [] } } } },
    rails: { run: play, refusal: async () => "Sorry." },
    clock,
    limits: DEFAULT_LIMITS,
    tracker: silentTracker,
    timeoutMs: 0,
    onError: "throw",
  } as unknown as RailServices;
  const outcomes = await runGroup(
    services,
    {
      turn,
      stage: "input",
      context: { user_message: "hi", note: "n" },
      config: {},
      cancellation: turn.cancellation,
      past: () => [],
      onBlock: () => void (blocks += 1),
    },
    {
      rails: names.map((rail) => ({ rail, hidden: hidden[rail] ?? [] })),
      rewrites: true,
      isRace: false,
      ...group,
    },
  );
  const shown = outcomes.map(({ flow, blocked, contextUpdates }) =>
    [flow, blocked ? "blocked" : "", contextUpdates["user_message"] ?? ""].filter((part) => part !== "").join(" "),
  );
  return { shown, seen, blocks, decided: turn.decisions.map(({ rail, status }) => `${rail} ${status}`) };
}

const RACE = { isRace: true };
const ORDERED = { isRace: true, rewritesInOrder: true };

describe("a group of rails", () => {
  it.each<[string, readonly string[], Partial<RailGroup>, readonly string[], number]>([
    ["one that passes", ["pass"], {}, ["pass"], 0],
    ["one that blocks", ["block"], RACE, ["block blocked"], 0],
    ["judges that pass", ["pass 1", "pass 2"], {}, ["pass 1", "pass 2"], 0],
    ["a judge that blocks after others", ["pass", "block"], {}, ["pass", "block blocked"], 1],
    ["a judge that blocks before others", ["block", "wait"], {}, ["block blocked"], 1],
    ["a race that all pass", ["pass 1", "mask", "pass 2"], RACE, ["pass 1", "mask hi*", "pass 2"], 0],
    ["a race that one blocks", ["wait", "block", "pass"], RACE, ["block blocked"], 1],
    ["a race in order that all pass", ["pass 1", "pass 2"], ORDERED, ["pass 1", "pass 2"], 0],
    ["a race in order of one that rewrites", ["mask", "pass"], ORDERED, ["mask hi*", "pass"], 0],
    ["a race in order of two that rewrite", ["mask 1", "mask 2"], ORDERED, ["mask 1 hi*", "mask 2 hi**"], 0],
    ["a race in order that one blocks", ["mask 1", "block", "wait"], ORDERED, ["block blocked"], 1],
  ])("has its outcomes in order: %s", async (_title, names, group, expected, blocks) => {
    const found = await run(names, group);
    expect([found.shown, found.blocks]).toEqual([expected, blocks]);
  });

  it("has one decision for a rail that rewrites again", async () => {
    const { decided, seen } = await run(["mask 1", "mask 2", "pass"], ORDERED);
    expect(decided).toEqual(["mask 1 modified", "mask 2 modified", "pass passed"]);
    expect(seen).toEqual(["mask 1: hi n", "mask 2: hi n", "pass: hi n", "mask 2: hi* n"]);
  });

  it.each<[string, Partial<RailGroup>]>([
    ["judges", {}],
    ["a race", RACE],
    ["a race in order", ORDERED],
  ])("hides variables from one of its rails: %s", async (_title, group) => {
    const { seen } = await run(["pass 1", "pass 2"], group, { "pass 2": ["note"] });
    expect(seen).toEqual(["pass 1: hi n", "pass 2: hi"]);
  });

  it.each<[string, Partial<RailGroup>]>([
    ["judges", {}],
    ["a race", RACE],
  ])("ends with its first failure if errors are thrown: %s", async (_title, group) => {
    await expect(run(["fail", "wait"], group)).rejects.toThrow("failed");
  });
});

import { describe, expect, it } from "@jest/globals";
import { externalEvent } from "../../../src/colang2/engine/state/event.js";
import type { ReadyPattern, EngineEvent } from "../../../src/colang2/engine/state/records.js";
import { scoreEvent, similarity } from "../../../src/colang2/engine/dispatch/score.js";
import { linkAction } from "../../../src/colang2/engine/actions/actions.js";
import { fromOutside, equalValues } from "../../../src/colang2/engine/values/plain-values.js";
import type { Value } from "../../../src/expressions/values/value.js";
import { Driver } from "../engine-driver.js";
import { WorkMeter } from "../../../src/engine/limits.js";
import { ComparisonValue } from "../../../src/expressions/values/number-text.js";
import { PatternValue } from "../../../src/expressions/values/pattern.js";
import { BLANK_EVENT } from "../../../src/colang2/engine/state/event.js";

/** Patterns of `match`, and the scores of events. */

const SETUP = `flow job $a=1 $b=2 -> $out
  match Done() as $e
  return $e.how

@active
@loop("e")
flow errors
  match ColangError() as $e
  send Failed(error=$e.error)

flow main
  global $g
  $x = 5
  $g = 6
  start job 3 as $f
  start LampAction(level=1, colour="red") as $l
  match Begin() as $ev
  match WalkAction.Started() as $walk
`;

interface Stage {
  readonly driver: Driver;
  /** Of the action that was started. */
  readonly lamp: unknown;
  readonly job: string;
}

function stage(statement: string): Stage {
  const driver = new Driver(`${SETUP}  match ${statement} as $found\n  send Found()\n  match Never()\n`);
  const [start] = driver.batch();
  driver.batch({ type: "Begin", n: 1, tags: ["t"] });
  driver.batch({ type: "WalkActionStarted", action_uid: "w1", steps: 2 });
  const [job] = driver.conversation.state.index.byFlow.get("job");
  return { driver, lamp: start?.["action_uid"], job: job?.uid ?? "" };
}

function patternOf({ driver }: Stage): ReadyPattern {
  const patterns = (driver.conversation.state.index.main?.heads ?? []).flatMap(({ pattern }) => pattern ?? []);
  const [pattern] = patterns;
  if (pattern === undefined || patterns.length > 1) throw new Error("main does not wait for one event");
  return pattern;
}

const FORMS: readonly (readonly [
  statement: string,
  pattern: (stage: Stage) => Partial<Record<keyof ReadyPattern, unknown>>,
])[] = [
  ["E()", () => ({ names: ["E"], constraints: [], bound: undefined, impossibleBy: [], isOnce: false })],
  [
    "E(a=$x, b=$g)",
    () => ({
      names: ["E"],
      constraints: [
        ["a", 5],
        ["b", 6],
      ],
    }),
  ],
  ["E(a=[1, $x])", () => ({ constraints: [["a", [1, 5]]] })],
  ["LampAction.Finished()", () => ({ names: ["LampActionFinished"], startArguments: undefined, bound: undefined })],
  [
    "LampAction(level=$x).Finished(why=1)",
    () => ({ names: ["LampActionFinished"], startArguments: [["level", 5]], constraints: [["why", 1]] }),
  ],
  ["LampAction.LevelUpdated(level=2)", () => ({ names: ["LampActionLevelUpdated"], constraints: [["level", 2]] })],
  ["LampAction.Updated()", () => ({ names: ["LampActionUpdated"] })],
  ["LampAction.Start()", () => ({ names: ["StartLampAction"] })],
  ["LampAction.Stop()", () => ({ names: ["StopLampAction"] })],
  ["LampAction.Change()", () => ({ names: ["ChangeLampAction"] })],
  [
    "$l.Finished(is_success=True)",
    ({ lamp }) => ({
      names: ["LampActionFinished"],
      bound: { kind: "action", uid: lamp },
      constraints: [["is_success", true]],
      impossibleBy: [],
      isOnce: true,
    }),
  ],
  [
    "$l.Started()",
    ({ lamp }) => ({
      names: ["LampActionStarted"],
      bound: { kind: "action", uid: lamp },
      impossibleBy: ["LampActionFinished"],
      isOnce: true,
    }),
  ],
  [
    "$l.LevelUpdated()",
    () => ({ names: ["LampActionLevelUpdated"], impossibleBy: ["LampActionFinished"], isOnce: false }),
  ],
  ["$l.Stop()", () => ({ names: ["StopLampAction"], impossibleBy: [], isOnce: false })],
  ["job.Finished()", () => ({ names: ["FlowFinished"], flowId: "job", constraints: [], bound: undefined })],
  ["(job 3).Finished()", () => ({ names: ["FlowFinished"], flowId: "job", constraints: [["a", 3]] })],
  [
    "(job 3 $b=4).Started()",
    () => ({
      names: ["FlowStarted"],
      constraints: [
        ["a", 3],
        ["b", 4],
      ],
    }),
  ],
  ['(job 3).Finished("ok")', () => ({ fields: [["return_value", "ok"]], constraints: [["a", 3]] })],
  ['job(3, b=1).Failed("abort")', () => ({ names: ["FlowFailed"], fields: [["reason", "abort"]] })],
  ["job.Paused()", () => ({ names: ["FlowPaused"], flowId: "job" })],
  ["job.Resumed()", () => ({ names: ["FlowResumed"], flowId: "job" })],
  [
    "(job 3 4 5).Finished()",
    () => ({
      constraints: [
        ["a", 3],
        ["b", 4],
        ["$2", 5],
      ],
    }),
  ],
  ["unknown flow.Finished()", () => ({ names: ["FlowFinished"], flowId: "unknown flow" })],
  [
    "$f.Finished(out=1)",
    ({ job }) => ({
      names: ["FlowFinished"],
      bound: { kind: "flow", uid: job },
      constraints: [["out", 1]],
      impossibleBy: ["FlowFailed"],
      isOnce: true,
    }),
  ],
  ['$f.Finished("ok")', () => ({ fields: [["return_value", "ok"]], constraints: [] })],
  ["$f.Failed()", () => ({ names: ["FlowFailed"], impossibleBy: ["FlowFinished"], isOnce: true })],
  ["$f.Paused()", () => ({ names: ["FlowPaused"], impossibleBy: ["FlowFinished", "FlowFailed"], isOnce: false })],
  ["$f.Resumed()", () => ({ names: ["FlowResumed"], impossibleBy: ["FlowFinished", "FlowFailed"], isOnce: false })],
  ["$ev", () => ({ names: ["Begin"], bound: undefined, constraints: [["n", 1]] })],
  [
    "$walk",
    () => ({ names: ["WalkActionStarted"], bound: { kind: "action", uid: "w1" }, constraints: [["steps", 2]] }),
  ],
  ["$walk.action.Finished()", () => ({ names: ["WalkActionFinished"], bound: { kind: "action", uid: "w1" } })],
  [
    'FlowFinished(flow_id="job", a=3)',
    () => ({ names: ["FlowFinished"], fields: [["flow_id", "job"]], constraints: [["a", 3]] }),
  ],
  [
    'StartFlow(arguments={"flow_id": "user part"}, flow_id="job")',
    () => ({ fields: [["flow_id", "job"]], constraints: [["flow_id", "user part"]] }),
  ],
  ['UnhandledEvent(event="E", n=1)', () => ({ fields: [["event", "E"]], constraints: [["n", 1]] })],
  ['BotActionLog(flow_id="bot say")', () => ({ fields: [["flow_id", "bot say"]], constraints: [] })],
];

describe("the pattern of a wait", () => {
  it.each(FORMS)("match %s", (statement, expected) => {
    const there = stage(statement);
    const pattern = patternOf(there);
    for (const [key, value] of Object.entries(expected(there))) {
      expect([key, pattern[key as keyof ReadyPattern]]).toEqual([key, value]);
    }
  });

  it.each([
    ["$x", "only an event can be matched like this"],
    ["$x.Finished()", "nothing here has an event `Finished`"],
    ["$f", "only an event can be matched like this"],
    ["$f.Change()", "a flow has no event `Change`"],
    ["$l", "only an event can be matched like this"],
    ["$nothing.Finished()", "nothing here has an event `Finished`"],
    ["E(a=1 / 0)", "division"],
  ])("match %s fails the flow alone", (statement, message) => {
    const driver = new Driver(`${SETUP}  match ${statement}\n`);
    driver.batch();
    driver.batch({ type: "Begin" });
    const sent = driver.batch({ type: "WalkActionStarted", action_uid: "w1" });
    expect(sent).toContainEqual(expect.objectContaining({ type: "Failed", error: expect.stringContaining(message) }));
  });
});

const event =
  (type: string, fields: Readonly<Record<string, unknown>> = {}) =>
  ({ driver, lamp }: Stage): EngineEvent => {
    const flat = fromOutside({ type, ...fields, ...(fields["action_uid"] === "LAMP" ? { action_uid: lamp } : {}) });
    const made = externalEvent(flat as Record<string, Value>, "e");
    linkAction(driver.conversation.state, made);
    return made;
  };

const flowEvent =
  (
    name: string,
    {
      fields = {},
      payload = { a: 3, b: 2 },
      extras = {},
    }: Partial<Record<"fields" | "payload" | "extras", Record<string, Value>>> = {},
  ) =>
  ({ job }: Stage): EngineEvent => ({
    ...BLANK_EVENT,
    name,
    uid: "e",
    isInternal: true,
    fields: { flow_id: "job", flow_instance_uid: job, ...fields },
    payload,
    extras,
  });

const ok = { action_uid: "LAMP", is_success: true };

const SCORES: readonly (readonly [
  statement: string,
  title: string,
  event: (stage: Stage) => EngineEvent,
  score: number,
])[] = [
  ["E()", "nothing to ask for", event("E"), 1],
  ["E()", "another name", event("F"), 0],
  ["E(a=1)", "all of it", event("E", { a: 1 }), 1],
  ["E(a=1)", "a field that is missing", event("E"), 0],
  ["E(a=1)", "a field of another value", event("E", { a: 2 }), 0],
  ["E(a=1)", "one field more", event("E", { a: 1, b: 2 }), 0.9],
  ["E()", "three fields more", event("E", { a: 1, b: 2, c: 3 }), 0.9 ** 3],
  ["E(a=[1])", "an item more", event("E", { a: [1, 2] }), 0.9],
  ["E(a=[1])", "an item and a field more", event("E", { a: [1, 2], b: 1 }), 0.81],
  ['E(a=regex(".*"))', "any text", event("E", { a: "x" }), 1],
  ["E()", "the envelope never counts", event("E", { uid: "u", source_uid: "s", tags: [1], is_success: true }), 1],
  ['E(source_uid="s")', "the envelope can be asked for", event("E", { source_uid: "s", a: 1 }), 0.9],
  ['E(source_uid="s")', "an envelope of another value", event("E", { source_uid: "t" }), 0],
  ["E(return_value=1)", "payload named as fields of flows are", event("E", { return_value: 2 }), 0],
  ["WalkAction.Started()", "an unknown action", event("WalkActionStarted", { action_uid: "other" }), 1],
  ["LampAction.Finished()", "an action that is known, not asked for", event("LampActionFinished", ok), 0.9],
  ["LampAction(level=1).Finished()", "one start argument of two", event("LampActionFinished", ok), 0.9],
  ['LampAction(level=1, colour="red").Finished()', "both start arguments", event("LampActionFinished", ok), 1],
  ["LampAction(level=2).Finished()", "another start argument", event("LampActionFinished", ok), 0],
  [
    "LampAction(level=1).Finished()",
    "start arguments of an unknown action",
    event("LampActionFinished", { action_uid: "other" }),
    0,
  ],
  ["$l.Finished()", "its own end", event("LampActionFinished", ok), 1],
  ["$l.Finished()", "an end with a field more", event("LampActionFinished", { ...ok, light: 3 }), 0.9],
  ["$l.Finished()", "the end of another", event("LampActionFinished", { action_uid: "other" }), 0],
  ["$l.Finished(is_success=False)", "its end, otherwise", event("LampActionFinished", ok), -1],
  ["$l.Started()", "the end makes it impossible", event("LampActionFinished", ok), -1],
  ["$l.LevelUpdated(level=2)", "an update of another value", event("LampActionLevelUpdated", { ...ok, level: 1 }), 0],
  ["$l.LevelUpdated(level=2)", "the end makes it impossible", event("LampActionFinished", ok), -1],
  ["$l.Stop()", "the end does not make a request impossible", event("LampActionFinished", ok), 0],
  ["$f.Finished()", "covers all parameters", flowEvent("FlowFinished"), 1],
  ["$f.Finished()", "a failure makes it impossible", flowEvent("FlowFailed"), -1],
  ["$f.Failed()", "an end makes it impossible", flowEvent("FlowFinished"), -1],
  ["$f.Started()", "an end makes it impossible", flowEvent("FlowFinished"), -1],
  ["$f.Paused()", "a failure makes it impossible", flowEvent("FlowFailed"), -1],
  ["$f.Finished()", "another instance", flowEvent("FlowFinished", { fields: { flow_instance_uid: "other" } }), 0],
  ["$f.Finished()", "the failure of another", flowEvent("FlowFailed", { fields: { flow_instance_uid: "other" } }), 0],
  ['$f.Finished("ok")', "the value", flowEvent("FlowFinished", { fields: { return_value: "ok" } }), 1],
  ['$f.Finished("ok")', "another value", flowEvent("FlowFinished", { fields: { return_value: "no" } }), -1],
  ["$f.Finished(out=1)", "a return member", flowEvent("FlowFinished", { extras: { out: 1 } }), 1],
  ["$f.Finished(out=1)", "another return member", flowEvent("FlowFinished", { extras: { out: 2 } }), -1],
  ["job.Finished()", "two parameters not asked for", flowEvent("FlowFinished"), 0.81],
  ["(job 3).Finished()", "one parameter not asked for", flowEvent("FlowFinished"), 0.9],
  ["(job 3 2).Finished()", "all parameters", flowEvent("FlowFinished"), 1],
  ["(job 4).Finished()", "another argument", flowEvent("FlowFinished"), 0],
  ["(job 3 2 1).Finished()", "an argument too many", flowEvent("FlowFinished"), 0],
  ["job.Finished()", "never made impossible", flowEvent("FlowFailed"), 0],
  ["job.Finished()", "another flow", flowEvent("FlowFinished", { fields: { flow_id: "other" } }), 0],
  ["job.Finished()", "return members cost nothing", flowEvent("FlowFinished", { extras: { out: 1 } }), 0.81],
  ['FlowFinished(flow_id=regex("j"))', "fields change nothing but match or no match", flowEvent("FlowFinished"), 0.81],
  ["FlowFinished(a=3, b=2)", "user parameters count", flowEvent("FlowFinished"), 1],
  [
    'UnhandledEvent(event="E")',
    "fields of what was unhandled count",
    () => ({
      ...flowEvent("UnhandledEvent")({} as Stage),
      fields: { event: "E", loop_ids: new Set<Value>(["main"]) },
      payload: {},
    }),
    0.9,
  ],
  [
    "UnhandledEvent()",
    "all fields of what was unhandled count",
    () => ({
      ...flowEvent("UnhandledEvent")({} as Stage),
      fields: { event: "E", loop_ids: new Set<Value>(["main"]) },
      payload: { n: 1 },
    }),
    0.9 ** 3,
  ],
  [
    'BotActionLog(flow_id="bot say")',
    "fields of logs count",
    () => ({
      ...flowEvent("BotActionLog")({} as Stage),
      fields: { flow_id: "bot say", parameter: "x", intent_flow_id: null },
      payload: {},
    }),
    0.81,
  ],
];

describe("the score of an event", () => {
  it.each(SCORES)("match %s: %s", (statement, _, made, score) => {
    const there = stage(statement);
    const pattern = patternOf(there);
    const { state } = there.driver.conversation;
    expect(scoreEvent(state, made(there), pattern, 1)).toBeCloseTo(score, 12);
    // The priority of the flow multiplies only the score of a match.
    expect(scoreEvent(state, made(there), pattern, 0.5)).toBeCloseTo(score > 0 ? score / 2 : score, 12);
  });
});

const pattern = (source: string): Value => new PatternValue(source);
const below = (bound: number): Value => new ComparisonValue("less_than", bound);

const CASES: readonly (readonly [title: string, actual: Value, expected: Value, score: number])[] = [
  ["equal strings", "a", "a", 1],
  ["other strings", "a", "b", 0],
  ["a number and its text", 1, "1", 0],
  ["True and 1", true, 1, 0],
  ["None for null", null, null, 1],
  ["None for something", 0, null, 0],
  ["a value that is not a number", Number.NaN, Number.NaN, 0],
  ["a pattern in a string", "abc", pattern("b"), 1],
  ["a pattern that is not there", "abc", pattern("^b"), 0],
  ["a pattern for a number", 123, pattern("^12"), 1],
  ["a pattern for a boolean", true, pattern("^True$"), 1],
  ["a pattern for a list", ["a"], pattern("a"), 0],
  ["a pattern for null", null, pattern(".*"), 0],
  ["two equal patterns", pattern("a"), pattern("a"), 1],
  ["two patterns", pattern("a"), pattern("b"), 0],
  ["a comparison that holds", 1, below(2), 1],
  ["a comparison that does not", 2, below(2), 0],
  ["a comparison of a text", "1", below(2), 0],
  ["two equal comparisons", below(2), below(2), 1],
  ["an equal dictionary", { a: 1 }, { a: 1 }, 1],
  ["a dictionary with one key more", { a: 1, b: 2 }, { a: 1 }, 0.9],
  ["a dictionary with two keys more", { a: 1, b: 2, c: 3 }, { a: 1 }, 0.81],
  ["a dictionary without the key", { b: 1 }, { a: 1 }, 0],
  ["dictionaries in dictionaries", { a: { b: 1, c: 2 } }, { a: { b: 1 } }, 0.9],
  ["a key of the prototype", {}, { toString: null }, 0],
  ["a list for a dictionary", [1], { a: 1 }, 0],
  ["an equal list", [1, 2], [1, 2], 1],
  ["a list with one item more", [1, 9, 2], [1, 2], 0.9],
  ["a list in another order", [2, 1], [1, 2], 0],
  ["a list that is too short", [1], [1, 2], 0],
  ["an empty list for any list", [1, 2], [], 0.81],
  ["patterns in lists", ["xa", "yb"], [pattern("b")], 0.9],
  ["a list taken as a set", [2, 1], new Set([1]), 0.9],
  ["an equal set", new Set([1, 2]), new Set([2, 1]), 1],
  ["a set that is too large", [1], new Set([1, 2]), 0],
  ["a set of something else", ["a"], new Set([1]), 0],
  ["a text for a set", "a", new Set(["a"]), 0],
  ["a set for a list", new Set([1]), [1], 0],
];

function compare(actual: Value, expected: Value): number {
  return similarity(actual, expected, new WorkMeter());
}

describe("the score of a value under a pattern", () => {
  it.each(CASES)("%s", (_title, actual, expected, score) => {
    expect(compare(actual, expected)).toBeCloseTo(score, 12);
  });

  it("is above 0 for any number of unexpected parameters, and 0 beyond a depth", () => {
    const long = Array.from({ length: 50_000 }, () => 1);
    expect(compare(long, [1])).toBeGreaterThan(0);
    const deep = (depth: number): Value => (depth === 0 ? 1 : [deep(depth - 1)]);
    expect(compare(deep(90), deep(90))).toBe(1);
    expect(compare(deep(200), deep(200))).toBe(0);
  });

  it("does not expand values that are reached by many paths", () => {
    let value: Value = [1];
    let other: Value = [1];
    for (let level = 0; level < 60; level += 1)
      [value, other] = [
        [value, value],
        [other, other],
      ];
    expect(() => compare(value, other)).toThrow(expect.objectContaining({ limit: "comparisons" }));
    expect(equalValues(value, other, new WorkMeter())).toBe(false);
  });
});

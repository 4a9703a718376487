// Groups in which the rails of a stage run, derived from the traits of each rail.
import { describe, expect, it } from "@jest/globals";
import type { RailsSettings } from "../../src/config/settings.js";
import {
  alonePlan,
  planRails,
  raceAtOnce,
  raceAfterRewriting,
  createRailPlans,
  type RailTraits,
  stageByReads,
  isNamed,
  checkSelection,
  selectRails,
} from "../../src/rails/plan.js";
import type { RailServices } from "../../src/rails/services.js";

interface Given {
  readonly rewrites?: boolean;
  readonly rewritesText?: boolean | null;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

const traitsOf = ({ rewrites = false, rewritesText = false, reads = [], writes = [] }: Given): RailTraits => ({
  rewrites,
  ...(rewritesText === null ? {} : { rewritesText }),
  isKnown: true,
  reads: new Set(reads),
  writes: new Set(writes),
});

const TRAITS = new Map(
  Object.entries({
    judge: {},
    other: {},
    mask: { rewrites: true, rewritesText: true },
    note: { rewrites: true, rewritesText: false },
    sets: { writes: ["a"] },
    "sets too": { writes: ["a", "b"] },
    reads: { reads: ["a"] },
    "reads b": { reads: ["b"] },
    unasked: { rewritesText: null },
  }).map(([name, given]) => [name, traitsOf(given as Given)] as const),
);

type Shown = readonly [names: string, flags: string];
/** Each group as its rails with their hidden variables, and its flags. */
const show = (groups: ReturnType<typeof planRails>): readonly Shown[] =>
  groups.map(({ rails, rewrites, isRace, rewritesInOrder }) => [
    rails.map(({ rail, hidden }) => (hidden.length === 0 ? rail : `${rail}-${hidden.join("-")}`)).join(" | "),
    [rewrites ? "rewrites" : "", isRace ? "race" : "", rewritesInOrder === true ? "in order" : ""]
      .filter(Boolean)
      .join(" "),
  ]);

describe("a plan of rails", () => {
  it.each<[string, boolean | null, readonly string[], readonly Shown[]]>([
    ["no rail", null, [], []],
    ["one judge", null, ["judge"], [["judge", ""]]],
    ["one judge of a race", true, ["judge"], [["judge", ""]]],
    ["one that rewrites", null, ["mask"], [["mask", "rewrites"]]],
    ["an unknown one", null, ["unknown"], [["unknown", "rewrites"]]],
    ["two judges", null, ["judge", "other"], [["judge | other", ""]]],
    [
      "two judges in order",
      false,
      ["judge", "other"],
      [
        ["judge", ""],
        ["other", ""],
      ],
    ],
    [
      "a strict order",
      false,
      ["judge", "mask"],
      [
        ["judge", ""],
        ["mask", "rewrites"],
      ],
    ],
    [
      "one that rewrites, first",
      null,
      ["judge", "mask", "other"],
      [
        ["mask", "rewrites"],
        ["judge | other", ""],
      ],
    ],
    [
      "two that rewrite, each alone",
      null,
      ["mask", "note"],
      [
        ["mask", "rewrites"],
        ["note", "rewrites"],
      ],
    ],
    [
      "one that only notes",
      null,
      ["judge", "note"],
      [
        ["note", "rewrites"],
        ["judge", ""],
      ],
    ],
    [
      "one that reads what is set before",
      null,
      ["sets", "reads"],
      [
        ["sets", ""],
        ["reads", ""],
      ],
    ],
    ["one that reads what is set later", null, ["reads", "sets"], [["reads | sets", ""]]],
    ["one that reads something else", null, ["sets", "reads b"], [["sets | reads b", ""]]],
    ["what is set twice", null, ["sets", "sets too"], [["sets | sets too-a", ""]]],
    [
      "what is known after a new group",
      null,
      ["sets", "reads", "sets too"],
      [
        ["sets", ""],
        ["reads | sets too", ""],
      ],
    ],
    [
      "a third group",
      null,
      ["sets", "reads", "sets too", "reads b"],
      [
        ["sets", ""],
        ["reads | sets too", ""],
        ["reads b", ""],
      ],
    ],
    ["a race", true, ["judge", "other"], [["judge | other", "race"]]],
    ["a race with one that rewrites", true, ["judge", "mask"], [["judge | mask", "rewrites race"]]],
    ["a race with an unknown one", true, ["judge", "unknown"], [["judge | unknown", "rewrites race"]]],
    ["a race of one that reads", true, ["sets", "reads", "sets too"], [["sets | reads | sets too", "race"]]],
  ])("of %s, with `parallel` %p", (_title, parallel, rails, expected) => {
    expect(show(planRails(rails, parallel, TRAITS))).toEqual(expected);
    expect(show(planRails(rails, parallel, TRAITS, raceAtOnce))).toEqual(expected);
  });

  it.each<[string, readonly string[], readonly Shown[]]>([
    ["judges", ["judge", "other"], [["judge | other", "race in order"]]],
    [
      "one that rewrites",
      ["judge", "mask", "other"],
      [
        ["mask", "rewrites"],
        ["judge | other", "race in order"],
      ],
    ],
    ["one that notes", ["judge", "note"], [["judge | note", "rewrites race in order"]]],
    [
      "an unknown one",
      ["judge", "unknown"],
      [
        ["unknown", "rewrites"],
        ["judge", "race in order"],
      ],
    ],
    [
      "one that was not requested",
      ["judge", "unasked"],
      [
        ["unasked", "rewrites"],
        ["judge", "race in order"],
      ],
    ],
    [
      "one that reads",
      ["sets", "reads"],
      [
        ["sets", "race in order"],
        ["reads", "race in order"],
      ],
    ],
    ["what is set twice", ["sets", "sets too"], [["sets | sets too-a", "race in order"]]],
  ])("of concurrent rails after those that rewrite: %s", (_title, rails, expected) => {
    expect(show(raceAfterRewriting(rails, TRAITS))).toEqual(expected);
    expect(show(planRails(rails, true, TRAITS, raceAfterRewriting))).toEqual(expected);
  });

  it("of a single rail counts as one that rewrites unless it is known not to", () => {
    expect(show([alonePlan("judge"), alonePlan("judge", false)])).toEqual([
      ["judge", "rewrites"],
      ["judge", ""],
    ]);
  });
});

const LISTS = {
  input: { flows: ["one", "two $model=a"] },
  output: { flows: ["three"] },
  retrieval: { flows: ["four", "five"] },
  tool_input: { flows: ["six"], per_tool: { look_up: ["nine"] }, shadow_per_tool: {} },
  tool_output: { flows: ["seven", "eight"], per_tool: {}, shadow_per_tool: {} },
};

function settings(parallel: boolean | null = null): RailsSettings {
  const rails = Object.fromEntries(
    Object.entries(LISTS).map(([stage, list]) => [stage, { ...list, shadow: [], parallel }]),
  );
  return { rails } as unknown as RailsSettings;
}

describe("plans of a configuration", () => {
  const judge = traitsOf({});

  it("contain the traits of the rails of every stage", () => {
    const asked: string[] = [];
    const { traits } = createRailPlans(settings(), (rail) => (asked.push(rail), judge));
    expect(asked.toSorted()).toEqual(["eight", "five", "four", "nine", "one", "seven", "six", "three", "two $model=a"]);
    expect(traits.get("two $model=a")).toBe(judge);
  });

  it.each<["input" | "output" | "retrieval" | "tool_input" | "tool_output", boolean | null, number, boolean]>([
    ["input", null, 1, false],
    ["input", true, 1, true],
    ["input", false, 2, false],
    ["output", true, 1, true],
    ["output", false, 2, false],
    ["retrieval", null, 2, false],
    ["retrieval", true, 2, false],
    ["tool_input", null, 1, false],
    ["tool_input", true, 1, false],
    ["tool_input", false, 2, false],
    ["tool_output", true, 1, false],
    ["tool_output", false, 2, false],
  ])("follow `parallel` of the stage: %s %p", (stage, parallel, count, isRace) => {
    const plans = createRailPlans(settings(parallel), () => judge);
    const rails = stage === "retrieval" ? LISTS.retrieval.flows : ["one", "three"];
    const plan = plans.of(stage, rails);
    expect([plan.length, plan[0]?.isRace]).toEqual([count, isRace]);
    expect(plans.of(stage, rails)).toBe(plan);
    expect(plans.of(stage, [...rails])).not.toBe(plan);
  });
});

describe("rails of a call", () => {
  const services = { config: { settings: settings() } } as unknown as RailServices;

  it.each<[string, string, boolean]>([
    ["check $model=a", "check $model=a", true],
    ["check $model=a", "check", true],
    ["check $model=a", "check $model=b", false],
    ["check", "check", true],
    ["check", "check all", false],
  ])("are named by flow or reference: %j by %j", (rail, name, expected) => {
    expect(isNamed(rail, name)).toBe(expected);
  });

  it.each<[string, object | undefined, readonly string[]]>([
    ["all, unset", undefined, ["one", "two $model=a"]],
    ["all where others are chosen", { output: false }, ["one", "two $model=a"]],
    ["all, by `true`", { input: true }, ["one", "two $model=a"]],
    ["none", { input: false }, []],
    ["none by an empty list", { input: [] }, []],
    ["one by its flow", { input: ["two"] }, ["two $model=a"]],
    ["both in the order of the configuration", { input: ["two", "one"] }, ["one", "two $model=a"]],
  ])("are %s", (_title, rails, expected) => {
    expect(selectRails(services, { rails } as Parameters<typeof selectRails>[1], "input")).toEqual(expected);
  });

  it.each<[string, object | undefined, string | undefined]>([
    ["nothing", undefined, undefined],
    ["switches", { input: true, output: false, execution: true }, undefined],
    [
      "rails of each stage",
      { input: ["two"], output: ["three"], retrieval: ["four"], execution: ["six", "seven", "nine"] },
      undefined,
    ],
    [
      "a misspelt one",
      { input: ["onne"] },
      "`onne` is not among the input rails of the configuration; did you mean `one`?",
    ],
    ["one of another stage", { output: ["four"] }, "`four` is not among the output rails of the configuration"],
    [
      "an unknown one of a stage behind a switch",
      { input: true, retrieval: ["zzzzzz"] },
      "`zzzzzz` is not among the retrieval",
    ],
    ["one of another stage among those of tools", { execution: ["one"] }, "`one` is not among the execution rails"],
  ])("are checked: %s", (_title, rails, message) => {
    const check = (): void => checkSelection(services, { rails } as Parameters<typeof checkSelection>[1]);
    if (message === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(message);
  });
});

it.each<[readonly string[], string | undefined]>([
  [[], undefined],
  [["user_message"], "input"],
  [["bot_message"], "output"],
  [["relevant_chunks"], "retrieval"],
  [["relevant_chunks_sep"], "retrieval"],
  [["user_message", "bot_message", "relevant_chunks"], "output"],
  [["user_message", "relevant_chunks"], "retrieval"],
  [["other"], undefined],
])("the stage of a rail that reads %j is %p", (reads, stage) => {
  expect(stageByReads(new Set(reads))).toBe(stage);
});

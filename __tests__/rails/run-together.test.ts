// Rails of one group over a scripted dialect: outcomes in order, races, and variables that are hidden from a rail.
import { describe, expect, it } from "@jest/globals";
import { DEFAULT_LIMITS } from "../../src/engine/limits.js";
import type { RailStart } from "../../src/rails/rail-dialect.js";
import type { RailGroup } from "../../src/rails/plan.js";
import { runGroup } from "../../src/rails/run-group.js";
import type { RailServices } from "../../src/rails/services.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { Turn } from "../../src/turn/turn.js";

type Does = "pass" | "block" | "mask" | "wait" | "fail";

/** Runs a group whose rails do as they are called, such as `mask 1`. */
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
    config: { settings: { rails: { output: { flows: [] } } } },
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
    ["a judge that blocks behind others", ["pass", "block"], {}, ["pass", "block blocked"], 1],
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

  it("decides once for a rail that rewrites again", async () => {
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
  ])("ends with its first failure where errors are thrown: %s", async (_title, group) => {
    await expect(run(["fail", "wait"], group)).rejects.toThrow("failed");
  });
});

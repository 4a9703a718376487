import { checkTool } from "../support/language-models/one-shot.js";
import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { defineAction } from "../../src/actions/define-action.js";
import type { ActionContext } from "../../src/actions/action.js";
import type { ToolCheck } from "../../src/rails/tools/tool-check.js";
import type { ToolStage } from "../../src/turn/decision.js";
import { gate, openBench } from "./bench.js";
import { propertyRuns } from "../support/property-runs.js";
import { judgeAs, verdicts } from "./scripted-verdicts.js";

type Work = (params: unknown, context: ActionContext) => unknown;
const verdict = (name: string, work: Work) => defineAction({ name, verdict: true }, work);

const judge = (name: string): string => `
define bot deny ${name}
  "Not ${name}."
define subflow ${name}
  $allowed = execute ${name}(args=$tool_args, message=$tool_message)
  if not $allowed
    bot deny ${name}
    stop
`;
const CHANGES = `
define subflow lower
  $tool_args = execute lower(args=$tool_args)
define subflow hide
  $tool_message = execute hide(text=$tool_message)
define subflow note
  $noted = execute note
define bot heeded
  "Heeded."
define subflow heed
  if $noted == "high"
    bot heeded
    stop
`;
const STAGES: ToolStage[] = ["tool_output", "tool_input"];
const SUBJECT = { tool: "pay", args: { amount: 500 }, callId: "c1" };
const about = (stage: ToolStage) => (stage === "tool_input" ? { ...SUBJECT, result: "pin 12" } : SUBJECT);

function yaml(flows: readonly string[], parallel: string, perTool: readonly string[] = []): string {
  const stage = `{flows: [${flows.join(", ")}], parallel: ${parallel}, per_tool: {pay: [${perTool.join(", ")}]}}`;
  return `rails: {tool_output: ${stage}, tool_input: ${stage}}`;
}

describe.each(STAGES)("rails on tools that only judge, in %s", (stage) => {
  it.each(["true", "null"])(
    "run concurrently with `parallel: %s`, those for one tool with those for all",
    async (parallel) => {
      const both = [gate(), gate()];
      const meet = (own: number, other: number): Work => {
        return async () => {
          both[own]?.open();
          await both[other]?.promise;
          return true;
        };
      };
      const { runtime } = await openBench({
        colang: judge("one") + judge("two"),
        yaml: yaml(["one"], parallel, ["two"]),
        actions: { one: verdict("one", meet(0, 1)), two: verdict("two", meet(1, 0)) },
      });
      const check = await checkTool(runtime, stage, about(stage));
      expect([check.status, check.decisions.map(({ rail }) => rail)]).toEqual(["passed", ["one", "two"]]);
    },
  );

  it("are aborted after the first block and decide nothing", async () => {
    const started = gate();
    let signalled: AbortSignal | undefined;
    const { runtime } = await openBench({
      colang: judge("one") + judge("two"),
      yaml: yaml(["one", "two"], "true"),
      actions: {
        one: verdict("one", () => started.promise.then(() => false)),
        two: verdict("two", (_params, { signal }) => {
          signalled = signal;
          started.open();
          return new Promise(() => undefined);
        }),
      },
    });
    const check = await checkTool(runtime, stage, about(stage));
    expect(check).toMatchObject({ status: "blocked", refusal: "Not one.", verdict: { rail: "one" } });
    expect(check.decisions.map(({ rail }) => rail)).toEqual(["one"]);
    expect(signalled?.aborted).toBe(true);
  });

  it("use the refusal of the first in the list, however late it blocks", async () => {
    const blocked = gate();
    const { runtime } = await openBench({
      colang: judge("one") + judge("two"),
      yaml: yaml(["one", "two"], "true"),
      actions: {
        one: verdict("one", () => blocked.promise.then(() => false)),
        two: verdict("two", () => (blocked.open(), false)),
      },
    });
    expect((await checkTool(runtime, stage, about(stage))).refusal).toBe("Not one.");
  });

  it("see the call or the result as rewritten by rails, wherever these are listed", async () => {
    const seen: unknown[] = [];
    const { runtime } = await openBench({
      colang: judge("one") + CHANGES,
      yaml: yaml(["one", stage === "tool_output" ? "lower" : "hide"], "true"),
      actions: {
        one: verdict("one", (params) => seen.push(params) > 0),
        lower: ({ args }: { args: object }) => ({ ...args, amount: 1 }),
        hide: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
      },
    });
    const check = await checkTool(runtime, stage, about(stage));
    expect(check.status).toBe("modified");
    expect(seen).toMatchObject([stage === "tool_output" ? { args: { amount: 1 } } : { message: "pin **" }]);
  });

  it("run one after the other with `parallel: false`", async () => {
    const order: string[] = [];
    const slow = (name: string): Work => {
      return async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
        return true;
      };
    };
    const { runtime } = await openBench({
      colang: judge("one") + judge("two"),
      yaml: yaml(["one", "two"], "false"),
      actions: { one: verdict("one", slow("one")), two: verdict("two", slow("two")) },
    });
    await checkTool(runtime, stage, about(stage));
    expect(order).toEqual(["one begins", "one ends", "two begins", "two ends"]);
  });
});

it("the option `parallel` overrides the setting of tool rails too", async () => {
  const order: string[] = [];
  const { runtime } = await openBench({
    colang: judge("one") + judge("two"),
    yaml: yaml(["one", "two"], "true"),
    parallel: false,
    actions: {
      one: verdict("one", async () => (await Promise.resolve(), order.push("one") > 0)),
      two: verdict("two", () => order.push("two") > 0),
    },
  });
  await checkTool(runtime, "tool_output", SUBJECT);
  expect(order).toEqual(["one", "two"]);
});

it("an unreadable value is refused before any other rail sees it", async () => {
  const seen: string[] = [];
  const { runtime } = await openBench({
    colang: judge("one") + CHANGES,
    yaml: yaml(["one", "lower", "tool call validation"], "true").replace(/, tool_input.*$/, "}"),
    actions: {
      one: verdict("one", () => seen.push("one") > 0),
      lower: ({ args }: { args: object }) => (seen.push("lower"), args),
    },
  });
  const check = await checkTool(runtime, "tool_output", { ...SUBJECT, problem: "no JSON" });
  expect(check).toMatchObject({ status: "blocked", verdict: { rail: "tool call validation" } });
  expect(seen).toEqual([]);
});

const NAMES = ["one", "two", "three", "note", "heed", "lower", "hide"] as const;
const CHANGING: ReadonlySet<string> = new Set(["lower", "hide"]);

interface Script {
  readonly stage: ToolStage;
  readonly rails: readonly (typeof NAMES)[number][];
  readonly says: Readonly<Record<"one" | "two" | "three", boolean | "fail">>;
  readonly note: "high" | "low";
}

const script: fc.Arbitrary<Script> = fc.record({
  stage: fc.constantFrom(...STAGES),
  rails: fc.shuffledSubarray([...NAMES], { minLength: 1 }),
  says: fc.record({
    ...verdicts,
  }),
  note: fc.constantFrom("high", "low"),
});

async function play(
  { stage, rails, says, note }: Script,
  parallel: boolean | null,
  wait: <Value>(value: Value) => Promise<Value>,
): Promise<unknown> {
  const answer = (name: keyof typeof says): Work => {
    return () => judgeAs(name, wait(says[name]));
  };
  const flows =
    parallel === false ? [...rails].sort((a, b) => Number(CHANGING.has(b)) - Number(CHANGING.has(a))) : rails;
  const { runtime } = await openBench({
    colang: judge("one") + judge("two") + judge("three") + CHANGES,
    yaml: yaml(flows, String(parallel)),
    actions: {
      ...Object.fromEntries((["one", "two", "three"] as const).map((name) => [name, verdict(name, answer(name))])),
      note: verdict("note", () => wait(note)),
      lower: async ({ args }: { args: object }) => wait({ ...args, amount: 1 }),
      hide: async ({ text }: { text: string | null }) => wait(text?.replaceAll(/\d/g, "*") ?? null),
    },
  });
  return visible(await checkTool(runtime, stage, about(stage)));
}

/** Verdicts after the decisive one occur only if rails run concurrently. */
function visible({ status, args, result, refusal, decisions, verdict: { rail, blocked } }: ToolCheck): unknown {
  const decisive = decisions.findIndex((decision) => decision.status === "blocked" || decision.status === "error");
  const decided = decisive < 0 ? decisions : decisions.slice(0, decisive + 1);
  return { status, args, result, refusal, rail, blocked, decisions: decided.map((each) => [each.rail, each.status]) };
}

describe("concurrent rails on tools", () => {
  it("have the same result as in sequence", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.constantFrom(true, null), fc.scheduler(), async (given, parallel, scheduler) => {
        const inOrder = await play(given, false, async (value) => value);
        const running = play(given, parallel, (value) => scheduler.schedule(Promise.resolve(value)));
        expect(await scheduler.waitFor(running)).toEqual(inOrder);
      }),
      { numRuns: propertyRuns(8) },
    );
  });
});

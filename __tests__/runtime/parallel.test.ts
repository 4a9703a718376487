import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { actionResult } from "../../src/actions/action-result.js";
import type { ActionContext } from "../../src/actions/action.js";
import { defineAction } from "../../src/actions/define-action.js";
import type { TurnResult } from "../../src/turn/result.js";
import { gate, openBench } from "./bench.js";
import { propertyRuns } from "../support/property-runs.js";

const user = (content: string) => [{ role: "user" as const, content }];
const generator = async ({ userMessage }: { userMessage: string }) => ({ text: `echo ${userMessage}` });

/** A rail that blocks when its action says no. */
const judge = (name: string): string => `
define bot deny ${name}
  "Not ${name}."
define subflow ${name}
  $allowed = execute ${name}
  if not $allowed
    bot deny ${name}
    stop
`;

type Work = (params: unknown, context: ActionContext) => unknown;
const verdict = (name: string, work: Work) => defineAction({ name, verdict: true }, work);

describe("rails that only judge", () => {
  it("run side by side where `parallel` is unset", async () => {
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
      yaml: "rails: {input: {flows: [one, two]}}",
      actions: { one: verdict("one", meet(0, 1)), two: verdict("two", meet(1, 0)) },
    });
    expect((await runtime.turn(user("hi"), { generator })).text).toBe("echo hi");
  });

  it.each<[string, Work, string]>([
    ["a rail listed later", () => true, "two"],
    ["a rail listed earlier that passes", () => true, "two"],
    ["a rail listed earlier that blocks later in time", () => false, "one"],
  ])("the first in the list wins over %s", async (_title, slow, winner) => {
    const blocked = gate();
    const { runtime } = await openBench({
      colang: judge("one") + judge("two"),
      yaml: "rails: {input: {flows: [one, two]}}",
      actions: {
        one: verdict("one", async (...given) => {
          await blocked.promise;
          return slow(...given);
        }),
        two: verdict("two", () => {
          blocked.open();
          return false;
        }),
      },
    });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.verdict.rail, result.text]).toEqual(["blocked", winner, `Not ${winner}.`]);
  });

  it("ends the rails behind a block at once, and they decide nothing", async () => {
    let reason: unknown;
    const started = gate();
    const { runtime } = await openBench({
      colang: judge("one") + judge("two"),
      yaml: "rails: {input: {flows: [one, two]}}",
      actions: {
        one: verdict("one", () => started.promise.then(() => false)),
        two: verdict("two", (_params, { signal }) => {
          signal.addEventListener("abort", () => (reason = signal.reason));
          started.open();
          return new Promise(() => undefined);
        }),
      },
    });
    const result = await runtime.turn(user("hi"), { generator });
    expect(result.decisions.map(({ rail, status }) => [rail, status])).toEqual([["one", "blocked"]]);
    expect([reason, result.log.errors]).toMatchObject([{ code: "RL-105" }, []]);
  });

  it("keeps a verdict that had fallen before the block, in the order of the list", async () => {
    const passed = gate();
    const reported: string[] = [];
    const { runtime } = await openBench({
      colang: judge("one") + judge("two"),
      yaml: "rails: {input: {flows: [one, two]}}",
      actions: { one: verdict("one", () => passed.promise.then(() => false)), two: verdict("two", () => true) },
      onDecision: ({ rail }) => {
        reported.push(rail);
        if (rail === "two") passed.open();
      },
    });
    const result = await runtime.turn(user("hi"), { generator, log: { activatedRails: true } });
    expect(reported).toEqual(["two", "one"]);
    expect(result.decisions.map(({ rail }) => rail)).toEqual(["one", "two"]);
    expect(result.log.activatedRails?.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  it("throws what the first to fail throws, and waits for one before it that blocks", async () => {
    const failed = gate();
    const bench = (first: boolean) =>
      openBench({
        colang: judge("one") + judge("two"),
        yaml: "rails: {input: {flows: [one, two]}}",
        onError: "throw",
        actions: {
          one: verdict("one", () => failed.promise.then(() => first)),
          two: verdict("two", () => {
            failed.open();
            throw new Error("the judge is out");
          }),
        },
      });
    await expect((await bench(true)).runtime.turn(user("hi"), { generator })).rejects.toThrow("the judge is out");
    expect((await (await bench(false)).runtime.turn(user("hi"), { generator })).verdict.rail).toBe("one");
  });
});

describe("which rails run first", () => {
  const order = async (flows: string, colang: string, parallel = ""): Promise<string[]> => {
    const seen: string[] = [];
    const note = (name: string): Work => {
      return (_params, { context }) => {
        seen.push(`${name} ${String(context["user_message"])}`);
        return true;
      };
    };
    const { runtime } = await openBench({
      colang: judge("one") + judge("two") + colang,
      yaml: `rails: {input: {flows: [${flows}]${parallel}}}`,
      actions: { one: verdict("one", note("one")), two: note("two"), ask: verdict("ask", note("ask")) },
    });
    await runtime.turn(user("hi"), { generator });
    return seen;
  };

  it.each([
    ["one whose action is not declared as a verdict", "one, two", "", ["two hi", "one hi"]],
    ["one that rewrites the text", "one, loud", 'define subflow loud\n  $user_message = "HI"', ["one HI"]],
    [
      "one that rewrites it in a flow it calls",
      "one, loud",
      'define subflow loud\n  do louder\ndefine subflow louder\n  $user_message = "HI"',
      ["one HI"],
    ],
    [
      "one that calls what a variable says",
      "one, any",
      'define subflow any\n  $f = "ask it"\n  do $f\ndefine subflow ask it\n  execute ask',
      ["ask hi", "one hi"],
    ],
  ])("%s", async (_title, flows, colang, seen) => {
    expect(await order(flows, colang)).toEqual(seen);
  });

  it("none, where `parallel: false` asks for the listed order", async () => {
    expect(await order("one, loud, two", 'define subflow loud\n  $user_message = "HI"', ", parallel: false")).toEqual([
      "one hi",
      "two HI",
    ]);
  });
});

/** Rails of the property: what they read and write, and how they depend on each other. */
const RAILS = {
  one: judge("one"),
  two: judge("two"),
  three: judge("three"),
  note: "define subflow note\n  $score = execute note\n  $noted = $score\n",
  heed: 'define bot heeded\n  "Heeded."\ndefine subflow heed\n  if $score == "high"\n    bot heeded\n    stop\n',
  reset: "define subflow reset\n  if $noted\n    $noted = None\n",
  again: 'define subflow again\n  $noted = "before"\n',
  mask: "define subflow mask\n  $user_message = execute mask\n",
  plain: judge("plain"),
} as const;
type RailName = keyof typeof RAILS;
const MUTATING: ReadonlySet<string> = new Set(["mask", "plain"]);

interface Script {
  readonly rails: readonly RailName[];
  readonly says: Readonly<Record<"one" | "two" | "three" | "plain", boolean | "fail">>;
  readonly note: "high" | "low";
}

const script: fc.Arbitrary<Script> = fc.record({
  rails: fc.shuffledSubarray(Object.keys(RAILS) as RailName[], { minLength: 1 }),
  says: fc.record({
    one: fc.constantFrom(true, true, false, "fail" as const),
    two: fc.constantFrom(true, true, false, "fail" as const),
    three: fc.constantFrom(true, true, false),
    plain: fc.constantFrom(true, true, false),
  }),
  note: fc.constantFrom("high", "low"),
});

async function play(
  { rails, says, note }: Script,
  parallel: false | null,
  wait: <Value>(value: Value) => Promise<Value>,
): Promise<TurnResult> {
  const answer = (name: keyof typeof says): Work => {
    return async () => {
      const said = await wait(says[name]);
      if (said === "fail") throw new Error(`${name} is out`);
      return said;
    };
  };
  const flows =
    parallel === false ? [...rails].sort((a, b) => Number(MUTATING.has(b)) - Number(MUTATING.has(a))) : rails;
  const { runtime } = await openBench({
    colang: Object.values(RAILS).join("\n"),
    yaml: `rails: {input: {flows: [${flows.join(", ")}], parallel: ${String(parallel)}}}`,
    actions: {
      ...Object.fromEntries((["one", "two", "three"] as const).map((name) => [name, verdict(name, answer(name))])),
      plain: answer("plain"),
      note: verdict("note", () => wait(note)),
      mask: async () => {
        await wait(null);
        return actionResult({ returnValue: "masked" });
      },
    },
  });
  return runtime.turn(user("hi"), { generator, context: { noted: "before" }, outputVars: true });
}

/** The observable result; verdicts after the decisive one appear only when rails run together. */
function visible({ status, text, verdict: { rail }, decisions, outputData, log }: TurnResult): unknown {
  const decisive = decisions.findIndex((decision) => decision.status === "blocked" || decision.status === "error");
  const decided = decisive < 0 ? decisions : decisions.slice(0, decisive + 1);
  return {
    status,
    text,
    rail,
    decisions: decided.map(({ rail: name, status: verdictOf, reason }) => [name, verdictOf, reason]),
    outputData,
    warnings: log.warnings,
  };
}

describe("rails side by side", () => {
  it("come to what they come to one after the other", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.scheduler(), async (given, scheduler) => {
        const inOrder = await play(given, false, async (value) => value);
        const running = play(given, null, (value) => scheduler.schedule(Promise.resolve(value)));
        const together = await scheduler.waitFor(running);
        expect(visible(together)).toEqual(visible(inOrder));
      }),
      { numRuns: propertyRuns(12) },
    );
  });
});

import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { runRail, runStage } from "../support/language-models/one-shot.js";
import type { ActionContext } from "../../src/actions/action.js";
import type { RailDecision } from "../../src/turn/decision.js";
import { gate, openBench } from "./bench.js";
import { visibleJson } from "../support/langchain/visible-json.js";
import { actionResult } from "../../src/actions/dispatcher.js";
import { defineAction } from "../../src/actions/define-action.js";
import type { TurnResult } from "../../src/turn/result.js";
import { propertyRuns } from "../support/property-runs.js";
import { judgeAs, verdicts, visibleResult } from "./scripted-verdicts.js";

const REFUSALS = `
define bot deny
  "Not that."
define subflow closed
  bot deny
  stop
define subflow judge
  $ok = execute judge
  if not $ok
    bot deny
    stop
define subflow shout
  $user_message = $user_message + "!"
define subflow mark
  $bot_message = "*" + $bot_message
`;
const input = (...flows: string[]): string => `rails: {input: {flows: [${flows.join(", ")}]}}`;
const user = (content: string) => [{ role: "user" as const, content }];
const generator = async ({ userMessage }: { userMessage: string }) => ({ text: `echo ${userMessage}` });

describe("a rail that decides", () => {
  it("passes, rewrites or blocks, and reports the decision", async () => {
    const { runtime } = await openBench({
      colang: REFUSALS,
      yaml: "rails: {input: {flows: [judge, shout]}, output: {flows: [mark]}}",
      actions: { judge: (_params: unknown, { context }: ActionContext) => context["user_message"] !== "bad" },
    });
    const good = await runtime.turn(user("hi"), { generator });
    expect([good.status, good.text, good.userMessage]).toEqual(["answered", "*echo hi!", "hi!"]);
    expect(good.decisions.map(({ rail, stage, status }) => [rail, stage, status])).toEqual([
      ["judge", "input", "passed"],
      ["shout", "input", "modified"],
      ["mark", "output", "modified"],
    ]);
    const bad = await runtime.turn(user("bad"), { generator });
    expect([bad.status, bad.text, bad.generated]).toEqual(["blocked", "Not that.", undefined]);
    expect(bad.verdict).toMatchObject({ blocked: true, stage: "input", rail: "judge" });
    expect(bad.decisions.map(({ refusal }) => refusal)).toEqual(["Not that."]);
  });

  it("reports each decision as it is made", async () => {
    const reported: RailDecision[] = [];
    const { runtime } = await openBench({
      colang: REFUSALS,
      yaml: input("shout", "closed"),
      onDecision: (decision) => reported.push(decision),
    });
    const result = await runtime.turn(user("hi"), { generator });
    expect(reported).toEqual(result.decisions);
  });

  it("keeps the details of its action, and never the blocked text", async () => {
    const { runtime } = await openBench({
      colang: REFUSALS,
      yaml: input("judge"),
      actions: {
        judge: (_params: unknown, context: ActionContext) => {
          context.annotate({ reason: "too secret", score: 0.9, threshold: 0.5, categories: ["secret"] });
          return false;
        },
      },
    });
    const result = await runtime.turn(user("the launch code is 4711"), { generator });
    expect(result.decisions[0]).toMatchObject({
      reason: "too secret",
      score: 0.9,
      threshold: 0.5,
      categories: ["secret"],
    });
    expect(visibleJson(result.decisions)).not.toContain("4711");
  });

  it("stores only a note in place of a blocked text", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("closed") });
    const result = await runtime.turn(user("the launch code is 4711"), { generator, state: {} });
    const history = (result.state as { history: { turns: { events: { type: string; text?: string }[] }[] } }).history;
    expect(history.turns.flatMap(({ events }) => events).find(({ type }) => type === "UserMessage")?.text).toBe(
      "(this message is hidden)",
    );
    expect(visibleJson(result.state)).not.toContain("4711");
  });

  it("removes a blocked response from the state and the output variables", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: "rails: {output: {flows: [mark, closed]}}" });
    const secret = async () => ({ text: "the launch code is 4711" });
    const options = { generator: secret, state: {}, outputVars: true } as const;
    const result = await runtime.turn(user("hi"), options);
    expect(result.text).toBe("Not that.");
    expect(visibleJson(result)).not.toContain("4711");
  });
});

describe("a rail that fails", () => {
  const broken = {
    judge: () => {
      throw new Error("the judge is out");
    },
  };

  it("blocks with the configured refusal and a reason in the decision", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge"), actions: broken });
    const result = await runtime.turn(user("hi"), { generator });
    const refusal = result.decisions[0]?.refusal;
    expect([result.status, result.text]).toEqual(["blocked", refusal]);
    expect(result.decisions[0]).toMatchObject({ status: "error", rail: "judge" });
    expect(result.decisions[0]?.reason).toContain("the judge is out");
    expect(result.log.errors[0]?.message).toContain("the judge is out");
  });

  it("uses a refusal of the configuration", async () => {
    const colang = `${REFUSALS}\ndefine bot refuse to respond\n  "No comment."`;
    const { runtime } = await openBench({ colang, yaml: input("judge"), actions: broken });
    expect((await runtime.turn(user("hi"), { generator })).text).toBe("No comment.");
  });

  it("passes only when configured to", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge"), actions: broken, onError: "allow" });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.text, result.decisions[0]?.status]).toEqual(["answered", "echo hi", "error"]);
  });

  it("throws when configured to", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge"), actions: broken, onError: "throw" });
    await expect(runtime.turn(user("hi"), { generator })).rejects.toThrow("the judge is out");
  });

  it("blocks when its action does not exist", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge") });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.decisions[0]?.status]).toEqual(["blocked", "error"]);
  });

  it("blocks when it takes too long, and its action is aborted", async () => {
    let reason: unknown;
    const judge = (_params: unknown, { signal }: ActionContext): Promise<never> =>
      new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason)));
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge"), actions: { judge }, timeoutMs: 5 });
    const result = await runtime.turn(user("hi"), { generator });
    expect(result.decisions[0]).toMatchObject({ status: "error", metadata: { code: "RL-103" } });
    expect(reason).toMatchObject({ code: "RL-103" });
  });

  it("raises an exception event if exceptions are on", async () => {
    const yaml = `enable_rails_exceptions: true\n${input("judge")}`;
    const { runtime } = await openBench({ colang: REFUSALS, yaml, actions: broken });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.text, result.exception?.type]).toEqual(["exception", "", "InputRailException"]);
  });
});

describe("parallel rails", () => {
  it("the first block wins and the others are cancelled", async () => {
    const started = gate();
    let cancelled = false;
    const slow = async (_params: unknown, { signal }: ActionContext): Promise<void> => {
      signal.addEventListener("abort", () => (cancelled = true));
      started.open();
      await new Promise(() => undefined);
    };
    const { runtime } = await openBench({
      colang: `${REFUSALS}\ndefine subflow slow\n  execute slow\ndefine subflow late\n  execute wait\n  bot deny\n  stop`,
      yaml: "rails: {input: {parallel: true, flows: [slow, late]}}",
      actions: { slow, wait: () => started.promise },
    });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.verdict.rail, cancelled]).toEqual(["blocked", "late", true]);
  });

  it("a later rail wins over an earlier one that writes the same variable, with a warning", async () => {
    const { runtime } = await openBench({
      colang: 'define subflow a\n  $user_message = "a"\ndefine subflow b\n  $user_message = "b"',
      yaml: "rails: {input: {parallel: true, flows: [a, b]}}",
    });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.text, result.log.warnings]).toEqual([
      "echo b",
      [expect.objectContaining({ code: "CO-406", flow: "b" })],
    ]);
  });
});

describe("an aborted call", () => {
  it("stops the rail that runs and rejects with the reason", async () => {
    const caller = new AbortController();
    const reason = new Error("enough");
    let seen: unknown;
    const judge = (_params: unknown, { signal }: ActionContext): Promise<never> => {
      signal.addEventListener("abort", () => (seen = signal.reason));
      caller.abort(reason);
      return new Promise(() => undefined);
    };
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge"), actions: { judge } });
    await expect(runtime.turn(user("hi"), { generator, config: { signal: caller.signal } })).rejects.toBe(reason);
    expect(seen).toBe(reason);
  });

  it("does nothing if it was aborted before", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("closed") });
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(runtime.turn(user("hi"), { generator, config: { signal } })).rejects.toThrow("never mind");
  });
});

describe("one stage or one rail alone", () => {
  it.each([
    ["hi", "passed", "hi"],
    ["bad", "blocked", "bad"],
  ])("input %j is %s", async (text, status, after) => {
    const { runtime } = await openBench({
      colang: REFUSALS,
      yaml: input("judge"),
      actions: { judge: (_params: unknown, { context }: ActionContext) => context["user_message"] !== "bad" },
    });
    const result = await runStage(runtime, "input", { userMessage: text });
    expect([result.status, ...result.texts]).toEqual([status, after]);
    expect((await runRail(runtime, "judge", { userMessage: text })).status).toBe(status);
  });

  it("names the rail that does not exist", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge") });
    await expect(runRail(runtime, "jugde", { userMessage: "hi" })).rejects.toThrow("did you mean `judge`?");
  });

  it("requires the text that the rail checks", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge") });
    const subject = { userMessage: "hi", stage: "output" as const };
    await expect(runRail(runtime, "judge", subject)).rejects.toThrow("expected a bot message for the output rails");
  });
});

/** A rail that blocks if its action returns false. */
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
  it("run concurrently if `parallel` is unset", async () => {
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

  it("ends the rails after a block at once, and they decide nothing", async () => {
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

  it("keeps a verdict from before the block, in the listed order", async () => {
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

  it("throws the first failure, and waits for an earlier rail that blocks", async () => {
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
      "one that calls a flow that a variable names",
      "one, any",
      'define subflow any\n  $f = "ask it"\n  do $f\ndefine subflow ask it\n  execute ask',
      ["ask hi", "one hi"],
    ],
  ])("%s", async (_title, flows, colang, seen) => {
    expect(await order(flows, colang)).toEqual(seen);
  });

  it("none with `parallel: false`, which means the listed order", async () => {
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
    ...verdicts,
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
    return () => judgeAs(name, wait(says[name]));
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

describe("concurrent rails", () => {
  it("have the same result as in sequence", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.scheduler(), async (given, scheduler) => {
        const inOrder = await play(given, false, async (value) => value);
        const running = play(given, null, (value) => scheduler.schedule(Promise.resolve(value)));
        const together = await scheduler.waitFor(running);
        expect(visibleResult(together)).toEqual(visibleResult(inOrder));
      }),
      { numRuns: propertyRuns(8) },
    );
  });
});

import { runRail, runStage } from "../support/language-models/one-shot.js";
import { describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import type { RailDecision } from "../../src/turn/decision.js";
import { gate, openBench } from "./bench.js";
import { told } from "../support/langchain/told.js";

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
  it("passes, rewrites or blocks, and says so", async () => {
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

  it("keeps what its action notes, and never the blocked text", async () => {
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
    expect(told(result.decisions)).not.toContain("4711");
  });

  it("leaves only a note of a blocked text in the stored conversation", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("closed") });
    const result = await runtime.turn(user("the launch code is 4711"), { generator, state: {} });
    const history = (result.state as { history: { turns: { events: { type: string; text?: string }[] }[] } }).history;
    expect(history.turns.flatMap(({ events }) => events).find(({ type }) => type === "UserMessage")?.text).toBe(
      "(this message is hidden)",
    );
    expect(told(result.state)).not.toContain("4711");
  });

  it("takes a blocked answer out of the state and the output variables", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: "rails: {output: {flows: [mark, closed]}}" });
    const secret = async () => ({ text: "the launch code is 4711" });
    const options = { generator: secret, state: {}, outputVars: true } as const;
    const result = await runtime.turn(user("hi"), options);
    expect(result.text).toBe("Not that.");
    expect(told(result)).not.toContain("4711");
  });
});

describe("a rail that fails", () => {
  const broken = {
    judge: () => {
      throw new Error("the judge is out");
    },
  };

  it("blocks with the configured refusal and says why in the decision", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge"), actions: broken });
    const result = await runtime.turn(user("hi"), { generator });
    const refusal = result.decisions[0]?.refusal;
    expect([result.status, result.text]).toEqual(["blocked", refusal]);
    expect(result.decisions[0]).toMatchObject({ status: "error", rail: "judge" });
    expect(result.decisions[0]?.reason).toContain("the judge is out");
    expect(result.log.errors[0]?.message).toContain("the judge is out");
  });

  it("uses a refusal that the user wrote", async () => {
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

  it("raises an exception event where exceptions are on", async () => {
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

  it("does nothing at all when it was aborted before", async () => {
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

  it("asks for the text that the rail checks", async () => {
    const { runtime } = await openBench({ colang: REFUSALS, yaml: input("judge") });
    const subject = { userMessage: "hi", stage: "output" as const };
    await expect(runRail(runtime, "judge", subject)).rejects.toThrow("output rails check a bot message");
  });
});

import { describe, expect, it } from "@jest/globals";
import { refusalOf, applyBlock, violation } from "../../src/langchain/blocked.js";
import { GuardrailViolationError } from "../../src/index.js";
import type { Block, RailDecision } from "../../src/turn/decision.js";

const decision = (rail: string, status: RailDecision["status"], more: Partial<RailDecision> = {}): RailDecision => ({
  status,
  stage: "input",
  rail,
  durationMs: 1,
  ...more,
});
const block = (decisions: readonly RailDecision[], more: Partial<Block> = {}): Block => ({
  refusal: "No.",
  verdict: { blocked: true, stage: "output", rail: "named", decisions },
  ...more,
});
const exception = { type: "InputRailException", message: "Not allowed." };

describe("the decision in an error and for a function", () => {
  it.each<[string, Block, Partial<RailDecision>]>([
    [
      "the one that blocked",
      block([decision("a", "passed"), decision("b", "blocked")]),
      { rail: "b", status: "blocked" },
    ],
    ["the first of two", block([decision("a", "blocked"), decision("b", "blocked")]), { rail: "a" }],
    ["a block before a failure", block([decision("a", "error"), decision("b", "blocked")]), { rail: "b" }],
    ["a failure", block([decision("a", "passed"), decision("b", "error")]), { rail: "b", status: "error" }],
    ["what the verdict names", block([]), { rail: "named", stage: "output", status: "blocked", durationMs: 0 }],
    [
      "an exception without a rail",
      block([], { exception, verdict: { blocked: true, decisions: [] } }),
      { rail: "InputRailException", stage: "dialog", metadata: { exception } },
    ],
    [
      "without a decision",
      block([], { verdict: { blocked: true, decisions: [] } }),
      { rail: "guardrails", stage: "dialog" },
    ],
    [
      "an exception beside what the rail noted",
      block([decision("b", "blocked", { metadata: { note: 1 } })], { exception }),
      { rail: "b", metadata: { note: 1, exception } },
    ],
    [
      "the exception that its rail noted",
      block([decision("b", "blocked", { metadata: { exception: "own" } })], { exception }),
      { metadata: { exception: "own" } },
    ],
  ])("is %s", async (_title, given, expected) => {
    const { decision, decisions, refusal } = violation(given);
    expect(decision).toMatchObject(expected);
    expect([decisions, refusal]).toEqual([given.verdict.decisions, "No."]);
    const seen: unknown[] = [];
    const own = await applyBlock(
      given,
      "value",
      (...args) => (seen.push(...args), "mine"),
      () => "refused",
    );
    expect([own, seen]).toEqual(["mine", [decision, "value"]]);
  });
});

describe("a block", () => {
  it.each<[string, Block, string]>([
    ["the refusal of the rail", block([], { exception }), "No."],
    ["the message of the exception", block([], { refusal: "", exception }), "Not allowed."],
    ["the default", block([], { refusal: "" }), "I'm sorry, I can't respond to that."],
    [
      "the default for an exception without words",
      block([], { refusal: "", exception: { type: "X", message: "" } }),
      "I'm sorry, I can't respond to that.",
    ],
  ])("says %s", async (_title, given, expected) => {
    expect(refusalOf(given)).toBe(expected);
    expect(await applyBlock(given, "value", "refuse", (refusal) => [refusal])).toEqual([expected]);
    const thrown: unknown = await applyBlock(given, "value", "throw", () => "refused").catch((error: unknown) => error);
    expect(GuardrailViolationError.isInstance(thrown) && thrown.refusal).toBe(expected);
  });
});

import { describe, expect, it } from "@jest/globals";
import { mergeDecisions } from "../../src/rails/review/merge-decisions.js";
import type { RailDecision } from "../../src/turn/decision.js";

function decision(rail: string, fields: Partial<RailDecision> = {}): RailDecision {
  return { stage: "output", rail, status: "passed", durationMs: 1, ...fields };
}

function masked(types: readonly string[], score: number): Partial<RailDecision> {
  const findings = types.map((type) => ({ type, score }));
  return {
    status: "modified",
    reason: `found ${types.join(", ")}`,
    categories: [...types],
    score,
    metadata: { findings },
  };
}

function merged(decisions: readonly RailDecision[], from = 0): readonly RailDecision[] {
  const all = [...decisions];
  mergeDecisions(all, from);
  return all;
}

describe("decisions of one rail on the parts of a response", () => {
  it.each([
    ["passed", "modified", "modified"],
    ["modified", "passed", "modified"],
    ["modified", "error", "error"],
    ["error", "modified", "error"],
    ["error", "blocked", "blocked"],
    ["blocked", "error", "blocked"],
    ["blocked", "modified", "blocked"],
    ["passed", "passed", "passed"],
  ] as const)("%s and %s are %s", (first, second, expected) => {
    const all = [decision("a", { status: first, reason: first }), decision("a", { status: second, reason: second })];
    expect(merged(all)).toEqual([decision("a", { status: expected, reason: expected, durationMs: 2 })]);
  });

  it("list the findings of both if both changed the text", () => {
    const [only, ...others] = merged([
      decision("a", masked(["EMAIL", "CARD"], 0.9)),
      decision("a", masked(["CARD", "PHONE"], 0.4)),
    ]);
    expect(others).toEqual([]);
    expect(only).toEqual(
      decision("a", {
        ...masked(["EMAIL", "CARD", "PHONE"], 0.9),
        durationMs: 2,
        metadata: {
          findings: [
            { type: "EMAIL", score: 0.9 },
            { type: "CARD", score: 0.9 },
            { type: "CARD", score: 0.4 },
            { type: "PHONE", score: 0.4 },
          ],
        },
      }),
    );
  });

  it("list at most 50 findings", () => {
    const many = Array.from({ length: 30 }, (_, index) => `T${index}`);
    const [only] = merged([decision("a", masked(many, 1)), decision("a", masked(many, 1))]);
    expect(only?.metadata?.["findings"]).toHaveLength(50);
  });

  it("keep the later one where a decision has no findings", () => {
    const later = decision("a", { ...masked(["CARD"], 1), metadata: {} });
    expect(merged([decision("a", masked(["EMAIL"], 1)), later])).toEqual([{ ...later, durationMs: 2 }]);
  });

  it("add up what the calls of models cost", () => {
    const usage = (input_tokens: number) => ({ input_tokens, output_tokens: 1, total_tokens: input_tokens + 1 });
    const [only] = merged([decision("a", { usage: usage(3) }), decision("a", { usage: usage(4) })]);
    expect(only?.usage).toMatchObject({ input_tokens: 7, output_tokens: 2, total_tokens: 9 });
  });
});

describe("decisions that stay apart", () => {
  it.each<[string, readonly RailDecision[], number]>([
    ["of two rails", [decision("a"), decision("b")], 0],
    ["about two subjects", [decision("a", { about: "tool" } as never), decision("a")], 0],
    ["of a rail in shadow mode", [decision("a", { shadow: true }), decision("a")], 0],
    ["of the stages before", [decision("a", { stage: "input" }), decision("a", { stage: "input" })], 0],
    ["from before the response", [decision("a"), decision("a")], 1],
  ])("%s", (_, all, from) => {
    expect(merged(all, from)).toEqual(all);
  });
});

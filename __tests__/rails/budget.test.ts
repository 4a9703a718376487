import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { Guardrails, type RailDecision } from "langchain-guardrails";
import { defineRail } from "langchain-guardrails/rails";
import { scriptedModel } from "../../src/testing/scripted-model.js";

const PASSED = new AIMessage({
  content: "No",
  usage_metadata: { input_tokens: 90, output_tokens: 10, total_tokens: 100 },
} as never);

const library = [
  defineRail({
    name: "local",
    flows: [
      { name: "local check", stage: "input", check: () => false },
      { name: "slow check", stage: "input", check: () => new Promise<boolean>(() => undefined) },
    ],
  }),
];

interface Setup {
  readonly flows: readonly string[];
  readonly budget?: object;
  readonly onError?: "allow";
  readonly shadow?: readonly string[];
}

describe.each(["1.0", "2.x"] as const)("a budget of rails in Colang %s", (version) => {
  const check = async ({ flows, budget = {}, onError, shadow = [] }: Setup) => {
    const config = { colang_version: version, rails: { input: { flows, shadow, parallel: false }, budget } };
    const llm = scriptedModel(() => PASSED);
    const options = { llm, library, logger: false, ...(onError === undefined ? {} : { onError }) } as const;
    const { status, guardrails } = await (
      await Guardrails.fromConfig({ config }, options)
    ).check("hi", { stage: "input" });
    const decisions = guardrails.decisions.map((each: RailDecision) => `${each.rail}: ${each.status}`);
    return { status, decisions, last: guardrails.decisions.at(-1), calls: llm.calls.length };
  };

  const twice = ["self check input", "self check input $variant=self_check_input", "local check"];

  it.each<[budget: object, status: string, calls: number, part: string]>([
    [{}, "passed", 2, ""],
    [{ calls: 2 }, "passed", 2, ""],
    [{ tokens: 101 }, "passed", 2, ""],
    [{ calls: 1 }, "error", 1, "calls"],
    [{ calls: 0 }, "error", 0, "calls"],
    [{ tokens: 100 }, "error", 1, "tokens"],
    [{ calls: 9, tokens: 9 }, "error", 1, "tokens"],
  ])("%j ends with %s after %d calls", async (budget, status, calls, part) => {
    const result = await check({ flows: twice, budget });
    expect(result.calls).toBe(calls);
    expect(result.last).toMatchObject({ status });
    expect(result.status).toBe(status === "passed" ? "passed" : "blocked");
    if (part === "") return;
    expect(result.last?.reason).toContain(`rails.budget.${part}`);
    expect(result.last?.metadata).toEqual({ code: "RL-401" });
  });

  it("obeys `onError`, and lets rails without calls continue", async () => {
    const { status, decisions } = await check({ flows: twice, budget: { calls: 1 }, onError: "allow" });
    expect(status).toBe("passed");
    expect(decisions.map((each) => each.split(": ")[1])).toEqual(["passed", "error", "passed"]);
  });

  it("ends a rail that takes longer, and fails those after it", async () => {
    const { last, decisions } = await check({
      flows: ["slow check", "local check"],
      budget: { milliseconds: 2 },
      onError: "allow",
    });
    expect(decisions).toEqual(["slow check: error", "local check: error"]);
    expect(last?.reason).toContain("rails.budget.milliseconds");
  });

  it("is not used by rails in shadow", async () => {
    const [first = "", ...shadow] = twice.slice(0, 2);
    const { status, decisions, calls } = await check({ flows: [first], shadow, budget: { calls: 1 } });
    expect([status, calls]).toEqual(["passed", 2]);
    expect(decisions.every((each) => each.endsWith("passed"))).toBe(true);
  });
});

import { describe, expect, it } from "@jest/globals";

import { ConfigError, GuardrailsError } from "../../src/diagnostics/errors.js";
import { openBench } from "./bench.js";

const user = (content: string) => [{ role: "user" as const, content }];
const generator = async () => ({ text: "fine" });
const PASSING = "define subflow open\n  $seen = True";
const LISTED = "rails: {input: {flows: [open]}}";

describe("diagnostics of an opened configuration", () => {
  it.each([
    ["CF-201", { yaml: "models: []" }, undefined, "the configuration has no rails and no flows, so nothing is guarded"],
    [
      "CF-204",
      { yaml: "rails: {input: {flows: [self check input]}}", bare: true },
      "self check input",
      "the rail `self check input` has no model to ask, so it blocks everywhere but in `wrap(model)`",
    ],
  ])("%s is a warning", async (code, given, underlined, message) => {
    const { runtime } = await openBench(given);
    const found = runtime.warnings.find((warning) => warning.code === code);
    expect(found).toMatchObject({ severity: "warning", message });
    expect(found?.span?.source.text.slice(found.span.start, found.span.end)).toBe(underlined);
  });

  it.each([
    ["rails: {output: {flows: [self check input]}}", "`self check input` is no output rail", "rails.input.flows"],
    ["rails: {input: {flows: [hallucination warning]}}", "`hallucination warning` is no input rail", "by itself"],
  ])("CF-110: %s", async (yaml, message, hint) => {
    const error: unknown = await openBench({ yaml }).catch((thrown: unknown) => thrown);
    if (!ConfigError.isInstance(error)) throw error;
    expect(error.diagnostics).toEqual([
      expect.objectContaining({ code: "CF-110", message, hint: expect.stringContaining(hint) }),
    ]);
  });
});

describe("diagnostics of a turn", () => {
  it("RL-104: a listener that fails is reported and changes no verdict", async () => {
    const { runtime } = await openBench({
      colang: PASSING,
      yaml: LISTED,
      onDecision: () => {
        throw new Error("listener is broken");
      },
    });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.text]).toEqual(["answered", "fine"]);
    expect(result.log.errors).toMatchObject([{ code: "RL-104", message: "`onDecision` failed: listener is broken" }]);
  });

  it("RL-302: a verdict that cannot be read blocks", async () => {
    const { runtime } = await openBench({
      yaml: "rails: {input: {flows: [self check input]}}",
      answers: ["perhaps", "perhaps", "perhaps"],
    });
    const result = await runtime.turn(user("hi"), { generator });
    expect(result.status).toBe("blocked");
    expect(result.decisions).toMatchObject([{ status: "error", metadata: { code: "RL-302" } }]);
  });

  it.each([
    ["another version", { version: 2 }],
    ["no state at all", "hello"],
    ["a state without a history", { version: 1, engine: {} }],
  ])("RL-402: %s", async (_title, state) => {
    const { runtime } = await openBench({ colang: PASSING, yaml: LISTED });
    const error: unknown = await runtime.turn(user("hi"), { generator, state }).catch((thrown: unknown) => thrown);
    expect(GuardrailsError.isInstance(error) && error.code).toBe("RL-402");
  });
});

import { describe, expect, it } from "@jest/globals";
import { knownValues } from "../../../../src/runtime/colang2/generation/docstring-flow.js";

describe("the variables of a flow in a prompt", () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["none", {}, ""],
    [
      "values of every type",
      { a: 1, b: true, c: ["x"], d: { e: "f" } },
      "$a = 1\n$b = True\n$c = ['x']\n$d = {'e': 'f'}",
    ],
    ["no empty ones and no references", { a: null, b: "<event Go e-1>", c: "<3" }, '$c = "<3"'],
    ["texts that would write lines of their own", { a: 'x"\n$b = 1' }, '$a = "x\\"\\n$b = 1"'],
  ])("%s", (_, variables, expected) => {
    expect(knownValues(variables)).toBe(expected);
  });

  it("is short whatever they hold", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`v${at}`, "x".repeat(9000)]));
    expect(knownValues(many).length).toBeLessThan(30 * 520);
  });
});

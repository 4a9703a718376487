import { describe, expect, it } from "@jest/globals";
import { readValue } from "../../../../src/generation/read-value.js";
import { generateValue } from "../../../../src/runtime/colang1/generation/actions.js";
import { openBench } from "./bench.js";

describe("the value in a completion", () => {
  it.each<[string, unknown]>([
    ["3", 3],
    ["3;", 3],
    ["-2.5", -2.5],
    ['"tube"', "tube"],
    ["'tube';", "tube"],
    ["True", true],
    ["false", false],
    ["None", null],
    ["null", null],
    ['["a", 1]', ["a", 1]],
    ['{"qty": 2, "size": [1, 2]}', { qty: 2, size: [1, 2] }],
    ["$count = 3", 3],
    ["next Tuesday", "next Tuesday"],
    ["2 bikes", "2 bikes"],
    ["1 + 1", "1 + 1"],
    ["len([1])", "len([1])"],
    ["3\nThat is the number of bikes.", 3],
    ['[\n  "a",\n  "b"\n]', ["a", "b"]],
    ["\n\n 3 \n", 3],
  ])("%j", (completion, value) => {
    expect({ value: readValue(completion, "count") }).toEqual({ value });
  });

  it.each(["", "\n", ";", "The number is\nthree."])("fails for %j", (completion) => {
    expect(() => readValue(completion, "count")).toThrow(/for `\$count`/);
  });
});

describe("asking for a value", () => {
  const colang = `
define user x
  "x"
define flow
  user book
  # The number of bikes.
  $count = ...
define flow
  user count
  $count = 2
`;

  it("shows the instructions and flows that do not generate themselves", async () => {
    const { model, services } = await openBench({ colang, llm: ["3;"] });
    const input = { variable: "count", instructions: "Use 1 when unclear.", events: [], context: {} };
    expect(await generateValue(input, services)).toBe(3);
    const [call] = model.calls;
    expect(call?.text).toContain("# Use 1 when unclear.\n$count =");
    expect(call?.text).toContain("$count = 2");
    expect(call?.text).not.toContain("$count = ...");
  });
});

import { describe, expect, it } from "@jest/globals";
import { missingTest, readConformanceRows } from "../conformance/conformance-table.js";
import { readScenarios } from "./scenario.js";

const rows = readConformanceRows("conformance-colang-2.md");
const points = new Set(rows.map(({ point }) => point));

const numbered = (prefix: string, count: number, digits = 2): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at + 1).padStart(digits, "0")}`);

describe("docs/conformance-colang-2.md", () => {
  it.each([
    ["every place where we do something else", numbered("Q", 92)],
    ["every open item of the design notes", numbered("T", 19)],
    ["every group of scenarios", numbered("13.", 11, 0).slice(2)],
    ["every bound on cost", numbered("14.", 13, 0)],
    ["the rules that have tables of their own", ["3.4", "3.5", "5.4", "5.5", "6.6", "6.8", "6.9", "6.10", "6.11"]],
  ])("has %s", (_, expected) => {
    expect(expected.filter((point) => !points.has(point))).toEqual([]);
  });

  it("names every scenario there is", () => {
    expect(
      readScenarios()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...numbered("F", 23), ...numbered("L", 12), ...numbered("N", 54), ...numbered("S", 87)]);
  });

  it.each(rows)("$point: $file has `$title`", (row) => {
    expect(missingTest(row)).toBeUndefined();
  });
});

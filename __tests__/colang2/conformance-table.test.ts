import { describe, expect, it } from "@jest/globals";
import { missingTest, readConformanceRows } from "../conformance/conformance-table.js";
import { readScenarios } from "./scenario.js";

const rows = readConformanceRows("conformance-colang-2.md");

/** Numbers of the scenarios with this prefix. */
const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at + 1).padStart(2, "0")}`);

describe("docs/conformance-colang-2.md", () => {
  it.each([
    ["Differences from NeMo Guardrails", 93],
    ["Details of the language", 19],
    ["Conformance scenarios", 9],
    ["Cost", 13],
    ["Rules of language and engine", 27],
  ])("has all rules below %s", (section, count) => {
    const rules = rows.filter((row) => row.section === section).map(({ point }) => point);
    expect(new Set(rules).size).toBe(count);
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

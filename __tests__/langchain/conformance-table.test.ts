import { describe, expect, it } from "@jest/globals";
import { missingTest, readConformanceRows } from "../conformance/conformance-table.js";

const rows = readConformanceRows("conformance-langchain.md");

const count = (from: string): number =>
  new Set(rows.map(({ point }) => point).filter((point) => point.startsWith(from))).size;

describe("docs/conformance-langchain.md", () => {
  it.each([
    ["C", 10],
    ["T", 10],
    ["D", 20],
    ["B6.", 8],
    ["A1.", 5],
  ])("has every point of %s", (prefix, points) => {
    expect(count(prefix)).toBe(points);
  });

  it.each(rows)("$point: $file has `$title`", (row) => {
    expect(missingTest(row)).toBeUndefined();
  });
});

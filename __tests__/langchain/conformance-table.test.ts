import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TABLE = readFileSync(`${ROOT}docs/conformance-langchain.md`, "utf8");

const rows = TABLE.split("\n")
  .filter((line) => /^\| [A-DT]/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, point = "", , file = "", title = ""]) => [point, file, title] as const);

const count = (from: string): number =>
  new Set(rows.map(([point]) => point).filter((point) => point.startsWith(from))).size;

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

  it.each(rows)("%s: %s has `%s`", (_, file, title) => {
    const path = `${ROOT}__tests__/${file}.test.ts`;
    expect(existsSync(path)).toBe(true);
    // Whatever is shown of a title in the table, it stands in a string of the file.
    const titles = [...readFileSync(path, "utf8").matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, text = ""]) => text);
    expect(titles.some((text) => title !== "" && text.includes(title))).toBe(true);
  });
});

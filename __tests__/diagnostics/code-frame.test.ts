import { describe, expect, it } from "@jest/globals";

import { formatDiagnostic, formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { createDiagnostic } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { createSpan } from "../../src/diagnostics/span.js";
import { unmark } from "../support/golden-runner.js";

/** The frame of the marked stretch, without the headline. */
function frame(marked: string): string[] {
  const { text, ranges } = unmark(marked);
  const [range] = ranges;
  if (!range) throw new Error("nothing is marked");
  const span = createSpan(createSourceFile("a.co", text), range.start, range.end);
  return formatDiagnostic(createDiagnostic("CO-110", "odd", { span }))
    .split("\n")
    .slice(1);
}

describe("a code frame", () => {
  it.each<[string, string, readonly string[]]>([
    ["a word", "define flow a\n  «exceute» x", ["  ┌ a.co:2:3", "2 │   exceute x", "  │   ^^^^^^^"]],
    ["a tab keeps its width", "\t\tbot «x»", ["  ┌ a.co:1:7", "1 │ \t\tbot x", "  │ \t\t    ^"]],
    ["a tab inside the mark is one place", "«a\tb»", ["  ┌ a.co:1:1", "1 │ a\tb", "  │ ^^^"]],
    ["the end of a line is not shown", "a «bc»\r\nd", ["  ┌ a.co:1:3", "1 │ a bc", "  │   ^^"]],
    ["the line end itself", "ab«\r\n»c", ["  ┌ a.co:1:3", "1 │ ab", "  │   ^"]],
    ["several lines: the first", "a «b\nc» d", ["  ┌ a.co:1:3", "1 │ a b", "  │   ^"]],
    ["characters beyond U+FFFF", "🙂🙂 «🙂» x", ["  ┌ a.co:1:6", "1 │ 🙂🙂 🙂 x", "  │      ^^"]],
    ["an empty mark", "a «»b", ["  ┌ a.co:1:3", "1 │ a b", "  │   ^"]],
    ["the end of a source", "ab\n«»", ["  ┌ a.co:2:1", "2 │ ", "  │ ^"]],
    ["the end of a source without a line end", "ab«»", ["  ┌ a.co:1:3", "1 │ ab", "  │   ^"]],
    ["an empty source", "«»", ["  ┌ a.co:1:1", "1 │ ", "  │ ^"]],
    ["a line number of two digits", `${"\n".repeat(9)}«x»`, ["   ┌ a.co:10:1", "10 │ x", "   │ ^"]],
  ])("%s", (_title, marked, expected) => {
    expect(frame(marked)).toEqual(expected);
  });

  it.each<[string, string, string, string]>([
    ["the end of a long line is left out", `«ab»${"c".repeat(300)}`, `ab${"c".repeat(158)}`, "^^"],
    ["a mark that leaves the shown part is cut", `«${"c".repeat(300)}»`, "c".repeat(160), "^".repeat(160)],
    [
      "a place far out is shown with what stands before and after it",
      `${"a".repeat(1000)}«bc»${"d".repeat(1000)}`,
      `${"a".repeat(39)}bc${"d".repeat(119)}`,
      `${" ".repeat(39)}^^`,
    ],
    [
      "no character is cut in half at the beginning",
      `${"a".repeat(160)}🙂${"b".repeat(38)}«c»`,
      `🙂${"b".repeat(38)}c`,
      `${" ".repeat(40)}^`,
    ],
    ["no character is cut in half at the end", `«a»${"b".repeat(158)}🙂`, `a${"b".repeat(158)}`, "^"],
  ])("%s", (_title, marked, line, underline) => {
    const [, shown, below] = frame(marked);
    expect([shown, below]).toEqual([`1 │ ${line}`, `  │ ${underline}`]);
  });
});

describe("a diagnostic as text", () => {
  const source = createSourceFile("main.co", "define flow a\ndefine flow a");
  const first = createSpan(source, 0, 13);
  const second = createSpan(source, 14, 27);

  it("has headline, place, labels and hint", () => {
    const labels = [{ span: first, text: "first defined here" }];
    const diagnostic = createDiagnostic("CO-201", "flow `a` is defined twice", {
      span: second,
      labels,
      hint: "rename",
    });
    expect(formatDiagnostic(diagnostic)).toBe(
      [
        "error[CO-201]: flow `a` is defined twice",
        "  ┌ main.co:2:1",
        "2 │ define flow a",
        "  │ ^^^^^^^^^^^^^",
        "  ┌ main.co:1:1",
        "1 │ define flow a",
        "  │ ------------- first defined here",
        "  hint: rename",
      ].join("\n"),
    );
  });

  it.each([
    [{ path: "rails.input" }, "warning[CF-201]: nothing\n  at rails.input"],
    [{}, "warning[CF-201]: nothing"],
    [{ hint: "" }, "warning[CF-201]: nothing"],
  ])("%j without a place in a source", (details, expected) => {
    expect(formatDiagnostic(createDiagnostic("CF-201", "nothing", details))).toBe(expected);
  });

  it("several stand below each other", () => {
    const one = createDiagnostic("CO-315", "a");
    expect(formatDiagnostics([one, one])).toBe("info[CO-315]: a\ninfo[CO-315]: a");
    expect(formatDiagnostics([])).toBe("");
  });
});

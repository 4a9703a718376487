import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";

import { createSourceFile, lineText, positionAt } from "../../src/diagnostics/source-file.js";
import { createSpan, locationOf, spanText } from "../../src/diagnostics/span.js";

describe("a source file", () => {
  it.each([
    ["", [0]],
    ["a", [0]],
    ["a\n", [0, 2]],
    ["\n\n", [0, 1, 2]],
    ["a\r\nb", [0, 3]],
    ["a\rb", [0]],
    ["a\u2028b", [0]],
  ])("the lines of %j begin at %j", (text, lineStarts) => {
    expect(createSourceFile("a.co", text).lineStarts).toEqual(lineStarts);
  });

  it("drops one byte-order mark, and only at the beginning", () => {
    expect(createSourceFile("a.co", "\uFEFFab").text).toBe("ab");
    expect(createSourceFile("a.co", "\uFEFF\uFEFFab").text).toBe("\uFEFFab");
    expect(createSourceFile("a.co", "a\uFEFFb").text).toBe("a\uFEFFb");
  });

  it.each([
    ["«ab", 1, 1],
    ["ab«", 1, 3],
    ["ab«\ncd", 1, 3],
    ["ab\n«cd", 2, 1],
    ["ab\ncd\n«", 3, 1],
    ["«", 1, 1],
    ["🙂«x", 1, 3],
  ])("%j is line %i, column %i", (marked, line, column) => {
    const source = createSourceFile("a.co", marked.replace("«", ""));
    expect(positionAt(source, marked.indexOf("«"))).toEqual({ line, column });
  });

  it.each([
    [-5, { line: 1, column: 1 }],
    [99, { line: 2, column: 2 }],
  ])("an offset outside (%i) means the nearest one inside", (offset, expected) => {
    expect(positionAt(createSourceFile("a.co", "a\nb"), offset)).toEqual(expected);
  });

  it.each([
    [1, "ab"],
    [2, "cd"],
    [3, ""],
    [4, ""],
    [0, ""],
    [-1, ""],
  ])("line %i has the text %j", (line, expected) => {
    expect(lineText(createSourceFile("a.co", "ab\r\ncd\n"), line)).toBe(expected);
  });

  it("positions and offsets agree everywhere", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "\t", "🙂"), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.nat(50), (content, offset) => {
        const source = createSourceFile("a.co", content);
        const { line, column } = positionAt(source, offset);
        const start = source.lineStarts[line - 1] as number;
        expect(start + column - 1).toBe(Math.min(offset, content.length));
        expect(content.slice(0, start).split("\n")).toHaveLength(line);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a span", () => {
  const source = createSourceFile("a.co", "one\ntwo");

  it.each([
    [4, 7, "two"],
    [4, 99, "two"],
    [-4, 3, "one"],
    [5, 2, ""],
    [99, 100, ""],
  ])("from %i to %i lies inside its source", (start, end, text) => {
    const span = createSpan(source, start, end);
    expect(spanText(span)).toBe(text);
    expect(span.start).toBeLessThanOrEqual(span.end);
    expect(span.end).toBeLessThanOrEqual(source.text.length);
  });

  it("becomes plain data", () => {
    expect(locationOf(createSpan(source, 5, 6))).toEqual({ file: "a.co", line: 2, column: 2 });
  });
});

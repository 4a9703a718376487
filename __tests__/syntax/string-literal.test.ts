import { describe, expect, it } from "@jest/globals";
import { scanString, startsString, unescapeText } from "../../src/syntax/string-literal.js";

describe("scanning a string", () => {
  it.each([
    ['"a" b', { end: 3, closed: true, value: "a", long: false }],
    ["'a' b", { end: 3, closed: true, value: "a", long: false }],
    ['""', { end: 2, closed: true, value: "", long: false }],
    ['"a\'b"', { end: 5, closed: true, value: "a'b", long: false }],
    ['"a\\"b"', { end: 6, closed: true, value: 'a"b', long: false }],
    ['"a\\\\"b"', { end: 5, closed: true, value: "a\\", long: false }],
    ['"a\nb"', { end: 2, closed: false, value: "a", long: false }],
    ['"a\r\nb"', { end: 2, closed: false, value: "a", long: false }],
    ['"a', { end: 2, closed: false, value: "a", long: false }],
    ['"a\\', { end: 3, closed: false, value: "a\\", long: false }],
    ['"', { end: 1, closed: false, value: "", long: false }],
    ['"a\\\nb"', { end: 6, closed: true, value: "ab", long: false }],
    ['"a\\\r\nb"', { end: 7, closed: true, value: "ab", long: false }],
    ['"""a "b" \nc""" d', { end: 14, closed: true, value: 'a "b" \nc', long: true }],
    ['"""a\r\nb"""', { end: 10, closed: true, value: "a\nb", long: true }],
    ["'''a'''", { end: 7, closed: true, value: "a", long: true }],
    ['"""a\\"""b"""', { end: 12, closed: true, value: 'a"""b', long: true }],
    ['"""a', { end: 4, closed: false, value: "a", long: true }],
    ['""""""', { end: 6, closed: true, value: "", long: true }],
  ])("%j", (text, expected) => {
    expect(scanString(text, 0, text.length)).toEqual(expected);
  });

  it("reads no further than its end", () => {
    expect(scanString('x "abc" y', 2, 5)).toEqual({ end: 5, closed: false, value: "ab", long: false });
    expect(scanString('"""', 0, 2)).toEqual({ end: 2, closed: true, value: "", long: false });
  });

  it("keeps the backslashes of a raw string", () => {
    expect(scanString('"a\\n\\""', 0, 7, { raw: true })).toEqual({
      end: 7,
      closed: true,
      value: 'a\\n\\"',
      long: false,
    });
  });
});

describe("escapes", () => {
  it.each([
    ["\\n\\t\\r\\b\\f\\v", "\n\t\r\b\f\v"],
    ["\\\\ \\' \\\"", "\\ ' \""],
    ["\\x41\\u00e9\\ud83d\\ude00", "Aé😀"],
    ["\\d \\. \\{", "\\d \\. \\{"],
    ["\\x4 \\u12", "\\x4 \\u12"],
    ["a\\\nb", "ab"],
    ["end\\", "end\\"],
    ["\\\\n", "\\n"],
  ])("%j", (written, value) => {
    expect(unescapeText(written)).toBe(value);
  });
});

describe("a quote that may open a string", () => {
  it.each([
    ["«'»a'", true],
    ["= «'»a'", true],
    ["(«'»a'", true],
    ["don«'»t", false],
    ["3«'»", false],
    ["é«'»a", false],
    ["😀«'»a'", true],
    ["_«'»a", false],
    ["f«'»a'", true],
    ['R«"»a"', true],
    ["x«'»a'", false],
    ["of«'»a'", false],
    ["$f«'»a'", false],
    ["= b«'»a'", true],
    ["rock'n«'»", false],
    ["r'f«'»", false],
    ["«a»", false],
  ])("%s", (marked, expected) => {
    const at = marked.indexOf("«");
    const text = marked.replace(/[«»]/g, "");
    expect(startsString(text, at, 0)).toBe(expected);
  });

  it("reads nothing before its lower bound", () => {
    expect(startsString("don't", 3, 3)).toBe(true);
    expect(startsString("of't'", 2, 1)).toBe(true);
  });
});

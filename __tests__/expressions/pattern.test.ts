import { describe, expect, it } from "@jest/globals";
import { ExpressionError, LimitError } from "../../src/diagnostics/errors.js";
import { compilePattern, findAllMatches, searchPattern } from "../../src/expressions/values/pattern.js";

describe("patterns", () => {
  it.each([
    ["^\\d{3}$", "123", ["123"]],
    ["^\\d{3}$", "1234", []],
    ["\\d+", "a1 ٣b", ["1", "٣"]],
    ["\\w+", "héllo wörld", ["héllo", "wörld"]],
    ["[^\\W\\d_]+", "ab1_é", ["ab", "é"]],
    ["[\\S]+", "a\u00a0b", ["a", "b"]],
    ["\\s", "a\u2003b", ["\u2003"]],
    ["[\\w-]+", "a-b c", ["a-b", "c"]],
    ["[]a]+", "x]a", ["]a"]],
    ["[[a]+", "x[a", ["[a"]],
    ["[\\b]", "a\b", ["\b"]],
    ["(?i)stop", "STOP", ["STOP"]],
    ["(?im)^b$", "A\nB", ["B"]],
    ["(?s)a.b", "a\nb", ["a\nb"]],
    [
      "(?P<user>\\w+)@(?P<host>\\w+)",
      "a@b c@d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["(\\w)1", "a1 b1", ["a", "b"]],
    ["a*", "baa", ["", "aa", ""]],
    ["a\\Z", "ba", ["a"]],
    ["\\u00e9", "é", ["é"]],
    ["\\.", "a.b", ["."]],
  ])("%s in %j", (source, text, expected) => {
    const pattern = compilePattern(source);
    expect(findAllMatches(pattern, text)).toEqual(expected);
    expect(searchPattern(pattern, text)).toBe(expected.length > 0);
  });

  it.each([
    ["(?=a)", "lookaround in patterns are not supported"],
    ["(?<!a)b", "lookaround in patterns are not supported"],
    ["(a)\\1", "backreferences in patterns are not supported"],
    ["(?P<n>a)(?P=n)", "backreferences in patterns are not supported"],
    ["(?x) a", "verbose patterns (`x`) in patterns are not supported"],
    ["(?>a)", "atomic groups in patterns are not supported"],
    ["(a", "the pattern `(a` cannot be read: missing closing ): `(a`"],
  ])("%s is refused", (source, message) => {
    expect(() => compilePattern(source)).toThrow(ExpressionError);
    expect(() => compilePattern(source)).toThrow(message);
  });

  it.each([
    ["a long pattern", "a".repeat(5000)],
    ["a pattern of many counts", "a{1000}".repeat(500)],
    ["a pattern that unfolds", "(abcdefgh){900}"],
  ])("%s is too large", (_, source) => {
    expect(() => compilePattern(source)).toThrow(LimitError);
  });

  it("long texts are refused, and what is allowed takes linear time", () => {
    const pattern = compilePattern("(x+x+)+y");
    expect(searchPattern(pattern, "x".repeat(65_536))).toBe(false);
    expect(() => searchPattern(pattern, "x".repeat(65_537))).toThrow(LimitError);
  });
});

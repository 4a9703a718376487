import { describe, expect, it } from "@jest/globals";
import { diagnose, parseText } from "./run-expression.js";

const MEGABYTE = 1_048_576;

/** A text of about a megabyte. */
function fill(part: string, before = "", after = ""): string {
  return before + part.repeat(Math.floor(MEGABYTE / part.length)) + after;
}

describe("a megabyte of", () => {
  it.each([
    ["(", "CO-121"],
    ["[", "CO-121"],
    ["{", "CO-121"],
    ["{1:", "CO-121"],
    ["-", "CO-121"],
    ["not ", "CO-121"],
    ["len(", "CO-121"],
    ["1**", "CO-121"],
    ["1 if 1 else ", "CO-121"],
    ["1+", "CO-121"],
    ["1 or ", "CO-121"],
    ["1<", "CO-121"],
    ["$a.", "CO-109"],
    ["$a[0]", "CO-109"],
    ["'", "CO-121"],
    ['"a"', "CO-121"],
    ["f'{", "CO-109"],
    ["a ", "CO-207"],
    ["a'", "CO-207"],
    ["9", "CO-109"],
    ["$", "CO-109"],
    ["\\", "CO-109"],
    ["\0", "CO-109"],
    ["=", "CO-109"],
    ["\n", "CO-109"],
    ["#", "CO-109"],
    ["😀", "CO-109"],
    ["\ud800", "CO-109"],
  ])("%j", (part, code) => {
    const found = diagnose(fill(part));
    expect(found.map((diagnostic) => diagnostic.code)).toContain(code);
    expect(found.length).toBeLessThanOrEqual(2);
    for (const { message } of found) expect(message.length).toBeLessThan(200);
  });

  it.each([
    ["formats in formats", fill("{$x:", "f'", "'"), "CO-121"],
    ["fields", fill("{1}", "f'", "'"), "CO-121"],
    ["templates in templates", fill("f'{[", "f'{["), "CO-109"],
    ["an open string", fill("a", '"""'), "CO-108"],
    ["properties", fill(".a", "$x"), "CO-121"],
    ["items", fill("1,", "[", "]"), "CO-121"],
  ])("%s", (_, text, code) => {
    expect(diagnose(text).map((diagnostic) => diagnostic.code)).toContain(code);
  });

  it.each([
    ["text", fill("a", '"', '"')],
    ["escapes", fill("\\x41", '"', '"')],
    ["braces", fill("{{", "f'", "'")],
    ["blanks", fill(" ", "1")],
    ["continuations", fill("\\\n", "", "1")],
  ])("%s is an expression", (_, text) => {
    expect(parseText(text).kind).toBe("Literal");
  });
});

describe("nesting", () => {
  it("a hundred levels are allowed, one more is not", () => {
    const nested = (levels: number): string => "(".repeat(levels) + "1" + ")".repeat(levels);
    expect(parseText(nested(99)).kind).toBe("Literal");
    expect(diagnose(nested(100))).toMatchObject([{ code: "CO-121", message: "nested more than 100 levels deep" }]);
  });

  it("five hundred operations in a row are allowed, more are not", () => {
    const sum = (terms: number): string => Array.from({ length: terms }, () => "1").join(" + ");
    expect(parseText(sum(500)).kind).toBe("Binary");
    expect(diagnose(sum(501))).toMatchObject([
      { code: "CO-121", message: "an expression of more than 500 operations in a row" },
    ]);
  });
});

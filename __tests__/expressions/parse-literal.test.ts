import { describe, expect, it } from "@jest/globals";
import { parseLiteral } from "../../src/expressions/parse/parse-literal.js";

describe("literals as models write them", () => {
  it.each([
    ["3", 3],
    [" -2.5 ", -2.5],
    ["+1e3", 1000],
    ["-0", 0],
    ["True", true],
    ["false", false],
    ["None", null],
    ["null", null],
    ['"a\\nb"', "a\nb"],
    ["'it''s'", "its"],
    ["'''a\nb'''", "a\nb"],
    ["[1, 'a', [true], ]", [1, "a", [true]]],
    ["(1, 2)", [1, 2]],
    ["(1,)", [1]],
    ["(1)", 1],
    ["()", []],
    ["{}", {}],
    ["{'a': 1, \"b\": {'c': None}, 3: 4, True: 5,}", { a: 1, b: { c: null }, 3: 4, True: 5 }],
    ["[\n  1,\n  2\n]", [1, 2]],
  ])("%s", (text, value) => {
    expect(parseLiteral(text)).toEqual({ ok: true, value });
  });

  it.each([
    [""],
    ["about three"],
    ["three"],
    ["$x"],
    ["1 + 1"],
    ["[1"],
    ["[1,,2]"],
    ["{1, 2}"],
    ["{[1]: 2}"],
    ["'a"],
    ["f'{x}'"],
    ["b'x'"],
    ["1 2"],
    ["--1"],
    ["-True"],
    ["len('a')"],
    ["1e999"],
    ["# 3"],
    ["["],
  ])("%s is none", (text) => {
    expect(parseLiteral(text)).toEqual({ ok: false });
  });

  it.each([
    ["deep nesting", "[".repeat(1000) + "]".repeat(1000)],
    ["very many items", `[${"1,".repeat(100_000)}]`],
    ["a long text", `"${"a".repeat(2_000_000)}"`],
  ])("%s is refused", (_, text) => {
    expect(parseLiteral(text)).toEqual({ ok: false });
  });

  it("keys that look like prototypes are only keys", () => {
    const literal = parseLiteral("{'__proto__': {'polluted': 1}}");
    expect(literal.ok && Object.keys(literal.value as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

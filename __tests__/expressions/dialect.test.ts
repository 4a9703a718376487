import { describe, expect, it } from "@jest/globals";
import { printExpression } from "../../scripts/print/print-expression.js";
import { diagnose, failure, parseText, run } from "./run-expression.js";
import { TEMPLATE_DIALECT } from "./template-dialect.js";

const options = { dialect: TEMPLATE_DIALECT };

describe("a dialect whose strings interpolate", () => {
  it.each([
    ['"hi {$name}"', "hi Al"],
    ["'{$name} is {1 + 2}'", "Al is 3"],
    ['"{{}} {{$name}}"', "{} {$name}"],
    ['"""a\n{$name}"""', "a\nAl"],
    ['"{$m["k"]}"'.replaceAll('"k"', "'k'"), 1],
    ["\"{ {'k': $name}['k'] }\"", "Al"],
    ['"{len("abc")}"'.replaceAll('"abc"', "'abc'"), 3],
    ['r"{$name}"', "{$name}"],
    ['f"{$name}"', "Al"],
    ['regex("^\\d{3}$")', "^\\d{3}$"],
    ['regex("a{1,}{$name}{{2}}")', "a{1,}Al{2}"],
    ['"x{5}"', "x5"],
  ])("%s", (text, expected) => {
    expect(run(text, { name: "Al", m: { k: 1 } }, options)).toBe(
      typeof expected === "number" ? String(expected) : expected,
    );
  });

  it("does not read what it inserts again", () => {
    expect(run('"{$a}"', { a: "{$b}", b: "no" }, options)).toBe("{$b}");
  });

  it("prints braces doubled and templates without `f`", () => {
    const text = '"a {{b}} {$c}" + "{{"';
    expect(printExpression(parseText(text, TEMPLATE_DIALECT), TEMPLATE_DIALECT)).toBe(text);
  });
});

describe("a dialect of other types", () => {
  it.each([
    ["1 == True", false],
    ["[1] == [True]", false],
    ["True == True", true],
    ["{1, 2, 1}", new Set([1, 2])],
    ["2 in {1, 2}", true],
    ["{1, 2} == {2, 1}", true],
    ["{1, 2} | {3}", new Set([1, 2, 3])],
    ["{1, 2} & {2, 3}", new Set([2])],
    ["{1, 2} - {2, 3}", new Set([1])],
    ["{1, 2} ^ {2, 3}", new Set([1, 3])],
    ["len({1, 2})", 2],
    ["str({1, 'a'})", "{1, 'a'}"],
    ["{}", {}],
    ["1 if {} else 2", 2],
  ])("%s", (text, expected) => {
    expect(run(text, {}, options)).toEqual(expected);
  });

  it.each([
    ["True + 1", "`+` does not work on a boolean and a number"],
    ["True < 1", "cannot order a boolean and a number"],
    ["$m.missing", "the map has no key `missing`"],
    ["{[1]}", "a list cannot be in a set"],
    ["1 @ 2", "`@` does not work on a number and a number"],
  ])("%s fails", (text, message) => {
    expect(failure(text, { m: {} }, options)).toMatchObject({ code: "CO-410", message });
  });

  it("has only its own functions and literals", () => {
    expect(diagnose("lower('A')", TEMPLATE_DIALECT)).toMatchObject([{ message: "unknown function `lower`" }]);
    expect(diagnose("(1, 2)", TEMPLATE_DIALECT)).toMatchObject([
      { message: "tuples are not supported", hint: "write a list: `[a, b]`" },
    ]);
  });
});

import { describe, expect, it } from "@jest/globals";
import { LimitError } from "../../src/diagnostics/errors.js";
import { formatValue, toPythonRepr, toPythonText } from "../../src/expressions/values/format.js";
import { numberText } from "../../src/expressions/values/number-text.js";
import type { Value } from "../../src/expressions/values/value.js";

describe("the text of a value", () => {
  it.each<[Value, string, string]>([
    ["as 'it' is", "as 'it' is", "as 'it' is"],
    [4 / 2, "2", "2"],
    [0.5, "0.5", "0.5"],
    [-0, "0", "0"],
    [true, "True", "True"],
    [null, "None", "None"],
    [[1, "a", null, true], "[1, 'a', None, True]", '[1,"a",null,true]'],
    [{ k: "v", n: { l: [] } }, "{'k': 'v', 'n': {'l': []}}", '{"k":"v","n":{"l":[]}}'],
    [[], "[]", "[]"],
    [{}, "{}", "{}"],
    [new Set([1]), "{1}", "[1]"],
    [new Set(), "set()", "[]"],
    [["it's"], `["it's"]`, '["it\'s"]'],
  ])("%j", (value, python, said) => {
    expect(toPythonText(value)).toBe(python);
    expect(formatValue(value)).toBe(said);
  });

  it.each([
    ["a\n\t\\", "'a\\n\\t\\\\'"],
    ["it's", `"it's"`],
    [`it's "x"`, `'it\\'s "x"'`],
    ["\0\x7f", "'\\x00\\x7f'"],
    ["\u2028", "'\\u2028'"],
    ["é😀", "'é😀'"],
    ["\ud800", "'\\ud800'"],
  ])("the quotes and escapes of %j", (text, expected) => {
    expect(toPythonRepr(text)).toBe(expected);
  });

  it.each([
    [2 ** 53 + 2, "9007199254740994"],
    [1e20, "100000000000000000000"],
    [1e22, "1e+22"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [-1.5e-10, "-1.5e-10"],
    [0.1 + 0.2, "0.30000000000000004"],
    [Number.NaN, "nan"],
    [Number.NEGATIVE_INFINITY, "-inf"],
  ])("the number %d", (number, expected) => {
    expect(numberText(number)).toBe(expected);
  });

  it.each([formatValue, toPythonText])("endless values end in a limit", (write) => {
    const endless: Value[] = [];
    endless.push(endless);
    expect(() => write(endless)).toThrow(LimitError);
    expect(() => write(["a".repeat(2_000_000)])).toThrow(LimitError);
  });

  it("calls nothing of a host object", () => {
    const value = { toJSON: () => "called", toString: () => "called", n: 1 } as unknown as Value;
    expect(formatValue(value)).toBe('{"toJSON":null,"toString":null,"n":1}');
  });
});

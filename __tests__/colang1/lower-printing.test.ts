import { describe, expect, it } from "@jest/globals";

import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { printExpression } from "../../src/colang1/print-expression.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { parseExpression } from "../../src/expressions/parse.js";

function reprint(text: string): string {
  const { expression } = parseExpression(createSourceFile("main.co", text), 0, text.length, COLANG_1_DIALECT);
  if (!expression) throw new Error(`does not parse: ${text}`);
  return printExpression(expression);
}

describe("an expression as text", () => {
  it.each([
    ["1+2*3", "1 + 2 * 3"],
    ["(1+2)*3", "(1 + 2) * 3"],
    ["1-(2-3)", "1 - (2 - 3)"],
    ["(1-2)-3", "1 - 2 - 3"],
    ["2**3**2", "2 ** 3 ** 2"],
    ["(2**3)**2", "(2 ** 3) ** 2"],
    ["-2**2", "-2 ** 2"],
    ["(-2)**2", "(-2) ** 2"],
    ["2**-1", "2 ** -1"],
    ["not($a and $b)or $c", "not ($a and $b) or $c"],
    ["not not $a", "not not $a"],
    ["1<$x<=9", "1 < $x <= 9"],
    ["($a==1)==$b", "($a == 1) == $b"],
    ["'a' not in $b", '"a" not in $b'],
    ["$a is not None", "$a is not None"],
    ["1 if $a else(2 if $b else 3)", "1 if $a else 2 if $b else 3"],
    ["(1 if $a else 2)if $b else 3", "(1 if $a else 2) if $b else 3"],
    ["$a.b[0].c", "$a.b[0].c"],
    ["(1).real", "(1).real"],
    ["$a[1:2]", "$a[1:2]"],
    ["$a[:]", "$a[:]"],
    ["len($a)+1", "len($a) + 1"],
    ["$a.lower()", "$a.lower()"],
    ["[1,2,{'k':None}]", '[1, 2, {"k": None}]'],
    ["'it\\'s \"x\"\\n'", '"it\'s \\"x\\"\\n"'],
    ["True", "True"],
    ["1|2&3", "1 | 2 & 3"],
    ["(1|2)&3", "(1 | 2) & 3"],
  ])("%s is %s", (text, printed) => {
    expect(reprint(text)).toBe(printed);
    expect(reprint(printed)).toBe(printed);
  });
});

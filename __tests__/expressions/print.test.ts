import { describe, expect, it } from "@jest/globals";
import { printExpression } from "../../src/expressions/print.js";
import { parseText } from "./run-expression.js";

describe("printing an expression", () => {
  it.each([
    ["1+2*3", "1 + 2 * 3"],
    ["((1 + 2)) * 3", "(1 + 2) * 3"],
    ["1 - (2 - 3)", "1 - (2 - 3)"],
    ["(2 ** 3) ** 4", "(2 ** 3) ** 4"],
    ["2 ** (3 ** 4)", "2 ** 3 ** 4"],
    ["(-2) ** 2", "(-2) ** 2"],
    ["-(2 ** 2)", "-2 ** 2"],
    ["not ($a and $b)", "not ($a and $b)"],
    ["($a or $b) and $c", "($a or $b) and $c"],
    ["$a or ($b or $c)", "$a or ($b or $c)"],
    ["(1 < 2) < 3", "(1 < 2) < 3"],
    ["$a  not   in $b", "$a not in $b"],
    ["1 if ($a if $b else $c) else 2", "1 if ($a if $b else $c) else 2"],
    ["$a if $b else ($c if $d else $e)", "$a if $b else $c if $d else $e"],
    ["'it''s'", '"its"'],
    ["'say \"hi\"\\n'", '"say \\"hi\\"\\n"'],
    ["(1).lower", "(1).lower"],
    ["$a [ 0 ] [1:] [:2] [::3]", "$a[0][1:][:2][::3]"],
    ["{ 'a' : 1 }", '{"a": 1}'],
    ["(1, 2)", "[1, 2]"],
    ["len( $a )", "len($a)"],
    ["round(1.5, ndigits = 1)", "round(1.5, ndigits=1)"],
    ["0x10", "16"],
    ["f'{$a}'", 'f"{$a}"'],
    ["f'{ $a!r:>{ $b }} {{x}}'", 'f"{$a!r:>{$b}} {{x}}"'],
    ["f\"{'a' + $b}\"", "f\"{'a' + $b}\""],
    ["f'''{f\"{'a'}{$b}\"}'''", 'f"""{f"{\'a\'}{$b}"}"""'],
    ["f\"{ {'a': 1}['a'] }\"", "f\"{ {'a': 1}['a']}\""],
  ])("%s", (text, expected) => {
    expect(printExpression(parseText(text))).toBe(expected);
  });
});

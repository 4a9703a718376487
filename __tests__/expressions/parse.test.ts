import { describe, expect, it } from "@jest/globals";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { createSourceFile, spanText } from "../../src/diagnostics/source-file.js";
import type { Expression } from "../../src/expressions/ast.js";
import { childrenOf, freeVariables } from "../../src/expressions/walk-expression.js";
import { parseArguments, parseExpression } from "../../src/expressions/parse/parse.js";
import { parseText, diagnose } from "./run-expression.js";
import { parseLiteral } from "../../src/expressions/parse/parse-literal.js";
import { printExpression } from "../../scripts/print/print-expression.js";
import { createDialect } from "../../src/expressions/dialect.js";
import { unmark } from "../../src/testing/mark.js";

/** A tree with every operation in parentheses, to show precedence. */
function shape(node: Expression): string {
  switch (node.kind) {
    case "Literal":
      return JSON.stringify(node.value);
    case "Variable":
      return node.name;
    case "Unary":
      return `(${node.operator} ${shape(node.operand)})`;
    case "Binary":
    case "Logical":
      return `(${shape(node.left)} ${node.operator} ${shape(node.right)})`;
    case "Compare":
      return `(${shape(node.first)}${node.rest.map((link) => ` ${link.operator} ${shape(link.operand)}`).join("")})`;
    case "Conditional":
      return `(${shape(node.test)} ? ${shape(node.whenTrue)} : ${shape(node.whenFalse)})`;
    case "Member":
      return `${shape(node.object)}.${node.name}`;
    case "Call":
      return `${node.function}(${node.arguments.map((argument) => shape(argument.value)).join(" ")})`;
    case "MethodCall":
      return `${shape(node.object)}.${node.method}(${node.arguments.map((argument) => shape(argument.value)).join(" ")})`;
    case "Template":
      return `<${node.parts.map((part) => (typeof part === "string" ? part : shape(part))).join("|")}>`;
    default:
      return `${node.kind}[${childrenOf(node).map(shape).join(" ")}]`;
  }
}

describe("precedence", () => {
  it.each([
    ["1 + 2 * 3", "(1 + (2 * 3))"],
    ["1 - 2 - 3", "((1 - 2) - 3)"],
    ["2 ** 3 ** 4", "(2 ** (3 ** 4))"],
    ["-2 ** 2", "(- (2 ** 2))"],
    ["2 ** -1", "(2 ** (- 1))"],
    ["-$a.b", "(- a.b)"],
    ["1 | 2 ^ 3 & 4 << 5 + 6", "(1 | (2 ^ (3 & (4 << (5 + 6)))))"],
    ["not $a == $b", "(not (a == b))"],
    ["not $a and $b", "((not a) and b)"],
    ["$a or $b and $c", "(a or (b and c))"],
    ["$a or $b or $c", "((a or b) or c)"],
    ["$a and $b if $c else $d or $e", "(c ? (a and b) : (d or e))"],
    ["$a if $b else $c if $d else $e", "(b ? a : (d ? c : e))"],
    ["1 < $a <= 3 != 4", "(1 < a <= 3 != 4)"],
    ["(1 < $a) < 3", "((1 < a) < 3)"],
    ["$a not in $b is not $c", "(a not in b is not c)"],
    ["$a <> 1", "(a != 1)"],
    ["not $a in $b", "(not (a in b))"],
    ["1 + 2 < 3 | 4", "((1 + 2) < (3 | 4))"],
    ["~-+1", "(~ (- (+ 1)))"],
    ["$a[1][2:3].b", "Slice[Index[a 1] 2 3].b"],
    ["$a[:]", "Slice[a]"],
    ["$a[1 if $b else 2]", "Index[a (b ? 1 : 2)]"],
    ["[1, [2], ]", "List[1 List[2]]"],
    ["{'a': 1, 'b': {}}", 'Map["a" 1 "b" Map[]]'],
    ["(1, 2)", "List[1 2]"],
    ["('a' 'b', )", 'List["ab"]'],
    ["len($a) + $b.lower().strip()", "(len(a) + b.lower().strip())"],
    ["f'{$a}-{$b + 1}'", "<a|-|(b + 1)>"],
    ["'x' f'{$a}' 'y' 'z'", "<x|a|yz>"],
    ["f'{$a:.2f}{$b!r:>{$c}}'", '<format(a ".2f")|format(repr(b) <>|c>)>'],
    ["f'plain'", '"plain"'],
    ["f'{{}}'", '"{}"'],
    ["f'''a{$b}\nc'''", "<a|b|\nc>"],
    ["1 + \\\n 2", "(1 + 2)"],
    ["[1, # one\n 2]", "List[1 2]"],
    ["True and None", "(true and null)"],
  ])("%s", (text, expected) => {
    expect(shape(parseText(text))).toBe(expected);
  });
});

describe("places", () => {
  it.each([
    ["$a + $b * 2", "Binary", ["$a", "$b * 2"]],
    ["  $a.b ", "Member", ["$a"]],
    ["($a + 1) * 2", "Binary", ["($a + 1)", "2"]],
    ["not ($a)", "Unary", ["($a)"]],
    ["f'é{ $a + 1 }{$b:>{$w}}'", "Template", ["$a + 1", "$b:>{$w}"]],
    ["len($a, )", "Call", ["$a"]],
    ['$a["k"]', "Index", ["$a", '"k"']],
    ["'a' 'b' == $c", "Compare", ["'a' 'b'", "$c"]],
  ])("%s", (text, kind, children) => {
    const source = createSourceFile("main.co", `# before\n${text}`);
    const start = source.text.length - text.length;
    const { expression } = parseExpression(source, start, source.text.length, COLANG_1_DIALECT);
    if (!expression) throw new Error("no expression");
    const textOf = (node: Expression): string => source.text.slice(node.start, node.end);
    expect(expression.kind).toBe(kind);
    expect(textOf(expression)).toBe(text.trim());
    expect(childrenOf(expression).map(textOf)).toEqual(children);
  });

  it("reads nothing outside its range", () => {
    const source = createSourceFile("main.co", 'do x("a", 1) "b"');
    const { expression } = parseExpression(source, 5, 8, COLANG_1_DIALECT);
    expect(expression).toEqual({ kind: "Literal", start: 5, end: 8, value: "a" });
  });
});

describe("arguments", () => {
  it.each([
    ['a=1, $x, "s", k="v"', ["a=1", "x", '"s"', 'k="v"']],
    ["", []],
    ["1,", ["1"]],
    ["$k=1, $j", ["k=1", "j"]],
    ["a=$b == 1", ["a=(b == 1)"]],
    ["if=1, in=2", ["if=1", "in=2"]],
    ["b=[1, 2], c={'k': 1}, d=None", ["b=List[1 2]", 'c=Map["k" 1]', "d=null"]],
    ["a='hi :)'", ['a="hi :)"']],
  ])("%s", (text, expected) => {
    const result = parseArguments(createSourceFile("main.co", text), 0, text.length, COLANG_1_DIALECT);
    expect(result.diagnostics).toEqual([]);
    const shapes = result.arguments.map(({ name, value }) => (name ? `${name}=` : "") + shape(value));
    expect(shapes).toEqual(expected);
  });
});

describe("free variables", () => {
  it.each([
    ["1", []],
    ["$b + $a * $b", ["b", "a"]],
    ["$x if $y else $z", ["x", "y", "z"]],
    ["f'{$a:{$w}}' in {$k: [$v]}", ["a", "w", "k", "v"]],
    ["$m.get($k, ndefault=$d)[$i:$j:$s]", ["m", "k", "d", "i", "j", "s"]],
  ])("%s", (text, expected) => {
    expect(freeVariables(parseText(text))).toEqual(expected);
  });
});

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
  ])("%s is not a literal", (text) => {
    expect(parseLiteral(text)).toEqual({ ok: false });
  });

  it.each([
    ["deep nesting", "[".repeat(1000) + "]".repeat(1000)],
    ["very many items", `[${"1,".repeat(100_000)}]`],
    ["a long text", `"${"a".repeat(2_000_000)}"`],
  ])("%s is refused", (_, text) => {
    expect(parseLiteral(text)).toEqual({ ok: false });
  });

  it("keys that look like prototypes are ordinary keys", () => {
    const literal = parseLiteral("{'__proto__': {'polluted': 1}}");
    expect(literal.ok && Object.keys(literal.value as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

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
  ])("%s", (text, expected) => {
    expect(printExpression(parseText(text))).toBe(expected);
    expect(printExpression(parseText(expected))).toBe(expected);
  });
});

describe("diagnostics of an expression", () => {
  it.each([
    ["$x «=» 1", "CO-120", "`=` cannot stand inside an expression", "use `==` to compare"],
    ["$x «+=» 1", "CO-120", "`+=` cannot stand inside an expression", "use `==` to compare"],
    ["$x «=»> 1", "CO-120", "`=` cannot stand inside an expression", "write `>=`"],
    ["$a ==«=» $b", "CO-120", "`=` cannot stand inside an expression", "use `==` to compare"],
    ["«foo»", "CO-207", "unknown name `foo`", 'a variable is written `$foo`, a text is written `"foo"`'],
    ["«true»", "CO-207", "unknown name `true`", "write `True`"],
    ["$x == «null»", "CO-207", "unknown name `null`", "write `None`"],
    ["«Flase»", "CO-207", "unknown name `Flase`", "did you mean `False`?"],
    ["«len»", "CO-207", "unknown name `len`", "a function is called with parentheses: `len(…)`"],
    ["1 + «hello there»", "CO-207", "unknown name `hello there`", 'a text is written `"hello there"`'],
    ["«don't»", "CO-207", "unknown name `don't`", 'a text is written `"don\'t"`'],
    ["«lenght»($x)", "CO-207", "unknown function `lenght`", "compute it in an action"],
    ["«lenn»($x)", "CO-207", "unknown function `lenn`", "did you mean `len`?"],
    ["$s.«uper»()", "CO-207", "unknown method `uper`", "did you mean `upper`?"],
    ["$l.«append»(1)", "CO-207", "unknown method `append`", "compute it in an action"],
    ["$s.«format»(1)", "CO-207", "unknown method `format`", 'write the values into the text: `f"{$name}"`'],
    ["$s.«__class__»", "CO-207", "`__class__` cannot be read: its name begins with `_`", undefined],
    ["$s.«__len__»()", "CO-207", "`__len__` cannot be read: its name begins with `_`", undefined],
    ["1 «+»", "CO-109", "unexpected end where a value is expected", "write a variable, a number, or a text in quotes"],
    ["1 «2»", "CO-109", "unexpected `2` after the expression", "join values by an operator, such as `+` or `and`"],
    [
      "1 + «)»",
      "CO-109",
      "unexpected `)` where a value is expected",
      "write a variable, a number, or a text in quotes",
    ],
    ["1 + «(»2", "CO-109", "`(` is never closed", "close it with `)`"],
    ["«[»1, [2]", "CO-109", "`[` is never closed", "close it with `]`"],
    ["(1«]»", "CO-109", "unexpected `]` where `)` is expected", "separate values by `,` and close every bracket"],
    [
      "$a«[]»",
      "CO-109",
      "an index is expected in `[]`",
      "write a list after another argument in parentheses, or name the argument: `$options=[…]`",
    ],
    ["$a«.0»", "CO-109", "unexpected `.0` after the expression", "an index is written in brackets: `[0]`"],
    ["$a«.»", "CO-109", "a property name is expected after `.`", 'other keys are written in brackets: `["key"]`'],
    ["$a «&&» $b", "CO-109", "unknown operator `&&`", "use `and`"],
    ["$a «||» $b", "CO-109", "unknown operator `||`", "use `or`"],
    ["«!»$a", "CO-109", "unknown operator `!`", "use `not`"],
    ["$a «?» 1 : 2", "CO-109", "unknown operator `?`", "write `a if condition else b`"],
    ["$a «@» $b", "CO-109", "unexpected `@` after the expression", "join values by an operator, such as `+` or `and`"],
    ["1 «if» 2", "CO-109", "`if` without `else`", "write `a if condition else b`"],
    [
      "$a and «or» $b",
      "CO-109",
      "unexpected `or` where a value is expected",
      "write a variable, a number, or a text in quotes",
    ],
    ["$a«;» $b", "CO-109", "only one expression can stand here", "remove `;`: a line holds one statement"],
    ["«...»", "CO-109", "`...` cannot stand inside an expression", "assign the generated value to a variable first"],
    ["«lambda» x: 1", "CO-109", "`lambda` is not supported", "compute it in an action"],
    ["[x «for» x in $l]", "CO-109", "comprehensions are not supported", "build the list in a loop or in an action"],
    [
      "«import» os",
      "CO-109",
      "statements are not supported in an expression",
      "write the statement on a line of its own",
    ],
    ["«{»1, 2}", "CO-109", "sets are not supported", "write a list: `[a, b]`"],
    ["{1: 2, 3«}»", "CO-109", "unexpected `}` where `:` is expected", "separate values by `,` and close every bracket"],
    ["{«**»$m}", "CO-109", "unpacking with `*` is not supported", undefined],
    ["len(«*»$m)", "CO-109", "unpacking arguments with `*` is not supported", undefined],
    ["1 + «len()»", "CO-109", "`len` takes 1 argument", undefined],
    ["«round(1, x=2)»", "CO-109", "`round` has no argument named `x`", undefined],
    ["«max()»", "CO-109", "`max` takes at least 1 argument", undefined],
    ["$x«(»1)", "CO-109", "a value cannot be called", "call a function or a method: `len($list)`, `$text.lower()`"],
    ["«007»", "CO-109", "`007` is not a number", "write a number such as `10`, `0.5` or `1e6`"],
    ["«1e999»", "CO-109", "`1e999` is not a number", "write a number such as `10`, `0.5` or `1e6`"],
    ["«b'x'»", "CO-109", "bytes are not supported", "leave out the `b`"],
    ["«$» + 1", "CO-109", "`$` without a name", "a variable is written `$name`"],
    ["«“»hi”", "CO-109", "`“` is not a quote of the language", 'use `"`'],
    ["$a + «\0»", "CO-109", "unexpected character `U+0000`", "remove it, or put it into a text in quotes"],
    ["1 + «'abc»", "CO-108", "a string that is never closed", "close it with `'`"],
    ["f'a «{»$x'", "CO-109", "`{` is never closed in this string", "write `{{` for a brace"],
    [
      `f"a «{»$x["b"]}"`,
      "CO-109",
      "`{` is never closed in this string",
      "the string ends at the next `\"`: write `'` for quotes inside its braces",
    ],
    [
      "f'a «{»$x['b']}'",
      "CO-109",
      "`{` is never closed in this string",
      "the string ends at the next `'`: write `\"` for quotes inside its braces",
    ],
    ["f'a «}»'", "CO-109", "a single `}` in a template", "write `}}` for a brace"],
    ["f'«{}»'", "CO-109", "empty braces in a template", "write `{{}}` for braces"],
    ["f'{$x«!z»}'", "CO-109", "unknown conversion in a template", "use `!r` or `!s`"],
    ["f'é{$x + «foo»}'", "CO-207", "unknown name `foo`", 'a variable is written `$foo`, a text is written `"foo"`'],
    [
      "f'{$x «y»}'",
      "CO-109",
      "unexpected `y` after the expression",
      "join values by an operator, such as `+` or `and`",
    ],
    ["f'{$x:{«foo»}}'", "CO-207", "unknown name `foo`", 'a variable is written `$foo`, a text is written `"foo"`'],
  ])("%s", (marked, code, message, hint) => {
    const { text, marked: underlined } = unmark(marked as string);
    const [first, ...others] = diagnose(text);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ code, message });
    expect(first?.hint).toBe(hint);
    expect(first?.span && spanText(first.span)).toBe(underlined);
  });

  it("an empty expression is reported at its position", () => {
    expect(diagnose("  ")).toMatchObject([{ code: "CO-109", message: "an expression is expected here" }]);
  });

  it("reports every unknown name of an expression", () => {
    const found = diagnose("foo + len(bar) and $s.baz()").map(({ message }) => message);
    expect(found).toEqual(["unknown name `foo`", "unknown name `bar`", "unknown method `baz`"]);
  });

  it("an argument may be given once", () => {
    const source = createSourceFile("main.co", "a=1, $a=2");
    const { diagnostics } = parseArguments(source, 0, source.text.length, COLANG_1_DIALECT);
    expect(diagnostics).toMatchObject([
      { code: "CO-109", message: "argument `a` is given twice", hint: "remove one of them" },
    ]);
    expect(diagnostics[0]?.span && spanText(diagnostics[0].span)).toBe("$a=2");
  });

  it("a dialect reports with separate codes", () => {
    const dialect = createDialect({
      codes: { ...COLANG_1_DIALECT.codes, malformed: "CO-110", unknownName: "CO-201" },
      functions: [],
      methods: {},
    });
    expect(diagnose("foo", dialect)).toMatchObject([{ code: "CO-201" }]);
    expect(diagnose("[1]", dialect)).toMatchObject([{ code: "CO-110", message: "list literals are not supported" }]);
    expect(diagnose("{}", dialect)).toMatchObject([{ code: "CO-110", message: "maps are not supported" }]);
    expect(diagnose("(1, 2)", dialect)).toMatchObject([{ code: "CO-110", message: "tuples are not supported" }]);
  });
});

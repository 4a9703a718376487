import { describe, expect, it } from "@jest/globals";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { spanText } from "../../src/diagnostics/span.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { createDialect } from "../../src/expressions/dialect.js";
import { parseArguments } from "../../src/expressions/parse/parse.js";
import { unmark } from "../../src/testing/mark.js";
import { diagnose } from "./run-expression.js";

describe("what is wrong with an expression", () => {
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
    ["«lenght»($x)", "CO-207", "unknown function `lenght`", undefined],
    ["«lenn»($x)", "CO-207", "unknown function `lenn`", "did you mean `len`?"],
    ["$s.«uper»()", "CO-207", "unknown method `uper`", "did you mean `upper`?"],
    ["$l.«append»(1)", "CO-207", "unknown method `append`", undefined],
    ["$s.«format»(1)", "CO-207", "unknown method `format`", undefined],
    ["$s.«__class__»", "CO-207", "`__class__` cannot be read: its name begins with `_`", undefined],
    ["$s.«__len__»()", "CO-207", "`__len__` cannot be read: its name begins with `_`", undefined],
    ["1 «+»", "CO-109", "unexpected end where a value is expected", undefined],
    ["1 «2»", "CO-109", "unexpected `2` after the expression", undefined],
    ["1 + «)»", "CO-109", "unexpected `)` where a value is expected", undefined],
    ["1 + «(»2", "CO-109", "`(` is never closed", "close it with `)`"],
    ["«[»1, [2]", "CO-109", "`[` is never closed", "close it with `]`"],
    ["(1«]»", "CO-109", "unexpected `]` where `)` is expected", undefined],
    ["$a«[]»", "CO-109", "an index is expected in `[]`", undefined],
    ["$a«.0»", "CO-109", "unexpected `.0` after the expression", "an index is written in brackets: `[0]`"],
    ["$a«.»", "CO-109", "a property name is expected after `.`", 'other keys are written in brackets: `["key"]`'],
    ["$a «&&» $b", "CO-109", "unknown operator `&&`", "use `and`"],
    ["$a «||» $b", "CO-109", "unknown operator `||`", "use `or`"],
    ["«!»$a", "CO-109", "unknown operator `!`", "use `not`"],
    ["$a «?» 1 : 2", "CO-109", "unknown operator `?`", "write `a if condition else b`"],
    ["$a «@» $b", "CO-109", "unexpected `@` after the expression", undefined],
    ["1 «if» 2", "CO-109", "`if` without `else`", "write `a if condition else b`"],
    ["$a and «or» $b", "CO-109", "unexpected `or` where a value is expected", undefined],
    ["$a«;» $b", "CO-109", "only one expression can stand here", undefined],
    ["«...»", "CO-109", "`...` cannot stand inside an expression", undefined],
    ["«lambda» x: 1", "CO-109", "`lambda` is not supported", undefined],
    ["[x «for» x in $l]", "CO-109", "comprehensions are not supported", undefined],
    ["«import» os", "CO-109", "statements are not supported in an expression", undefined],
    ["«{»1, 2}", "CO-109", "sets are not supported", "write a list: `[a, b]`"],
    ["{1: 2, 3«}»", "CO-109", "unexpected `}` where `:` is expected", undefined],
    ["{«**»$m}", "CO-109", "unpacking with `*` is not supported", undefined],
    ["len(«*»$m)", "CO-109", "unpacking arguments with `*` is not supported", undefined],
    ["1 + «len()»", "CO-109", "`len` takes 1 argument", undefined],
    ["«round(1, x=2)»", "CO-109", "`round` has no argument named `x`", undefined],
    ["«max()»", "CO-109", "`max` takes at least 1 argument", undefined],
    ["$x«(»1)", "CO-109", "a value cannot be called", undefined],
    ["«007»", "CO-109", "`007` is not a number", undefined],
    ["«1e999»", "CO-109", "`1e999` is not a number", undefined],
    ["«b'x'»", "CO-109", "bytes are not supported", "leave out the `b`"],
    ["«$» + 1", "CO-109", "`$` without a name", "a variable is written `$name`"],
    ["«“»hi”", "CO-109", "`“` is not a quote of the language", 'use `"`'],
    ["$a + «\0»", "CO-109", "unexpected character `U+0000`", undefined],
    ["1 + «'abc»", "CO-108", "a string that is never closed", "close it with `'`"],
    ["f'a «{»$x'", "CO-109", "`{` is never closed in this string", "write `{{` for a brace"],
    ["f'a «}»'", "CO-109", "a single `}` in a template", "write `}}` for a brace"],
    ["f'«{}»'", "CO-109", "empty braces in a template", "write `{{}}` for braces"],
    ["f'{$x«!z»}'", "CO-109", "unknown conversion in a template", "use `!r` or `!s`"],
    ["f'é{$x + «foo»}'", "CO-207", "unknown name `foo`", 'a variable is written `$foo`, a text is written `"foo"`'],
    ["f'{$x «y»}'", "CO-109", "unexpected `y` after the expression", undefined],
    ["f'{$x:{«foo»}}'", "CO-207", "unknown name `foo`", 'a variable is written `$foo`, a text is written `"foo"`'],
  ])("%s", (marked, code, message, hint) => {
    const { text, marked: underlined } = unmark(marked as string);
    const [first, ...others] = diagnose(text);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ code, message });
    expect(first?.hint).toBe(hint);
    expect(first?.span && spanText(first.span)).toBe(underlined);
  });

  it("an empty expression is reported where it should stand", () => {
    expect(diagnose("  ")).toMatchObject([{ code: "CO-109", message: "an expression is expected here" }]);
  });

  it("reports every unknown name of an expression", () => {
    const found = diagnose("foo + len(bar) and $s.baz()").map(({ message }) => message);
    expect(found).toEqual(["unknown name `foo`", "unknown name `bar`", "unknown method `baz`"]);
  });

  it("an argument may be given once", () => {
    const source = createSourceFile("main.co", "a=1, $a=2");
    const { diagnostics } = parseArguments(source, 0, source.text.length, COLANG_1_DIALECT);
    expect(diagnostics).toMatchObject([{ code: "CO-109", message: "argument `a` is given twice" }]);
    expect(diagnostics[0]?.span && spanText(diagnostics[0].span)).toBe("$a=2");
  });

  it("a dialect reports under codes of its own", () => {
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

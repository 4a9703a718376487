import { describe, expect, it } from "@jest/globals";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { ExpressionError, LimitError } from "../../src/diagnostics/errors.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import { DEFAULT_EVALUATION_LIMITS } from "../../src/expressions/evaluate/runtime.js";
import { unmark } from "../../src/testing/mark.js";
import { failure, parseText, run, scopeOf, diagnose } from "./run-expression.js";
import { printExpression } from "../../scripts/print/print-expression.js";
import { TEMPLATE_DIALECT } from "./template-dialect.js";

const SHOP = {
  name: "Al",
  count: 3,
  empty: "",
  nothing: null,
  order: { qty: 4, bike: { kind: "gravel" }, get: "a key", lines: [{ sku: "t1" }, { sku: "t2" }] },
  tags: ["new", "blue"],
};

describe("variables and properties", () => {
  it.each([
    ["$name", "Al"],
    ["$missing", null],
    ["$nothing", null],
    ["$missing or 5", 5],
    ["($n or 0) + 1", 1],
    ["$order.qty", 4],
    ["$order.bike.kind", "gravel"],
    ["$order.missing", null],
    ['$order["qty"]', 4],
    ['{"k": None}["k"]', null],
    ['{"k": None}.get("k", 1)', null],
    ['"%(k)s" % {"k": None}', "None"],
    ["$order.lines[1].sku", "t2"],
    ["$order.lines[-1].sku", "t2"],
    ["$order.get", "a key"],
    ['$order.get("qty")', 4],
    ['$order.get("nope", 7)', 7],
    ['"qty" in $order', true],
    ["$tags[0].upper()", "NEW"],
    ['"blue" in $tags', true],
    ["$tags == ['new', 'blue']", true],
    ["$order.bike == {'kind': 'gravel'}", true],
    ["$order is $order", true],
    ["$order.bike is {'kind': 'gravel'}", false],
    ["1 is True", false],
    ["lower($name) + upper($name) + strip(' x ')", "alALx"],
    ["$order.keys()", ["qty", "bike", "get", "lines"]],
    ["{'a': 1}.items()", [["a", 1]]],
    ["{'a': 1, 'b': 2}.values()", [1, 2]],
  ])("%s", (text, expected) => {
    expect(run(text, SHOP)).toEqual(expected);
  });

  it("reads each operand of a chain at most once, and only while the chain holds", () => {
    const read: string[] = [];
    const scope = { lookup: (name: string) => (read.push(name), name === "b" ? 1 : 2) };
    expect(evaluate(parseText("$a < $b < $c"), scope, COLANG_1_DIALECT)).toBe(false);
    expect(read).toEqual(["a", "b"]);
  });

  it.each([
    ["False and $a.b", false],
    ["1 or $a.b", 1],
    ["1 if True else $a.b", 1],
  ])("omits parts without influence: %s", (text, expected) => {
    expect(run(text)).toBe(expected);
  });

  it("returns any value that a host put into the data", () => {
    const host = { method: () => 1, big: 10n, missing: undefined, symbol: Symbol("s") };
    expect(run("[$h.method, $h.big, $h.missing, $h.symbol]", { h: host })).toEqual([null, 10, null, null]);
  });
});

describe("failures name the part that failed", () => {
  it.each([
    ["«$missing.x»", "None has no property `x`", "CO-410"],
    ["1 + «$name.x»", "a string has no property `x`", "CO-410"],
    ["«$tags.first» == 1", "a list has no property `first`", "CO-410"],
    ['«$order["nope"]»', "the map has no key `nope`", "CO-410"],
    ["«$tags[2]»", "index 2 is out of range: a list of length 2", "CO-410"],
    ["«$name[-3]»", "index -3 is out of range: a string of length 2", "CO-410"],
    ["«$tags['a']»", "an index must be a number, not a string", "CO-410"],
    ["«$tags[0.5]»", "an index must be a whole number", "CO-410"],
    ["«$count[0]»", "a number cannot be indexed", "CO-410"],
    ["«$count[1:]»", "a number cannot be sliced", "CO-410"],
    ["«$tags[::0]»", "the step of a slice cannot be 0", "CO-410"],
    ["2 * «(1 / 0)»", "division by zero", "CO-410"],
    ["«1 % 0»", "division by zero", "CO-410"],
    ["«0 ** -1»", "division by zero", "CO-410"],
    ["«(-8) ** 0.5»", "a negative number has no such power", "CO-410"],
    ["«1 + 'a'»", "`+` does not work on a number and a string", "CO-410"],
    ["«None + 1»", "`+` does not work on None and a number", "CO-410"],
    ["«-'a'»", "`-` needs a number, not a string", "CO-410"],
    ["«1 < 'a'»", "cannot order a number and a string", "CO-410"],
    ["«None < 1»", "cannot order None and a number", "CO-410"],
    ["«{'a': 1} < {'b': 1}»", "cannot order a map and a map", "CO-410"],
    ["«1 in 'abc'»", "only a string can be in a string, not a number", "CO-410"],
    ["«1 in $missing»", "nothing can be in None", "CO-410"],
    ["«1 in 5»", "nothing can be in a number", "CO-410"],
    ["«'a' * 1.5»", "`*` repeats a string a whole number of times", "CO-410"],
    ["«1.5 & 1»", "`&` needs whole numbers", "CO-410"],
    ["«1 << -1»", "a shift needs a count that is not negative", "CO-410"],
    ["«{[1]: 2}»", "a list cannot be a key", "CO-410"],
    ["«len(5)»", "a number has no length", "CO-410"],
    ["«int('a')»", "`a` is not a whole number", "CO-410"],
    ["«int('3.5')»", "`3.5` is not a whole number", "CO-410"],
    ["«int(None)»", "None cannot be made a whole number", "CO-410"],
    ["«float('nan')»", "`nan` is not a number", "CO-410"],
    ["«max([])»", "`max` of nothing", "CO-410"],
    ["«sum(['a'])»", "`+` does not work on a number and a string", "CO-410"],
    ["«sorted([1, 'a'])»", "cannot order a string and a number", "CO-410"],
    ["«lower(5)»", "`lower` needs a string, not a number", "CO-410"],
    ["«','.join([1])»", "`join` needs strings, not a number", "CO-410"],
    ["«'a'.split('')»", "`split` needs a separator that is not empty", "CO-410"],
    ["«[1].index(2)»", "`2` is not in the list", "CO-410"],
    ["«'%d' % 'x'»", "the conversion `%d` needs a number, not a string", "CO-410"],
    ["«'%s %s' % 'x'»", "the format needs more values than are given", "CO-410"],
    ["«'x' % 'x'»", "the format uses fewer values than are given", "CO-410"],
    ["«'%y' % 1»", "unknown conversion `%y` in a format", "CO-410"],
    ["«'%(a)s' % {}»", "the map has no `a`", "CO-410"],
    ["f'{«$name»:d}'", "a string has no format `d`", "CO-410"],
    ["f'{«$tags»:5}'", "a list has no formats", "CO-410"],
    ["f'{«1.5»:d}'", "the format `d` needs a whole number", "CO-410"],
    ["1 + «$count.upper()»", "a number has no method `upper`", "CO-404"],
    ["«$order.split()»", "a map has no method `split`", "CO-404"],
    ["«$missing.get('a')»", "None has no method `get`", "CO-404"],
  ])("%s", (marked, message, code) => {
    const { text, start } = unmark(marked);
    const error = failure(text, SHOP);
    expect(error).toBeInstanceOf(ExpressionError);
    expect(error).toMatchObject({ message, code, offset: start });
  });

  it("marks the end of the part", () => {
    expect(failure("1 + $name.x", SHOP)).toMatchObject({ offset: 4, endOffset: 11 });
  });

  it("reports functions and methods of stored programs that the dialect no longer has", () => {
    const place = { start: 0, end: 3 };
    const call = { kind: "Call", ...place, function: "eval", arguments: [] } as const;
    expect(() => evaluate(call, scopeOf(), COLANG_1_DIALECT)).toThrow("unknown function `eval`");
    const value = { kind: "Literal", ...place, value: "a" } as const;
    const lacking = { kind: "MethodCall", ...place, object: value, method: "replace", arguments: [] } as const;
    expect(() => evaluate(lacking, scopeOf(), COLANG_1_DIALECT)).toThrow("`replace` takes 2 to 3 arguments");
  });
});

describe("only own data can be reached", () => {
  class Secret {
    open = 1;
    get hidden(): number {
      return 2;
    }
    method(): number {
      return 3;
    }
  }

  it.each([
    ["$m.constructor"],
    ["$m.toString"],
    ["$m.hasOwnProperty"],
    ["$secret.hidden"],
    ["$secret.method"],
    ["$secret.constructor"],
    ['$m.get("__proto__")'],
    ['$m.get("constructor")'],
    ["$constructor"],
    ["$toString"],
  ])("%s is None", (text) => {
    expect(run(text, { m: {}, secret: new Secret() })).toBeNull();
  });

  it.each([
    ['$m["__proto__"]'],
    ['$m["constructor"]'],
    ['$list["length"]'],
    ["$list.length"],
    ["$text.length"],
    ["$text.constructor"],
  ])("%s fails", (text) => {
    expect(failure(text, { m: {}, list: [1], text: "a" })).toBeInstanceOf(ExpressionError);
  });

  it("keys that look like prototypes are ordinary keys", () => {
    const data = JSON.parse('{"__proto__": 1, "constructor": 2}') as object;
    expect(run('[$m["__proto__"], $m.constructor, "__proto__" in $m]', { m: data })).toEqual([1, 2, true]);
    const made = run('{"__proto__": {"polluted": 1}}') as object;
    expect(Object.keys(made)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("never calls functions in the data", () => {
    const data = { toString: () => "called", toJSON: () => "called", valueOf: () => 1, call: () => "called" };
    expect(run("str($m)", { m: data })).toBe("{'toString': None, 'toJSON': None, 'valueOf': None, 'call': None}");
    expect(failure("$m + 1", { m: data })).toBeInstanceOf(ExpressionError);
  });

  it("never calls a getter of the host", () => {
    const data = {
      get broken(): never {
        throw new TypeError("boom");
      },
    };
    expect(run("[$m.broken, str($m), $m == $m]", { m: data })).toEqual([null, "{'broken': None}", true]);
  });

  it("wraps the error of a proxy of the host", () => {
    const cause = new TypeError("boom");
    const data = new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw cause;
        },
      },
    );
    expect(failure("1 + $m.broken", { m: data })).toMatchObject({ name: "ExpressionError", cause, offset: 4 });
  });

  it("does not change its input", () => {
    const list = Object.freeze([3, 1, 2]);
    expect(run("[sorted($l), $l + [4], $l[::-1], $l * 2]", { l: list })).toHaveLength(4);
    expect(list).toEqual([3, 1, 2]);
  });
});

describe("limits", () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const mirror: { self?: unknown } = {};
  mirror.self = mirror;
  const variables = {
    cyclic,
    mirror,
    long: "a".repeat(1_000_000),
    spaced: "a ".repeat(200_000),
    list: Array.from({ length: 90_000 }, (_, at) => at),
  };

  it.each([
    ["2 ** 10 ** 9", "exponent"],
    ["10 ** 400", "number"],
    ["1e308 * 10", "number"],
    ["1 << 1000000000", "exponent"],
    ["'a' * 10 ** 9", "textLength"],
    ["10 ** 9 * 'a'", "textLength"],
    ["[0] * 10 ** 9", "listLength"],
    ["$long + $long", "textLength"],
    ["$long.replace('aaaaaaaaaa', 'bbbbbbbbbbbb')", "textLength"],
    ["$long.replace('', 'b')", "steps"],
    ["$long.join(['', '', ''])", "textLength"],
    ["$long.split('a')", "listLength"],
    ["$spaced.split()", "listLength"],
    ["sorted($long)", "listLength"],
    ["f'{$long}{$long}'", "textLength"],
    ["f'{1:99999999999}'", "textLength"],
    ["'%99999999999d' % 1", "textLength"],
    ["f'{1:.99999999999f}'", "textLength"],
    ["$list + $list", "listLength"],
    ["str($cyclic)", "depth"],
    ["$cyclic == $mirror", "depth"],
    ["[$cyclic] < [$mirror]", "depth"],
  ])("%s", (text, limit) => {
    const error = failure(text, variables);
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ limit });
  });

  it("counts steps", () => {
    const limits = { ...DEFAULT_EVALUATION_LIMITS, steps: 10 };
    expect(run("[1, 2, 3]", {}, { limits })).toEqual([1, 2, 3]);
    expect(failure("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", {}, { limits })).toMatchObject({ limit: "steps" });
  });

  it("counts work on long values as steps", () => {
    const text = Array.from({ length: 450 }, () => "'b' in $long").join(" or ");
    expect(failure(text, variables)).toMatchObject({ limit: "steps" });
  });

  it("searches any texts in linear time", () => {
    const half = "a".repeat(100_000);
    expect(run("$needle in $text", { text: half + half, needle: `b${half}` })).toBe(false);
    expect(run("$text.find($needle)", { text: `${half}b${half}`, needle: `${half.slice(1)}b` })).toBe(1);
    expect(run("$text.count($needle)", { text: half + half, needle: half })).toBe(2);
  });

  it("a tree deeper than the parser makes is refused", () => {
    let tree = parseText("1");
    for (let depth = 0; depth < 5000; depth += 1) {
      tree = { kind: "Unary", start: 0, end: 1, operator: "-", operand: tree };
    }
    expect(() => evaluate(tree, scopeOf(), COLANG_1_DIALECT)).toThrow(LimitError);
  });

  it("the highest tree the parser makes can be evaluated", () => {
    expect(run(Array.from({ length: 499 }, () => "1").join(" + "))).toBe(499);
  });
});

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

  it("does not evaluate inserted text again", () => {
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

  it("accepts only its own functions and literals", () => {
    expect(diagnose("lower('A')", TEMPLATE_DIALECT)).toMatchObject([{ message: "unknown function `lower`" }]);
    expect(diagnose("(1, 2)", TEMPLATE_DIALECT)).toMatchObject([
      { message: "tuples are not supported", hint: "write a list: `[a, b]`" },
    ]);
  });
});

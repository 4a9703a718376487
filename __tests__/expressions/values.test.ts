import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { anyCharacter } from "../support/any-character.js";
import { LimitError, ExpressionError } from "../../src/diagnostics/errors.js";
import { formatValue, toPythonRepr, toPythonText } from "../../src/expressions/values/format.js";
import { numberText, ComparisonValue } from "../../src/expressions/values/number-text.js";
import { type Value, describeType, isMap, isTruthy, typeOf } from "../../src/expressions/values/value.js";
import { compilePattern, findAllMatches, searchPattern, PatternValue } from "../../src/expressions/values/pattern.js";
import { compareValues } from "../../src/expressions/values/compare.js";
import { Runtime } from "../../src/expressions/evaluate/runtime.js";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import { freeVariables } from "../../src/expressions/walk-expression.js";
import { parseArguments, parseExpression } from "../../src/expressions/parse/parse.js";
import { parseLiteral } from "../../src/expressions/parse/parse-literal.js";
import { printExpression } from "../../scripts/print/print-expression.js";
import { expressionText, tokenSoup } from "./expression-arbitrary.js";
import { TEMPLATE_DIALECT } from "./template-dialect.js";
import { parseText, scopeOf } from "./run-expression.js";
import { propertyRuns } from "../support/property-runs.js";

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

  it.each([formatValue, toPythonText])("endless values fail with a limit", (write) => {
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
    ["^a{,2}b$", "aab", ["aab"]],
    ["^a{,2}b$", "aaab", []],
    ["^a{,}b", "aaab", ["aaab"]],
    ["[{,2}]+", "a{,2}", ["{,2}"]],
    ["a\\{,2}", "a{,2}", ["a{,2}"]],
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

const runtime = new Runtime(COLANG_1_DIALECT, { lookup: () => undefined });
const below = (bound: number): Value => new ComparisonValue("less_than", bound);
const pattern = (source: string): Value => new PatternValue(source);

describe("values that are not plain data", () => {
  it.each<[string, Value, string, string]>([
    ["a comparison", below(5), "a value of type ComparisonExpression", "less_than(5)"],
    ["a pattern", pattern("^a+$"), "a value of type Pattern", "<Pattern ^a+$>"],
  ])("%s is an object with a type and a text", (_, value, described, text) => {
    expect(typeOf(value)).toBe("object");
    expect(isMap(value)).toBe(false);
    expect(isTruthy(value)).toBe(true);
    expect(describeType(value)).toBe(described);
    expect(toPythonText(value)).toBe(text);
    expect(toPythonText([value])).toBe(`[${text}]`);
  });

  it.each<[string, Value, "==" | "is" | "in", Value, boolean]>([
    ["equal patterns", pattern("a"), "==", pattern("a"), true],
    ["other patterns", pattern("a"), "==", pattern("b"), false],
    ["a pattern and its source", pattern("a"), "==", "a", false],
    ["equal comparisons", below(1), "is", below(1), true],
    ["other bounds", below(1), "==", below(2), false],
    ["in lists", [below(1)], "==", [below(1)], true],
    ["in a list", below(1), "in", [below(1)], true],
    ["in a set", below(1), "in", new Set([below(1)]), true],
    ["sets of equal objects", new Set([pattern("a")]), "==", new Set([pattern("a")]), true],
    ["a map and an object", {}, "==", below(1), false],
  ])("%s", (_, left, operator, right, expected) => {
    expect(compareValues(runtime, operator, left, right)).toBe(expected);
  });

  it("has only its declared members", () => {
    const value = new ComparisonValue("greater_than", 3);
    expect(value.member("value")).toBe(3);
    expect(value.member("constructor")).toBeUndefined();
    expect(value.holds(4)).toBe(true);
    expect(value.holds(3)).toBe(false);
  });

  it("refuses a pattern that cannot be read", () => {
    expect(() => new PatternValue("(")).toThrow(/cannot be read/);
  });
});

/** A tree without its places. */
function withoutPlaces(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value: unknown) => (key === "start" || key === "end" ? undefined : value)),
  );
}

const anyText = fc.oneof(tokenSoup, fc.string({ unit: anyCharacter, maxLength: 40 }), expressionText);

const anyValue = fc.jsonValue({ maxDepth: 2 });

describe("properties of parsing", () => {
  it("every text is an expression or has a diagnostic, in every dialect", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(COLANG_1_DIALECT, TEMPLATE_DIALECT), (text, dialect) => {
        const source = createSourceFile("main.co", text);
        const { expression, diagnostics } = parseExpression(source, 0, source.text.length, dialect);
        expect(expression === undefined).toBe(diagnostics.length > 0);
        parseArguments(source, 0, source.text.length, dialect);
        parseLiteral(text);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("what is printed parses to the same tree", () => {
    fc.assert(
      fc.property(expressionText, (text) => {
        const tree = parseText(text);
        expect(withoutPlaces(parseText(printExpression(tree)))).toEqual(withoutPlaces(tree));
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it("what is printed for strings that interpolate parses to the same tree", () => {
    fc.assert(
      fc.property(expressionText, (text) => {
        const source = createSourceFile("main.co", text);
        const { expression } = parseExpression(source, 0, source.text.length, TEMPLATE_DIALECT);
        fc.pre(expression !== undefined);
        const printed = printExpression(expression, TEMPLATE_DIALECT);
        expect(withoutPlaces(parseText(printed, TEMPLATE_DIALECT))).toEqual(withoutPlaces(expression));
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it("children lie inside their parents", () => {
    const check = (node: object, start: number, end: number): void => {
      for (const value of Object.values(node)) {
        for (const child of Array.isArray(value) ? value : [value]) {
          if (typeof child !== "object" || child === null) continue;
          const place = child as { start?: number; end?: number };
          if (place.start !== undefined && place.end !== undefined) {
            expect(place.start).toBeGreaterThanOrEqual(start);
            expect(place.end).toBeLessThanOrEqual(end);
          }
          check(child as object, place.start ?? start, place.end ?? end);
        }
      }
    };
    fc.assert(
      fc.property(expressionText, (text) => {
        const tree = parseText(text);
        check(tree, tree.start, tree.end);
      }),
      { numRuns: propertyRuns(20) },
    );
  });
});

describe("properties of evaluation", () => {
  it("fails only with typed errors, gives the same result twice, and changes nothing", () => {
    fc.assert(
      fc.property(expressionText, anyValue, anyValue, (text, a, b) => {
        const tree = parseText(text);
        const variables = { a, b };
        const before = JSON.stringify(variables);
        const outcome = (): unknown => {
          try {
            return { value: evaluate(tree, scopeOf(variables), COLANG_1_DIALECT) };
          } catch (error) {
            if (!ExpressionError.isInstance(error) && !LimitError.isInstance(error)) throw error;
            return { message: error.message };
          }
        };
        expect(outcome()).toEqual(outcome());
        expect(JSON.stringify(variables)).toBe(before);
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it("reads only free variables", () => {
    fc.assert(
      fc.property(expressionText, (text) => {
        const tree = parseText(text);
        const free = new Set(freeVariables(tree));
        const lookup = (name: string): null => {
          expect(free).toContain(name);
          return null;
        };
        try {
          evaluate(tree, { lookup }, COLANG_1_DIALECT);
        } catch (error) {
          if (!ExpressionError.isInstance(error) && !LimitError.isInstance(error)) throw error;
        }
      }),
      { numRuns: propertyRuns(20) },
    );
  });
});

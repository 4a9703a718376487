import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { readPath, Variables } from "../../../src/colang1/engine/variables.js";
import { COLANG_1_DIALECT } from "../../../src/colang1/expression-dialect.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";
import type { Expression } from "../../../src/expressions/ast.js";
import { evaluate } from "../../../src/expressions/evaluate/evaluate.js";
import { parseExpression } from "../../../src/expressions/parse/parse.js";

const PLACE = { start: 0, end: 0 };
const NAMES = ["event", "config", "none", "text", "list", "map", "empty", "set", "unknown", "hidden"] as const;
const KEYS = ["a", "b", "_private", "toString", "accessor"] as const;

const EVENT = { a: "of the event", b: undefined };
const UTTERANCE = { a: "of the utterance" };

const source = {
  program: { constants: { config: { a: { b: ["flow"] } }, hidden: "of the program" } },
  context: {
    none: null,
    text: "hi",
    list: [1],
    map: Object.defineProperty({ a: 0, b: { a: true, _private: 1 } }, "accessor", { get: () => 1, enumerable: true }),
    empty: {},
    set: new Set(["a"]),
    hidden: "of the context",
    event: "of the context",
  },
  eventFor: (instance: string | undefined) => (instance === undefined ? EVENT : UTTERANCE),
};

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.constantFrom(...NAMES).map((name): Expression => ({ kind: "Variable", ...PLACE, name })),
  fc
    .constantFrom(null, 0, 1, Number.NaN, "", "x", true, false)
    .map((value): Expression => ({ kind: "Literal", ...PLACE, value })),
);

const { expression } = fc.letrec<{ expression: Expression }>((tie) => {
  const part = tie("expression");
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc
        .tuple(part, fc.constantFrom(...KEYS))
        .map(([object, name]): Expression => ({ kind: "Member", ...PLACE, object, name })),
      fc
        .tuple(fc.constantFrom("not" as const, "-" as const), part)
        .map(([operator, operand]): Expression => ({ kind: "Unary", ...PLACE, operator, operand })),
      fc
        .tuple(fc.constantFrom("and" as const, "or" as const), part, part)
        .map(([operator, left, right]): Expression => ({ kind: "Logical", ...PLACE, operator, left, right })),
      fc.tuple(part, part).map(([first, operand]): Expression => ({
        kind: "Compare",
        ...PLACE,
        first,
        rest: [{ operator: "==", operand }],
      })),
    ),
  };
});

describe("paths of variables", () => {
  it("cost as many steps as an evaluation and have its value", () => {
    const overlay = new Map([["text", "assigned"]]);
    const scopes = fc.constantFrom<readonly [string | undefined, ReadonlyMap<string, unknown> | undefined]>(
      [undefined, undefined],
      ["1", undefined],
      [undefined, overlay],
    );
    fc.assert(
      fc.property(expression, scopes, (node, [instance, assigned]) => {
        const variables = Object.assign(new Variables(source), { instance, overlay: assigned });
        const value = readPath(variables, node);
        fc.pre(value !== undefined);
        let steps = 0;
        const count = (spent: number): void => void (steps += spent);
        const scope = Object.assign(new Variables(source), { instance, overlay: assigned });
        const evaluated = evaluate(node, scope, COLANG_1_DIALECT, { budget: { add: count, spend: count } });
        expect(value).toBe(evaluated);
        expect(variables.steps).toBe(steps);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, boolean]>([
    ["$config.a.b", true],
    ["not $text", true],
    ["$none and $none.a", true],
    ["$text or $map.b", true],
    ["$map.missing", true],
    ["$text.a", false],
    ["$set.a", false],
    ["not $map", false],
    ["$list[0]", false],
    ["$text == 'hi'", false],
  ])("read `%s`: %s", (text, isPath) => {
    const file = createSourceFile("main.co", text);
    const { expression: node } = parseExpression(file, 0, text.length, COLANG_1_DIALECT);
    if (node === undefined) throw new Error("no expression");
    expect(readPath(new Variables(source), node) !== undefined).toBe(isPath);
  });
});

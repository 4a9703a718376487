import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { ExpressionError, LimitError } from "../../src/diagnostics/errors.js";
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

/** A tree without its places. */
function withoutPlaces(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value: unknown) => (key === "start" || key === "end" ? undefined : value)),
  );
}

const anyText = fc.oneof(tokenSoup, fc.string({ unit: "binary", maxLength: 40 }), expressionText);

const anyValue = fc.jsonValue({ maxDepth: 2 });

describe("of parsing", () => {
  it("every text is an expression or has a diagnostic, in every dialect", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(COLANG_1_DIALECT, TEMPLATE_DIALECT), (text, dialect) => {
        const source = createSourceFile("main.co", text);
        const { expression, diagnostics } = parseExpression(source, 0, source.text.length, dialect);
        expect(expression === undefined).toBe(diagnostics.length > 0);
        parseArguments(source, 0, source.text.length, dialect);
        parseLiteral(text);
      }),
      { numRuns: propertyRuns(80) },
    );
  });

  it("what is printed parses to the same tree", () => {
    fc.assert(
      fc.property(expressionText, (text) => {
        const tree = parseText(text);
        expect(withoutPlaces(parseText(printExpression(tree)))).toEqual(withoutPlaces(tree));
      }),
      { numRuns: propertyRuns(50) },
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

describe("of evaluation", () => {
  it("fails only with errors of ours, gives the same twice, and changes nothing", () => {
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
      { numRuns: propertyRuns(50) },
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

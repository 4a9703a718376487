import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";

import { parseFlowReference } from "../../src/engine/flow-reference.js";

describe("parseFlowReference", () => {
  it.each<[string, string, Record<string, string | null>]>([
    ["self check input", "self check input", {}],
    ["  self   check\tinput ", "self check input", {}],
    ["level check $level=high", "level check", { level: "high" }],
    ["level check $level", "level check", { level: null }],
    ["level check $level=very high $mode=x", "level check", { level: "very high", mode: "x" }],
    ["check $a=1, $b=2", "check", { a: "1", b: "2" }],
    ["check $a=\"x $b=y\" $c='z'", "check", { a: "x $b=y", c: "z" }],
    ["check $a=b=c", "check", { a: "b=c" }],
    ["check $a=b$c", "check", { a: "b$c" }],
    ["check $a = 5", "check", { a: "5" }],
    ["check $price=$5", "check", { price: "$5" }],
    ["check $a==b", "check", { a: null }],
    ['check(k=v, k2="w")', "check", { k: "v", k2: "w" }],
    ['check (k="a, b", $l=[1, 2])', "check", { k: "a, b", l: "[1, 2]" }],
    ['check(k="a)b", l=f(x))', "check", { k: "a)b", l: "f(x)" }],
    ["check(k)", "check", { k: null }],
    ["check()", "check", {}],
    ["check(k=v", "check", { k: "v" }],
    ['check(k="v', "check", { k: '"v' }],
    ['check $k="say \\"hi\\""', "check", { k: 'say "hi"' }],
    ["don't ask $a=don't $b='x'", "don't ask", { a: "don't", b: "x" }],
    ["check $__proto__=x", "check", { ["__proto__"]: "x" }],
    ["check $a=1 $a=2", "check", { a: "2" }],
    ["$a=1", "", { a: "1" }],
    ["", "", {}],
    ["pay $", "pay", {}],
  ])("reads `%s`", (text, id, parameters) => {
    const reference = parseFlowReference(text);
    expect(reference.id).toBe(id);
    expect(reference.parameters.map(({ name, value }) => [name, value])).toEqual(Object.entries(parameters));
  });

  it("takes any text", () => {
    const pieces = fc.array(fc.constantFrom("a", " ", "$", "=", '"', "'", "(", ")", "[", ",", "\\", "b c"), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(pieces, (parts) => {
        const { id, parameters } = parseFlowReference(parts.join(""));
        expect(id).toBe(id.trim());
        for (const { name } of parameters) expect(name).toMatch(/^[A-Za-z_]\w*$/);
      }),
      { numRuns: 500 },
    );
  });
});

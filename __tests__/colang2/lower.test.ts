import { describe, expect, it } from "@jest/globals";

import { compileColang2 } from "../../src/colang2/compile.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { runGoldens } from "../support/golden-runner.js";
import { listFlow } from "./list-elements.js";

function compile(text: string): ReturnType<typeof compileColang2> {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  return compileColang2({ modules: [{ name: "main.co", ast }], needsMain: false });
}

runGoldens("colang2/lower", (text) => {
  const { program, diagnostics } = compile(text);
  expect(diagnostics.filter(isError)).toEqual([]);
  return (program?.flows ?? []).map(listFlow).join("\n\n");
});

describe("size", () => {
  const count = (line: string): number => compile(`flow a\n  ${line}`).program?.flows[0]?.elements.length ?? 0;

  it.each([
    ["match", (at: number) => `(A${at}() or B${at}())`],
    ["await", (at: number) => `(a${at} or b${at})`],
    ["start", (at: number) => `(a${at} or b${at})`],
    ["send", (at: number) => `(A${at}() or B${at}())`],
  ])("%s grows with the number of alternatives, not with their combinations", (operator, pair) => {
    const sizes = [10, 20, 40].map((pairs) =>
      count(`${operator} ${Array.from({ length: pairs }, (_, at) => pair(at)).join(" and ")}`),
    );
    const [ten = 0, twenty = 0, forty = 0] = sizes;
    expect(forty - twenty).toBe((twenty - ten) * 2);
    expect(twenty).toBeLessThan(20 * 30);
  });

  it("bodies of `when` are written once", () => {
    const nested = (depth: number, margin: string): string =>
      depth === 0
        ? `${margin}send Done()\n`
        : `${margin}when a or b\n${nested(depth - 1, `${margin}  `)}${margin}or when c\n${nested(depth - 1, `${margin}  `)}`;
    const [two = 0, three = 0, four = 0] = [2, 3, 4].map((depth) => {
      const { program } = compile(`flow f\n${nested(depth, "  ")}`);
      return program?.flows[0]?.elements.length ?? 0;
    });
    // The source itself doubles with each level here.
    expect(four - three).toBe((three - two) * 2);
  });

  it("the hash of a flow does not depend on where it stands", () => {
    const [first] = compile("flow a\n  await b\n").program?.flows ?? [];
    const [second] = compile("# remark\n\nflow a\n   await b\n").program?.flows ?? [];
    const [third] = compile("flow a\n  await c\n").program?.flows ?? [];
    expect(second?.hash).toBe(first?.hash);
    expect(third?.hash).not.toBe(first?.hash);
  });

  it("programs are plain JSON", () => {
    const { program } = compile("@meta(a=True)\nflow a $x=1\n  when b as $r or not C()\n    $y = await $r\n");
    expect(JSON.parse(JSON.stringify(program))).toEqual(program);
  });
});

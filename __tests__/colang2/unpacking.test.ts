import { describe, expect, it } from "@jest/globals";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { printColang2 } from "../../scripts/print/print-colang2.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { Driver } from "./engine-driver.js";

const CASES: readonly (readonly [title: string, expression: string, value: unknown])[] = [
  ["a dictionary in a dictionary", '{**$d, "b": 2}', { a: 1, b: 2 }],
  ["what comes later wins", '{"a": 0, **$d, "b": 3, **{"b": 4}}', { a: 1, b: 4 }],
  ["an empty one", "{**{}}", {}],
  ["a list among arguments", "max(*$l)", 3],
  ["a list between arguments", "max(0, *$l, 9)", 9],
  ["a set among arguments", "max(*{4, 2})", 4],
  ["a dictionary as named arguments", 'flow("f", **$d).arguments', { a: 1 }],
  ["among arguments of methods", '"a,b,c".split(*[","])', ["a", "b", "c"]],
];

const START = 'flow main\n  $d = {"a": 1}\n  $l = [1, 3]\n';

describe("unpacking", () => {
  it.each(CASES)("%s", (_title, expression, value) => {
    const driver = new Driver(`${START}  send X(v=${expression})\n  match Never()\n`);
    expect(driver.batch()).toMatchObject([{ type: "X", v: value }]);
  });

  it.each([
    ["a number with one star", "max(*5)"],
    ["a list with two stars", "{**$l}"],
    ["an argument given twice", 'flow("f", **$d, a=2).arguments'],
    ["too many arguments", "len(*[1, 2])"],
  ])("fails the flow for %s", (_title, expression) => {
    const driver = new Driver(
      `@active\n@loop("w")\nflow watch\n  match ColangError() as $e\n  send Wrong(what=$e.type)\n\n${START}  send X(v=${expression})\n  match Never()\n`,
    );
    expect(driver.batch()).toMatchObject([{ type: "Wrong" }]);
  });

  it("is printed as it was written", () => {
    const text = `${START}  $x = {**$d, "b": max(*$l, 4)}\n`;
    const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
    expect(diagnostics).toEqual([]);
    expect(printColang2(ast)).toContain('{**$d, "b": max(*$l, 4)}');
  });
});

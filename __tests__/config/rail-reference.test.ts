import { describe, expect, it } from "@jest/globals";

import { parseRailReference } from "../../src/config/check/rails.js";

describe("a reference to a rail", () => {
  it.each<[string, string, [string, string | null][]]>([
    ["self check input", "self check input", []],
    ["  self   check input ", "self check input", []],
    ["check $model=guard", "check", [["model", "guard"]]],
    ['check $model="my guard"', "check", [["model", "my guard"]]],
    [
      "check $a=1 $b=2",
      "check",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "check $a=1, $b=2",
      "check",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    ["check $flag", "check", [["flag", null]]],
    [
      'check(a=1, b="x, y")',
      "check",
      [
        ["a", "1"],
        ["b", "x, y"],
      ],
    ],
    ["check($a='1')", "check", [["a", "1"]]],
    ["check()", "check", []],
    ["check(a=b=c)", "check", [["a", "b=c"]]],
    ["check(a=1", "check", [["a", "1"]]],
    ['check $price="5 $ off"', "check", [["price", "5 $ off"]]],
    ["", "", []],
  ])("%j", (text, id, parameters) => {
    const reference = parseRailReference(text);
    expect(reference.id).toBe(id);
    expect([...reference.parameters]).toEqual(parameters);
  });
});

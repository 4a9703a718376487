import { describe, expect, it } from "@jest/globals";

import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { evaluate } from "../../src/expressions/evaluate.js";
import { toPythonText } from "../../src/expressions/format.js";
import { ObjectValue } from "../../src/expressions/object-value.js";
import { parseExpression } from "../../src/expressions/parse.js";
import type { Value } from "../../src/expressions/value.js";

class Job extends ObjectValue {
  readonly typeName = "Job";

  constructor(readonly uid: string) {
    super();
  }

  member(name: string): Value | undefined {
    return name === "status" ? "started" : undefined;
  }

  equals(other: Value): boolean {
    return other instanceof Job && other.uid === this.uid;
  }

  toText(): string {
    return `<job ${this.uid}>`;
  }
}

function run(text: string, variables: Readonly<Record<string, Value>> = {}): Value {
  const source = createSourceFile("main.co", text);
  const { expression, diagnostics } = parseExpression(source, 0, text.length, COLANG_2_DIALECT);
  expect(diagnostics).toEqual([]);
  if (!expression) throw new Error("no expression");
  return evaluate(expression, { lookup: (name) => variables[name] }, COLANG_2_DIALECT);
}

describe("values of Colang 2.x", () => {
  it.each([
    ["True == 1", "False"],
    ["{1, 1, 2}", "{1, 2}"],
    ["{[1], [1]}", "{[1]}"],
    ["[1] in {[1]}", "True"],
    ["{[1], 2} == {2, [1]}", "True"],
    ['"a" "b"[0]'.slice(4), "b"],
    ['"{1 + 1} {{x}}"', "2 {x}"],
    ["{}.k", "None"],
    ['"started".value', "started"],
    ["$f.status.value", "started"],
    ["$f == $g", "True"],
    ["$f is $g", "True"],
    ["$f == $h", "False"],
    ["$f == 1", "False"],
    ["not $f", "False"],
    ["[$f]", "[<job 1>]"],
  ])("%s is %s", (text, expected) => {
    const variables = { f: new Job("1"), g: new Job("1"), h: new Job("2") };
    expect(toPythonText(run(text, variables))).toBe(expected);
  });

  it.each([
    ["1 + None", "C2-401"],
    ["$f.nothing", "C2-401"],
    ["[1].upper()", "C2-402"],
  ])("%s fails with %s", (text, code) => {
    expect(() => run(text, { f: new Job("1") })).toThrow(expect.objectContaining({ code }));
  });
});

import { describe, expect, it } from "@jest/globals";

import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import { toPythonText } from "../../src/expressions/values/format.js";
import { ObjectValue, type Value } from "../../src/expressions/values/value.js";
import { parseExpression } from "../../src/expressions/parse/parse.js";

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

describe("functions of Colang 2.x", () => {
  it.each([
    ["list({1, 2})", "[1, 2]"],
    ['set("aab")', "{'a', 'b'}"],
    ["dict([['a', 1]], b=2)", "{'a': 1, 'b': 2}"],
    ['find_all("\\d+", "a1b22")', "['1', '22']"],
    ['find_all("(a)(b)?", "ab")', "[['a', 'b']]"],
    ['search("^9\\d+1$", 9771)', "True"],
    ['search("^\\d{3}$", "12")', "False"],
    ['search(regex("(?i)ABC"), "xabcx")', "True"],
    ['regex("a") == regex("a")', "True"],
    ["is_regex(regex('a'))", "True"],
    ["greater_than(3) == greater_than(3)", "True"],
    [
      "[is_int(1), is_int(True), is_int(1.5), is_float(1.5), is_bool(True), is_str('x')]",
      "[True, False, False, True, True, True]",
    ],
    [
      "[type(1), type(1.5), type(True), type('x'), type([]), type({1}), type({}), type(None), type(regex('a')), type(less_than(1))]",
      "['int', 'float', 'bool', 'str', 'list', 'set', 'dict', 'NoneType', 'Pattern', 'ComparisonExpression']",
    ],
    ["escape('a \"b\" {{c}}')", 'a \\"b\\" {{c}}'],
    ["pretty_str({'a': [1, 'x'], 'b': {}})", `{\n    "a": [\n        1,\n        "x"\n    ],\n    "b": {}\n}`],
    ["'a-b-c'.rsplit('-', 1)", "['a-b', 'c']"],
    ["' a  b c '.rsplit(None, 1)", "['a  b', 'c']"],
    ["'a\\nb\\n'.splitlines()", "['a', 'b']"],
    ["['élan'.capitalize(), 'ab'.isalpha(), ' '.isspace(), '-7'.zfill(4)]", "['Élan', True, True, '-007']"],
    ["{1, 2}.union([3]).intersection({2, 3}).difference([3])", "{2}"],
    ["[{1}.issubset([1, 2]), {1, 2}.issuperset([1])]", "[True, True]"],
    ["4 / 2", "2"],
  ])("%s is %s", (text, expected) => {
    expect(toPythonText(run(text))).toBe(expected);
  });

  it.each([
    ["$l.append(3)", { l: [1] }, "[1, 3]"],
    ["$l.extend([2, 3])", { l: [1] }, "[1, 2, 3]"],
    ["$l.insert(0, 0)", { l: [1] }, "[0, 1]"],
    ["$l.remove(1)", { l: [1, 2] }, "[2]"],
    ["$l.pop()", { l: [1, 2] }, "[1]"],
    ["$l.pop(-2)", { l: [1, 2] }, "[2]"],
    ["$l.sort(reverse=True)", { l: [1, 3, 2] }, "[3, 2, 1]"],
    ["$l.reverse()", { l: [1, 2] }, "[2, 1]"],
    ["$l.clear()", { l: [1, 2] }, "[]"],
    ["$l.copy().append(1)", { l: [] }, "[]"],
    ["$l.update({'a': 1}, b=2)", { l: {} }, "{'a': 1, 'b': 2}"],
    ["$l.update({'__proto__': 1})", { l: {} }, "{'__proto__': 1}"],
    ["$l.pop('a')", { l: { a: 1, b: 2 } }, "{'b': 2}"],
    ["$l.setdefault('a', 1)", { l: {} }, "{'a': 1}"],
    ["$l.add([1])", { l: new Set<Value>([2]) }, "{2, [1]}"],
    ["$l.discard(9)", { l: new Set<Value>([2]) }, "{2}"],
    ["$l.update([3, 2])", { l: new Set<Value>([2]) }, "{2, 3}"],
  ])("%s changes what it is called on", (text, variables, expected) => {
    run(text, variables as Readonly<Record<string, Value>>);
    expect(toPythonText(variables.l as Value)).toBe(expected);
  });

  it.each([
    "[1].remove(2)",
    "{1}.remove(2)",
    "{}.pop('a')",
    "[].pop()",
    "[1, 'a'].sort()",
    "search('(?=a)', 'a')",
    "search('a', None)",
    "less_than('a')",
    "randint(0)",
    "flow(1)",
    "dict([1])",
  ])("%s fails", (text) => {
    expect(() => run(text)).toThrow();
  });

  it("a list that cannot be sorted stays as it was", () => {
    const l = [3, "a", 1];
    expect(() => run("$l.sort()", { l })).toThrow();
    expect(l).toEqual([3, "a", 1]);
  });

  it("what only the engine knows is asked of the scope", () => {
    const asked: (readonly unknown[])[] = [];
    const text = 'flow("greet", who="Eve")';
    const source = createSourceFile("main.co", text);
    const { expression } = parseExpression(source, 0, text.length, COLANG_2_DIALECT);
    if (!expression) throw new Error("no expression");
    const answer = evaluate(
      expression,
      {
        lookup: () => undefined,
        ask: (question, given) => {
          asked.push([question, ...given]);
          return "answer";
        },
      },
      COLANG_2_DIALECT,
    );
    expect(answer).toBe("answer");
    expect(asked).toEqual([["flow", "greet", { who: "Eve" }]]);
  });
});

import { describe, expect, it } from "@jest/globals";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import { toPythonText } from "../../src/expressions/values/format.js";
import { ObjectValue, type Value } from "../../src/expressions/values/value.js";
import { parseExpression } from "../../src/expressions/parse/parse.js";
import { Driver } from "./engine-driver.js";

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
    ["[{1}.isdisjoint([2]), {1, 2}.isdisjoint([2])]", "[True, False]"],
    ["{1, 2}.symmetric_difference({2, 3})", "{1, 3}"],
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
  ])("%s changes the value it is called on", (text, variables, expected) => {
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

  it("values that only the engine knows come from the scope", () => {
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

describe("functions", () => {
  /** Functions of programs, one by one, in a running flow. */

  const source = (expression: string): string =>
    `@active
@loop("e")
flow errors
  match ColangError() as $e
  send Failed(error=$e.error)

flow job $n=1
  match Never()

flow main
  match Go() as $event
  start job as $f
  start LampAction() as $l
  $x = ${expression}
  send Shown(v=$x)
  match Never()
`;

  function run(expression: string): readonly Readonly<Record<string, unknown>>[] {
    const driver = new Driver(source(expression));
    driver.batch();
    return driver.batch({ type: "Go", n: 1 }).filter(({ type }) => !type.endsWith("LampAction"));
  }

  const ROWS: readonly (readonly [expression: string, value: unknown])[] = [
    ["len([1, 2])", 2],
    ['len("äb")', 2],
    ["len({1, 2})", 2],
    ['len({"a": 1})', 1],
    ["str(1.0)", "1"],
    ["str(1.5)", "1.5"],
    ["str(None)", "None"],
    ['str([1, "a", {"k": True}])', "[1, 'a', {'k': True}]"],
    ['int("12")', 12],
    ["int(3.9)", 3],
    ["int(-3.9)", -3],
    ["int(True)", 1],
    ['float("1.5")', 1.5],
    ["float(2)", 2],
    ['list("ab")', ["a", "b"]],
    ["list({1, 2})", [1, 2]],
    ['list({"a": 1})', ["a"]],
    ["list()", []],
    ["set([1, 1, 2])", [1, 2]],
    ["set()", []],
    ["dict(a=1)", { a: 1 }],
    ["dict()", {}],
    ["dict([[1, 2]])", { 1: 2 }],
    ['search(regex("^a"), "ab")', true],
    ['search("^b", "ab")', false],
    ['search("1", 213)', true],
    ['search("True", True)', true],
    ['find_all("a.", "abac")', ["ab", "ac"]],
    [
      'find_all("(a)(.)", "abac")',
      [
        ["a", "b"],
        ["a", "c"],
      ],
    ],
    ['find_all("a(.)", "abac")', ["b", "c"]],
    ['find_all("x", "abac")', []],
    ["less_than(3) == less_than(3)", true],
    ["less_than(3) == equal_less_than(3)", false],
    ["is_int(1)", true],
    ["is_int(1.5)", false],
    ["is_int(True)", false],
    ["is_float(1.5)", true],
    ["is_float(1)", false],
    ["is_bool(False)", true],
    ["is_bool(0)", false],
    ['is_str("")', true],
    ["is_str(1)", false],
    ['is_regex(regex("a"))', true],
    ['is_regex("a")', false],
    ["type($event)", "Event"],
    ["type($l)", "Action"],
    ["type($f)", "FlowState"],
    ['type(flow("job"))', "FlowSpec"],
    ['type(action("LampAction"))', "FlowSpec"],
    ["[type(uid()), uid() != uid()]", ["str", true]],
    ["0 <= rand() < 1", true],
    ["randint(1)", 0],
    ["randint(5) in [0, 1, 2, 3, 4]", true],
    ["is_int(randint(1000))", true],
    ['pretty_str("a")', "a"],
    ["pretty_str(None)", "None"],
    ["pretty_str([])", "[]"],
    ["pretty_str({'a': [1], 'b': {}})", '{\n    "a": [\n        1\n    ],\n    "b": {}\n}'],
    ["pretty_str([True, None, 2.5, 'q\"é\\n'])", '[\n    true,\n    null,\n    2.5,\n    "q\\"é\\n"\n]'],
    ["pretty_str([{1}, regex('a')])", '[\n    [\n        1\n    ],\n    "<Pattern a>"\n]'],
    ["escape('a\"b')", 'a\\"b'],
    ["escape('a\\\\b')", "a\\\\b"],
    ["escape('{{x}}')", "{{x}}"],
    ['flow("job", n=2).arguments', { n: 2 }],
    ['[flow("job").name, flow("job").flow_id]', ["job", "job"]],
    ['flow("unknown flow").name', "unknown flow"],
    ['action("LampAction", n=1).arguments', { n: 1 }],
    ['[flow_exists("job"), flow_exists("missing")]', [true, false]],
    ['[flow_running("job"), flow_running("missing"), flow_running("errors")]', [true, false, true]],
    ["min(3, 1, 2)", 1],
    ["max([3, 1, 2])", 3],
    ["abs(-3)", 3],
    ["round(2.567, 2)", 2.57],
    ["round(2.4)", 2],
    ["sum([1, 2, 3])", 6],
    ["sorted([3, 1, 2])", [1, 2, 3]],
    ["sorted([3, 1, 2], reverse=True)", [3, 2, 1]],
    ["[bool([]), bool([0])]", [false, true]],
  ];

  const FLOWS_INFO: readonly (readonly [expression: string, value: unknown])[] = [
    ["flows_info($f.uid).flow_id", "job"],
    ["flows_info($f.uid).loop_id", "main"],
    ["flows_info($f.uid).status", "started"],
    ["flows_info($f.uid).flow_hierarchy", ["main", "job"]],
    ["flows_info($f.uid).active_statement_at_lines", [8]],
    ["flows_info($f.uid).meta_tags", []],
    ["flows_info($self.uid).action_uids == [$l.uid]", true],
    ["flows_info($self.uid).child_flow_uids == [$f.uid]", true],
    ["flows_info($f.uid).child_flow_uids", null],
    ['flows_info("missing")', null],
    ["len(flows_info())", 3],
    ["flows_info()[$f.uid].flow_id", "job"],
  ];

  /** Calls that fail the flow, and no other flow. */
  const FAILING = [
    "len(1)",
    "len(None)",
    'int("a")',
    "int(None)",
    'float("x")',
    "list(1)",
    "set(1)",
    "set([[1], None.a])",
    'dict("ab")',
    "regex(1)",
    'regex("(")',
    'regex("(?=a)")',
    'search("a", None)',
    'search("a", [1])',
    'find_all("a", None)',
    'less_than("1")',
    "greater_than(None)",
    "equal_less_than(True)",
    "equal_greater_than([])",
    "not_equal_to(None)",
    "randint(0)",
    "randint(-1)",
    "randint(1.5)",
    "escape(1)",
    "flow(1)",
    "flow(None)",
    "action(1)",
    "flow_exists(1)",
    "flow_running(None)",
    'min(1, "a")',
    "max([])",
    'abs("a")',
    'sum(["a"])',
    "sorted([1, 'a'])",
    'int("9" * 2000000)',
  ];

  describe("functions of programs", () => {
    it.each(ROWS)("%s is %j", (expression, value) => {
      expect(run(expression)).toMatchObject([{ type: "Shown", v: value }]);
    });

    it.each(FLOWS_INFO)("%s is %j", (expression, value) => {
      expect(run(expression)).toMatchObject([{ type: "Shown", v: value }]);
    });

    it.each(FAILING)("%s fails the flow", (expression) => {
      expect(run(expression)).toMatchObject([{ type: "Failed", error: expect.any(String) }]);
    });

    it("are all in these tables", () => {
      const written = [...ROWS, ...FLOWS_INFO].map(([expression]) => expression).join(" ") + FAILING.join(" ");
      const missing = [...COLANG_2_DIALECT.functions.keys()].filter((name) => !written.includes(`${name}(`));
      expect(missing).toEqual([]);
    });

    it.each([
      ['  if search("a", "xa") and len([1]) == 1\n    send Yes()\n', ["Yes"]],
      ['  while len("{$s}") < 6\n    $s = "{$s}a"\n  send Grown(v=$s)\n', ["Grown"]],
      ["  send Sum(v=abs(-1) + max(2, 3) * len([1]))\n", ["Sum"]],
      ['  $d = {str(1): [len("ab")]}\n  send Key(v=$d["1"][0])\n', ["Key"]],
      ["  for $x in sorted([2, 1])\n    send Item(v=$x)\n", ["Item", "Item"]],
      ["  $y = (len([1]) if is_int(1) else rand())\n  send Chosen(v=$y)\n", ["Chosen"]],
      ['  priority len("a")\n  send Prior()\n', ["Prior"]],
      ["  (len([1]))\n  send Done()\n", ["Done"]],
    ])("may be used in every position: %j", (body, expected) => {
      const driver = new Driver(`flow main\n${body}  match Never()\n`);
      expect(driver.batch().map(({ type }) => type)).toEqual(expected);
    });

    it("draw random values from the state: repeatable for the same seed, and after storing", () => {
      const program = "flow main\n  while True\n    match E()\n    send R(v=[rand(), randint(100), uid()])\n";
      const play = (options: { readonly seed: number; readonly roundTrips?: boolean }): string => {
        const driver = new Driver(program, options);
        driver.batch();
        return JSON.stringify([1, 2, 3].map(() => driver.batch({ type: "E" })[0]?.["v"]));
      };
      expect(play({ seed: 1 })).toBe(play({ seed: 1, roundTrips: true }));
      expect(play({ seed: 1 })).not.toBe(play({ seed: 2 }));
    });
  });
});

import { describe, expect, it } from "@jest/globals";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { ExpressionError, LimitError } from "../../src/diagnostics/errors.js";
import type { Expression } from "../../src/expressions/ast.js";
import type { ExpressionDialect, MethodOwner } from "../../src/expressions/dialect.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import type { FunctionDefinition } from "../../src/expressions/functions/function-definition.js";
import { DEFAULT_EVALUATION_LIMITS } from "../../src/expressions/evaluate/runtime.js";
import { isObject, type Value } from "../../src/expressions/values/value.js";
import { createPromptDialect } from "../../src/llm/templates/filters/prompt.js";
import { propertyRuns } from "../support/property-runs.js";
import { failure, run, diagnose, parseText } from "./run-expression.js";

/*
 * Every operation of all dialects with its own value, with values that contain themselves and with its results: the
 * rows come from the tables of the dialects, so a new method or function is included.
 */

const TEMPLATES = createPromptDialect((events) => `${events.length} events`);
const LIMITS = { ...DEFAULT_EVALUATION_LIMITS, steps: 1000, textLength: 400, listLength: 60 };

type Holder = Value[] | Set<Value> | Record<string, Value>;

/** Values of each type; some contain themselves, some reach the same value by many paths. */
const SUBJECTS: Readonly<Record<Exclude<MethodOwner, "any">, readonly (() => Value)[]>> = {
  string: [() => "", () => "aß😀 ".repeat(30), () => " \n".repeat(100)],
  list: [
    () => [],
    () => [1, "a", [2], 3],
    () => withItself([1], (list) => (list as Value[]).push(list)),
    () => doubled(60),
    () => Array.from({ length: 59 }, (_, at) => at),
  ],
  map: [
    () => ({}),
    () => ({ a: 1, "": { b: [2] } }),
    () => withItself({ a: 1 }, (map) => Object.assign(map, { self: map })),
    () => Object.fromEntries(Array.from({ length: 59 }, (_, at) => [`k${at}`, at])),
  ],
  set: [
    () => new Set<Value>(),
    () => new Set<Value>([1, "a", [2]]),
    () => withItself(new Set<Value>([1]), (set) => (set as Set<Value>).add(set)),
    () => new Set<Value>(Array.from({ length: 59 }, (_, at) => at)),
  ],
};

function withItself(holder: Holder, add: (holder: Value & object) => void): Value {
  add(holder as Value & object);
  return holder as Value;
}

/** A list whose text would have 2 ** levels items. */
function doubled(levels: number): Value {
  let list: Value = [1];
  for (let level = 0; level < levels; level += 1) list = [list, list];
  return list;
}

const place = { start: 0, end: 1 } as const;
const x: Expression = { kind: "Variable", name: "x", ...place };
const OTHERS: readonly Expression[] = [
  x,
  { kind: "List", items: [x, x], ...place },
  { kind: "Literal", value: 3, ...place },
  { kind: "Literal", value: "a", ...place },
  { kind: "Template", parts: [x, " ", x], ...place },
];

interface Operation {
  readonly name: string;
  readonly dialect: ExpressionDialect;
  readonly subjects: readonly (() => Value)[];
  readonly expressions: readonly Expression[];
}

function argumentsOf({ minimum, maximum }: FunctionDefinition, taken: number): readonly (readonly Expression[])[] {
  const counts = new Set([minimum, Math.min(maximum, minimum + 2)].map((count) => count - taken));
  return [...counts].flatMap((count) =>
    OTHERS.map((other) => Array.from({ length: Math.max(0, count) }, (_, at) => (at === 0 ? other : x))),
  );
}

function given(values: readonly Expression[]) {
  return values.map((value) => ({ value, ...place }));
}

function methodRows(name: string, dialect: ExpressionDialect): Operation[] {
  const subjects: Record<MethodOwner, readonly (() => Value)[]> = { ...SUBJECTS, any: ALL };
  return (Object.keys(subjects) as MethodOwner[]).flatMap((type) =>
    [...dialect.methods[type].values()].map((definition) => ({
      name: `${name}: ${definition.name} of a ${type}`,
      dialect,
      subjects: subjects[type],
      expressions: argumentsOf(definition, 0).map((values) => ({
        kind: "MethodCall" as const,
        object: x,
        method: definition.name,
        arguments: given(values),
        ...place,
      })),
    })),
  );
}

const ALL = Object.values(SUBJECTS).flat();

function functionRows(name: string, dialect: ExpressionDialect): Operation[] {
  return [...dialect.functions.values()].map((definition) => ({
    name: `${name}: ${definition.name}`,
    dialect,
    subjects: ALL,
    expressions: argumentsOf(definition, 0).map((values) => ({
      kind: "Call" as const,
      function: definition.name,
      arguments: given(values),
      ...place,
    })),
  }));
}

const OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"] as const;
const COMPARISONS = ["==", "!=", "<", "<=", "in", "not in", "is"] as const;

function operatorRows(name: string, dialect: ExpressionDialect): Operation[] {
  const binary = OPERATORS.map((operator) => ({
    name: `${name}: ${operator}`,
    dialect,
    subjects: ALL,
    expressions: OTHERS.map((right) => ({ kind: "Binary" as const, operator, left: x, right, ...place })),
  }));
  const comparisons = COMPARISONS.map((operator) => ({
    name: `${name}: ${operator}`,
    dialect,
    subjects: ALL,
    expressions: OTHERS.map((operand) => ({
      kind: "Compare" as const,
      first: x,
      rest: [{ operator, operand }],
      ...place,
    })),
  }));
  return [...binary, ...comparisons];
}

const ROWS: readonly Operation[] = (
  [
    ["Colang 1.0", COLANG_1_DIALECT],
    ["Colang 2.x", COLANG_2_DIALECT],
    ["templates", TEMPLATES],
  ] as const
).flatMap(([name, dialect]) => [
  ...methodRows(name, dialect),
  ...functionRows(name, dialect),
  ...operatorRows(name, dialect),
]);

/** The largest text, list, set or map in a value; shared values are visited once. */
function largest(value: Value, met = new Set<Value>()): { text: number; items: number } {
  if (typeof value === "string") return { text: value.length, items: 0 };
  if (typeof value !== "object" || value === null || isObject(value) || met.has(value)) return { text: 0, items: 0 };
  met.add(value);
  const items: readonly Value[] = Array.isArray(value)
    ? value
    : value instanceof Set
      ? [...value]
      : Object.values(value as Record<string, Value>);
  const inner = items.map((item) => largest(item, met));
  return {
    text: Math.max(0, ...inner.map(({ text }) => text)),
    items: Math.max(items.length, ...inner.map((found) => found.items)),
  };
}

const ASK = { uid: "u", rand: 0.5, randint: 1 } as Readonly<Record<string, Value>>;

describe("an operation on itself ends, and its value is bounded", () => {
  it.each(ROWS.map((row) => [row.name, row] as const))("%s", (_, { dialect, subjects, expressions }) => {
    for (const make of subjects) {
      for (const expression of expressions) {
        let value = make();
        // Each result is the next input, as in a loop of a flow.
        for (let round = 0; round < 7; round += 1) {
          const scope = { lookup: () => value, ask: (question: string) => ASK[question] ?? null };
          let result: Value;
          try {
            result = evaluate(expression, scope, dialect, { limits: LIMITS });
          } catch (error) {
            if (!ExpressionError.isInstance(error) && !LimitError.isInstance(error)) throw error;
            break;
          }
          for (const made of [result, value]) {
            const { text, items } = largest(made);
            if (text > LIMITS.textLength || items > LIMITS.listLength) {
              throw new Error(`made ${text} characters and ${items} items from ${JSON.stringify(expression)}`);
            }
          }
          if (typeof result === "object" || typeof result === "string") value = result ?? value;
        }
      }
    }
  });
});

describe("a collection that is given to itself", () => {
  const run2 = (text: string, variables: Record<string, unknown>): Value =>
    run(text, variables, { dialect: COLANG_2_DIALECT });

  it("extends a list by its own items", () => {
    const list: unknown[] = [1, 2];
    run2("$x.extend($x)", { x: list });
    expect(list).toEqual([1, 2, 1, 2]);
  });

  it("is bounded over many calls", () => {
    const list: unknown[] = [1];
    let error: unknown;
    for (let at = 0; at < 40 && error === undefined; at += 1) {
      try {
        run2("$x.extend($x)", { x: list });
      } catch (thrown) {
        error = thrown;
      }
    }
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ limit: "listLength", maximum: 100_000 });
    expect((error as Error).message).toBe(
      "a collection grows too large (limit 100000): keep only the last items, or keep the collection in an action",
    );
    expect(list.length).toBe(65_536);
  });

  it.each([
    ["$x.update($y)", { a: 1 }],
    ["$x.update(**$y)", { a: 1 }],
    ['$x.setdefault("new", 1)', { a: 1, b: 2 }],
    ["{**$x, **$y}", { a: 1 }],
    ["dict($x, **$y)", { a: 1 }],
    ["$x.add(3)", new Set([1, 2])],
    ["$x.update([3])", new Set([1, 2])],
    ["$x.append(3)", [1, 2]],
    ["$x.insert(0, 3)", [1, 2]],
    ["max(*$x, *$x)", [1, 2]],
  ])("%s is refused when it is too large", (text, subject) => {
    const limits = { ...DEFAULT_EVALUATION_LIMITS, listLength: 2 };
    const variables = { x: subject, y: { b: 1, c: 2 } };
    expect(failure(text, variables, { dialect: COLANG_2_DIALECT, limits })).toMatchObject({ limit: "listLength" });
  });

  it.each(["$x == $y", "$x < $y", "$x in [$y]", "len(str($x))", "pretty_str($x)", "sorted([$x, $y])", '"%s" % [$x]'])(
    "%s does not expand values that are reached by many paths",
    (text) => {
      const error = failure(text, { x: doubled(60), y: doubled(60) }, { dialect: COLANG_2_DIALECT });
      expect(error).toBeInstanceOf(LimitError);
    },
  );
});

describe("a method that changes values", () => {
  it("is marked in the table of methods, and nothing else changes values", () => {
    for (const dialect of [COLANG_1_DIALECT, COLANG_2_DIALECT, TEMPLATES]) {
      for (const { name, subjects, expressions } of [...methodRows("", dialect), ...functionRows("", dialect)]) {
        for (const expression of expressions) {
          if (expression.kind === "MethodCall" && dialect.mutatingMethods.has(expression.method)) continue;
          for (const make of subjects) {
            const value = make();
            const before = shallow(value);
            try {
              evaluate(expression, { lookup: () => value }, dialect, { limits: LIMITS });
            } catch (error) {
              if (!ExpressionError.isInstance(error) && !LimitError.isInstance(error)) throw error;
            }
            const after = shallow(value);
            if (after.length !== before.length || after.some((item, at) => item !== before[at])) {
              throw new Error(`${name} changed its value`);
            }
          }
        }
      }
    }
  });

  it("does not exist in Colang 1.0", () => {
    expect([...COLANG_1_DIALECT.mutatingMethods]).toEqual([]);
  });
});

function shallow(value: Value): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  return value instanceof Set ? [...value] : Object.entries(value).flat();
}

const LENGTH = propertyRuns(524_288);

/** A long text; in `npm run fuzz` it has ten megabytes. */
function fill(part: string, before = "", after = ""): string {
  return before + part.repeat(Math.floor(LENGTH / part.length)) + after;
}

describe("a long text of", () => {
  it.each([
    ["(", "CO-121"],
    ["[", "CO-121"],
    ["{", "CO-121"],
    ["{1:", "CO-121"],
    ["-", "CO-121"],
    ["not ", "CO-121"],
    ["len(", "CO-121"],
    ["1**", "CO-121"],
    ["1 if 1 else ", "CO-121"],
    ["1+", "CO-121"],
    ["1 or ", "CO-121"],
    ["1<", "CO-121"],
    ["$a.", "CO-109"],
    ["$a[0]", "CO-109"],
    ["'", "CO-121"],
    ['"a"', "CO-121"],
    ["f'{", "CO-109"],
    ["a ", "CO-207"],
    ["a'", "CO-207"],
    ["9", "CO-109"],
    ["$", "CO-109"],
    ["\\", "CO-109"],
    ["\0", "CO-109"],
    ["=", "CO-109"],
    ["\n", "CO-109"],
    ["#", "CO-109"],
    ["😀", "CO-109"],
    ["\ud800", "CO-109"],
  ])("%j", (part, code) => {
    const found = diagnose(fill(part));
    expect(found.map((diagnostic) => diagnostic.code)).toContain(code);
    expect(found.length).toBeLessThanOrEqual(2);
    for (const { message } of found) expect(message.length).toBeLessThan(200);
  });

  it.each([
    ["formats in formats", fill("{$x:", "f'", "'"), "CO-121"],
    ["fields", fill("{1}", "f'", "'"), "CO-121"],
    ["templates in templates", fill("f'{[", "f'{["), "CO-109"],
    ["an open string", fill("a", '"""'), "CO-108"],
    ["properties", fill(".a", "$x"), "CO-121"],
    ["items", fill("1,", "[", "]"), "CO-121"],
  ])("%s", (_, text, code) => {
    expect(diagnose(text).map((diagnostic) => diagnostic.code)).toContain(code);
  });

  it.each([
    ["text", fill("a", '"', '"')],
    ["escapes", fill("\\x41", '"', '"')],
    ["braces", fill("{{", "f'", "'")],
    ["blanks", fill(" ", "1")],
    ["continuations", fill("\\\n", "", "1")],
  ])("%s is an expression", (_, text) => {
    expect(parseText(text).kind).toBe("Literal");
  });
});

describe("nesting", () => {
  it("a hundred levels are allowed, one more is not", () => {
    const nested = (levels: number): string => "(".repeat(levels) + "1" + ")".repeat(levels);
    expect(parseText(nested(99)).kind).toBe("Literal");
    expect(diagnose(nested(100))).toMatchObject([{ code: "CO-121", message: "nested more than 100 levels deep" }]);
  });

  it("five hundred operations in a row are allowed, more are not", () => {
    const sum = (terms: number): string => Array.from({ length: terms }, () => "1").join(" + ");
    expect(parseText(sum(500)).kind).toBe("Binary");
    expect(diagnose(sum(501))).toMatchObject([
      { code: "CO-121", message: "an expression of more than 500 operations in a row" },
    ]);
  });
});

import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod/v4";
import { declaresSecond, defineAction, destructuredNames, namesInSource } from "../../src/actions/define-action.js";
import { toActionDefinition } from "../../src/actions/from-value.js";
import { DiagnosticError } from "../../src/diagnostics/errors.js";
import { openBench } from "../runtime/bench.js";

describe("the parameter names of a function", () => {
  it.each([
    ["({ text }) => 1", ["text"]],
    ["async ({text,limit=3},ctx)=>1", ["text", "limit"]],
    ["async({a})=>1", ["a"]],
    ["function check({ text: value, 'other key': b, }) {}", ["text", "other key"]],
    ["async function* check ({ a /* }, */, b }) {}", ["a", "b"]],
    ["check({ a = { x: [1, ')'] }, b = f(1, 2), c: { d, e } = {} } = {}) {}", ["a", "b", "c"]],
    ["({}) => 1", []],
    ["({ a = 'quoted \\' }', b }) => 1", ["a", "b"]],
  ])("are known: %s", (source, names) => expect(namesInSource(source)).toEqual(names));

  it.each([
    "(params) => params.text",
    "params => params.text",
    "({ text, ...rest }) => 1",
    "({ [name]: text }) => 1",
    "({ a = `}` }) => 1",
    "({ a = /[}]/ }) => 1",
    "function ({ a }) { return arguments[0].b }",
    "function () { [native code] }",
    "class A { run({ a }) {} }",
    "([a]) => 1",
    "() => 1",
    "({ a",
    "({ a)",
  ])("are unknown: %s", (source) => expect(namesInSource(source)).toBeUndefined());

  it("are unknown for a value that is not a function", () => expect(destructuredNames("({ a }) => 1")).toBeUndefined());
});

describe("a second parameter of a function", () => {
  it.each([
    "({ text }, context = {}) => 1",
    "(params, ...rest) => 1",
    "(...all) => 1",
    "async ({ text, limit = f(1, 2) } = {}, { context } = {}) => 1",
    "function check(params /* , */, [context] = []) {}",
    "async *check({ a }, b) {}",
    "function (params) { return arguments[1] }",
    "function () { [native code] }",
    "(a = `)`) => 1",
    "(a = /[)]/) => 1",
    "class A { run(a) {} }",
    "['run'](a) {}",
    "(a",
  ])("is declared or possible: %s", (source) => expect(declaresSecond(source)).toBe(true));

  it.each([
    "() => 1",
    "params => (params, context)",
    "async params => 1",
    "({ text }) => f(text, 1)",
    "async({ a, b = ')', c: [d, e] = [1, 2] },) => 1",
    "function check(params /* , context */) { return g(params, 1) }",
    "async *check({ a }) {}",
  ])("is not declared: %s", (source) => expect(declaresSecond(source)).toBe(false));
});

const KINDS: readonly (readonly [string, unknown])[] = [
  ["a function", ({ text }: { text: string }) => text !== ""],
  ["an asynchronous function", async ({ text }: { text: string }, _context: unknown) => text !== ""],
  ["an object with `run`", { name: "check", run: ({ text }: { text: string }) => text !== "" }],
  [
    "a class with `run`",
    class Check {
      run({ text }: { text: string }) {
        return text !== "";
      }
    },
  ],
  ["an action without a schema", defineAction<{ text: string }>({ name: "check" }, ({ text }) => text !== "")],
  ["an action with names", defineAction({ name: "check", parameters: ["text"] }, (params) => params["text"] !== "")],
  ["an action with a zod schema", defineAction({ name: "check", params: z.object({ text: z.string() }) }, () => true)],
  [
    "an action with a JSON schema",
    defineAction({ name: "check", params: { type: "object", properties: { text: { type: "string" } } } }, () => true),
  ],
  [
    "a tool",
    tool(() => "yes", { name: "check", description: "Checks.", schema: z.object({ text: z.string().optional() }) }),
  ],
];

const OPEN: readonly (readonly [string, unknown])[] = [
  ["a function that takes them as a whole", (params: object) => Object.keys(params).length > 0],
  ["a function with a rest", ({ text, ...rest }: { text?: string }) => text === undefined && rest !== undefined],
  [
    "a loose schema",
    defineAction({ name: "check", params: z.looseObject({ text: z.string().optional() }) }, () => true),
  ],
];

const FLOWS = {
  "1.0": (given: string) => `define subflow guard\n  execute check(${given}=$user_message)\n`,
  "2.x": (given: string) =>
    `import core\nflow guard\n  global $user_message\n  await CheckAction(${given}=$user_message)\n`,
} as const;
const DIALECTS = ["1.0", "2.x"] as const;

async function load(dialect: "1.0" | "2.x", given: string, check: unknown): Promise<unknown> {
  try {
    await openBench({
      colang: FLOWS[dialect](given),
      yaml: `colang_version: "${dialect}"\nrails: {input: {flows: [guard]}}`,
      actions: { [dialect === "1.0" ? "check" : "CheckAction"]: check },
    });
    return "loaded";
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    return error.diagnostics.map(({ code, hint, span }) => [code, span?.source.text.slice(span.start, span.end), hint]);
  }
}

describe.each(DIALECTS)("an argument in Colang %s that the action does not take", (dialect) => {
  const code = dialect === "1.0" ? "CO-211" : "C2-208";

  it.each(KINDS)("is an error for %s", async (_kind, check) => {
    expect(await load(dialect, "txet", check)).toEqual([[code, "txet", "did you mean `text`?"]]);
    expect(await load(dialect, "quota", check)).toEqual([[code, "quota", "it takes `text`"]]);
    expect(await load(dialect, "text", check)).toBe("loaded");
  });

  it.each(OPEN)("is passed on to %s", async (_kind, check) => {
    expect(await load(dialect, "txet", check)).toBe("loaded");
  });
});

describe("actions of the library", () => {
  it.each([
    ["1.0", "define subflow guard\n  $ok = execute self_check_input(varaint=1)\n", "CO-211"],
    ["2.x", "import core\nflow guard\n  $ok = await SelfCheckInputAction(varaint=1)\n", "C2-208"],
  ] as const)("refuse a misspelt argument in Colang %s", async (dialect, colang, code) => {
    const yaml = `colang_version: "${dialect}"\nrails: {input: {flows: [guard]}}`;
    const error: unknown = await openBench({ colang, yaml }).catch((thrown: unknown) => thrown);
    if (!DiagnosticError.isInstance(error)) throw error;
    expect(error.diagnostics).toMatchObject([{ code, hint: "did you mean `variant`?" }]);
  });

  it("keep their names in a definition", () => {
    expect(toActionDefinition(({ a, b = 1 }: { a: number; b?: number }) => a + b, "add").accepts).toEqual(["a", "b"]);
  });
});

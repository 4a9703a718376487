import { describe, expect, it } from "@jest/globals";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { ConfigError, type DiagnosticError } from "../../src/diagnostics/errors.js";
import { CelCompiler } from "../../src/library/cel/expressions.js";
import type { ToolSubject } from "../../src/rails/tools/tool-subject.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import { engineLoadOptions } from "../../src/runtime/create/runtime-input.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { checkTool } from "../support/language-models/one-shot.js";

const DIALECTS = ["1.0", "2.x"] as const;

function compile(source: string) {
  return new CelCompiler({ args: "map", tool: "string", result: "dyn", text: "string" }).compile(source);
}

function evaluate(source: string, args: unknown, more: object = {}) {
  const compiled = compile(source);
  if (!("evaluate" in compiled)) throw new Error(compiled.message);
  return compiled.evaluate({ args, tool: "pay", result: "", text: "", ...more });
}

/** The hint for an expression that cannot be read, unless there is a better one. */
const SYNTAX = "conditions are written in CEL, such as `args.amount > 100`";

describe("expressions in CEL", () => {
  it.each<[string, unknown, "true" | "false" | "unclear"]>([
    ["args.amount > 100", { amount: 101 }, "true"],
    ["args.amount > 100", { amount: 100 }, "false"],
    ["args.amount > 100", { amount: 100.5 }, "true"],
    ["args.amount * 1.5 > 100.0", { amount: 80 }, "true"],
    ["args.amount / 2 > 40.0", { amount: 80.5 }, "true"],
    ["args.amount % 2 == 0", { amount: 80 }, "true"],
    ["args.amount > 100", {}, "unclear"],
    ["args.amount > 100", { amount: "many" }, "unclear"],
    ["args.amount > 100", null, "unclear"],
    ["has(args.amount) && args.amount > 100", {}, "false"],
    ["args.?amount.orValue(0) > 100", {}, "false"],
    ['args.to.endsWith("@example.com")', { to: "a@example.com" }, "true"],
    ['args.to.matches("(?i)^A@")', { to: "a@example.com" }, "true"],
    ['args.items.exists(x, x.name.matches("^b+$"))', { items: [{ name: "a" }, { name: "bb" }] }, "true"],
    ["args.items.all(x, x.n > 0)", { items: [{ n: 1 }, { n: -1 }] }, "false"],
    ['"urgent" in args.tags', { tags: ["urgent"] }, "true"],
    ['"x" in args', { y: 1 }, "false"],
    ["args.a == args.b", { a: { x: [1, 2.5] }, b: { x: [1, 2.5] } }, "true"],
    ['tool == "pay" && args == {"a": 1}', { a: 1 }, "true"],
    ["args.flag", { flag: true }, "true"],
    ["args.flag", { flag: "yes" }, "unclear"],
    ["args.constructor == null", {}, "unclear"],
    ["has(args.__proto__)", JSON.parse('{"a":1}'), "false"],
    ['args["constructor"] == "x"', { constructor: "x" }, "true"],
    ["int(args.n) > 100", { n: "101" }, "true"],
    ["int(args.n) > 100", { n: 101.9 }, "true"],
    ["int(args.n) > 100", { n: "" }, "unclear"],
    ["int(args.n) > 100", { n: "0b1" }, "unclear"],
    ["int(args.n) > 100", { n: "0X1" }, "unclear"],
    ["int(args.n) > 100", { n: 1e300 }, "unclear"],
    ["int(5u) == 5 && double(5u) == 5.0 && double(5) == 5.0", {}, "true"],
    ["double(args.n) > 100.0", { n: "1e5" }, "true"],
    ["double(args.n) > 100.0", { n: "nan" }, "unclear"],
    ["double(args.n) > 100.0", { n: "0x1" }, "unclear"],
    ["args.n > 5u", { n: 6 }, "true"],
    ["args.role in {1: true}", { role: "1" }, "false"],
    ["args.role in {1: true}", { role: 1 }, "true"],
    ['args.role in {"constructor": true}', { role: "constructor" }, "true"],
    ['args == {"__proto__": [1]}', JSON.parse('{"__proto__": [1]}'), "true"],
    ['{"ada": 100}[args.name] < 5', { name: "constructor" }, "unclear"],
    ['{"limit": args.n}.limit > 5', { n: 6 }, "true"],
  ])("%s of %j is %s", (source, args, outcome) => {
    expect(evaluate(source, args)).toBe(outcome);
  });

  it.each<[string, string, string | undefined]>([
    ["args.amount >", "Unexpected token: EOF (character 14)", SYNTAX],
    ["argz.amount > 1", "Unknown variable: argz (character 1)", "did you mean `args`?"],
    ["secret == 1", "Unknown variable: secret", "the variables are `args`, `tool`, `result`, `text`"],
    ["tool.lenght() > 1", "lenght", SYNTAX],
    ['args.toString() == ""', "toString", SYNTAX],
    ["1 + 1", "gives a value of type `int`", "it must give true or false"],
    ['tool + "x"', "gives a value of type `string`", "it must give true or false"],
    ["tool > 1", "no such overload", SYNTAX],
    ['tool.matches("(")', "(", "patterns are those of RE2"],
    ['tool.matches("(?=a)")', "lookaround", "patterns are those of RE2"],
    ["tool.matches(args.pattern)", "is not a text in quotes", 'write it like `matches("^a+$")`'],
    ["args.l.all(x, tool.matches(x))", "is not a text in quotes", 'write it like `matches("^a+$")`'],
    ["args.n in [1, 5u]", "an unsigned number", "write `5` instead of `5u`"],
    ["args.n in {5u: true}", "an unsigned number", "write `5` instead of `5u`"],
    ["int([1]) > 1", "no matching overload", SYNTAX],
    ["cel.bind(x, tool, x + x == tool)", "`cel.bind`", "write the value where it is used"],
    [Array.from({ length: 400 }, () => "args.a == 1").join(" || "), "maxAstNodes", SYNTAX],
    [`${"(".repeat(80)}true${")".repeat(80)}`, "maxDepth", SYNTAX],
    ["", "EOF", SYNTAX],
  ])("refuses %s", (source, message, hint) => {
    expect(compile(source)).toMatchObject({ message: expect.stringContaining(message) });
    expect(compile(source)).toHaveProperty("hint", hint);
  });

  it.each<[string, string, unknown]>([
    ["more values than the limit", "args.list.exists(x, x == 1)", { list: Array.from({ length: 10_001 }, () => 0) }],
    [
      "nested comprehensions over many values",
      "args.list.exists(x, args.list.exists(y, args.list.exists(z, x + y + z == 1)))",
      { list: Array.from({ length: 1_000 }, () => 0) },
    ],
    [
      "a pattern made to take for ever, many times",
      'args.list.exists(x, args.text.matches("(a|a)*b{50}"))',
      {
        list: Array.from({ length: 1_000 }, () => 0),
        text: "a".repeat(10_000),
      },
    ],
    ["a split into many parts", 'args.text.split("").exists(x, x == "b")', { text: "a".repeat(200_000) }],
    [
      "a long text for each of many values",
      "args.list.exists(x, args.text.contains(x))",
      {
        list: Array.from({ length: 9_000 }, () => "b"),
        text: "a".repeat(1_000_000),
      },
    ],
    ["nesting without end", "size(args) > 0", nested(200)],
    [
      "a search of a long list for each of many values",
      "args.list.exists(x, x in args.others)",
      { list: Array.from({ length: 4_900 }, () => 0), others: Array.from({ length: 4_900 }, () => 1) },
    ],
    [
      "a copy of a long list for each of many values",
      "args.list.map(x, args.list + args.list).exists(y, size(y) == 0)",
      { list: Array.from({ length: 9_000 }, () => 0) },
    ],
  ])("does not evaluate %s", (_, source, args) => {
    expect(evaluate(source, args)).toBe("unclear");
  });

  it("compares many values with a list of the expression", () => {
    const list = Array.from({ length: 9_000 }, () => "a");
    expect(evaluate('args.list.exists(x, x in ["b", "c"])', { list })).toBe("false");
  });

  it("searches a long text in linear time", () => {
    const text = `${"a".repeat(100_000)}!`;
    expect(evaluate('args.text.matches("^(a+)+$")', { text })).toBe("false");
  });
});

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level += 1) value = { value };
  return value;
}

interface Setup {
  readonly cel?: object;
  readonly rails?: object;
  readonly exceptions?: boolean;
  readonly dialect?: string;
}

async function open({ cel, rails = {}, exceptions = false, dialect = "1.0" }: Setup) {
  const config = await loadConfigFromContent(
    {
      config: {
        colang_version: dialect,
        enable_rails_exceptions: exceptions,
        rails: { ...rails, ...(cel === undefined ? {} : { config: { cel } }) },
      },
      ...(dialect === "2.x" ? { colang: "import core\nimport guardrails\n\nflow main\n  match Never()\n" } : {}),
    },
    engineLoadOptions(),
  );
  return createRuntime({ config, models: { main: undefined, byType: {} }, tracker: silentTracker });
}

const call = (args: unknown, tool = "pay", more: Partial<ToolSubject> = {}): ToolSubject => ({
  tool,
  args,
  callId: "c1",
  ...more,
});

describe.each(DIALECTS)("cel rails in Colang %s", (dialect) => {
  const cel = {
    tool_output: {
      pay: { expressions: ["args.amount > 100", 'args.to == "mal" + "lory"'] },
      look: { expressions: ["!has(args.q)"] },
    },
    tool_input: { look: { expressions: ['text.contains("secret")', "type(result) == map && result.hits > 3"] } },
  };

  it.each<[string, ToolSubject, string, string | undefined]>([
    ["no expression is true", call({ amount: 5, to: "ada" }), "passed", undefined],
    ["the first is true", call({ amount: 500, to: "ada" }), "blocked", "the expression `args.amount > 100` is true"],
    [
      "the second is true",
      call({ amount: 5, to: "mallory" }),
      "blocked",
      'the expression `args.to == "mal" + "lory"` is true',
    ],
    [
      "one cannot be evaluated",
      call({ amount: 5 }),
      "blocked",
      'the expression `args.to == "mal" + "lory"` cannot be evaluated',
    ],
    [
      "one is true, one cannot be evaluated",
      call({ to: "mallory" }),
      "blocked",
      'the expression `args.to == "mal" + "lory"` is true',
    ],
    ["the arguments are no map", call([1]), "blocked", "the expression `args.amount > 100` cannot be evaluated"],
    ["a tool has none", call({ amount: 500 }, "other"), "passed", undefined],
    ["a name is of the prototype", call({}, "constructor"), "passed", undefined],
  ])("judge a call: %s", async (_, subject, status, reason) => {
    const check = await checkTool(await open({ cel, dialect }), "tool_output", subject);
    expect(check.status).toBe(status);
    expect(check.decisions.map((decision) => decision.reason)).toEqual(subject.tool === "pay" ? [reason] : []);
    expect(check.refusal).toBe(status === "blocked" ? "This tool call was not allowed." : undefined);
    expect(JSON.stringify(check)).not.toContain("mallory");
  });

  it.each<[string, string]>([
    ['{"hits": 2}', "passed"],
    ['{"hits": 4}', "blocked"],
    ['{"hits": "many"}', "blocked"],
    ["plain text", "passed"],
    ["a secret", "blocked"],
    ['["secret"]', "blocked"],
    ["[1, 2]", "passed"],
    ["{not JSON", "passed"],
  ])("judge the result %s: %s", async (result, status) => {
    const check = await checkTool(await open({ cel, dialect }), "tool_input", call({ q: 1 }, "look", { result }));
    expect(check.status).toBe(status);
    expect(check.refusal).toBe(status === "blocked" ? "The result of this tool was withheld." : undefined);
    expect(check.decisions).toMatchObject([{ rail: "cel check tool input", stage: "execution" }]);
  });

  it("show one argument if the reference names it, for that reference alone", async () => {
    const own = { tool_output: { pay: { expressions: ["args.?amount.orValue(0) > 100"] } } };
    const rails = (...flows: readonly string[]) => ({ tool_output: { parallel: false, flows } });
    const check = async (...flows: readonly string[]) => {
      const runtime = await open({ cel: own, rails: rails(...flows), dialect });
      return (await checkTool(runtime, "tool_output", call({ amount: 500, to: "ada" }))).status;
    };
    expect(await check("cel check tool output")).toBe("blocked");
    expect(await check("cel check tool output $argument=amount", "tool call validation")).toBe("blocked");
    expect(await check("cel check tool output $argument=to", "cel check tool output")).toBe("blocked");
  });

  it("run for each tool with expressions, listed or not, once", async () => {
    const listed = async (rails: object) => {
      const runtime = await open({ cel, rails, dialect });
      return ["pay", "look", "other"].map((tool) => runtime.toolRails("tool_output", tool).length);
    };
    expect(await listed({})).toEqual([1, 1, 0]);
    expect(await listed({ tool_output: { per_tool: { pay: ["cel check tool output"] } } })).toEqual([1, 1, 0]);
    expect(await listed({ tool_output: { flows: ["cel check tool output"] } })).toEqual([1, 1, 1]);
  });

  it("raise exceptions when asked to", async () => {
    const runtime = await open({ cel, exceptions: true, dialect });
    const output = await checkTool(runtime, "tool_output", call({ amount: 500, to: "x" }));
    expect(output).toMatchObject({ status: "blocked", exception: { type: "ToolOutputRailException" } });
    const input = await checkTool(runtime, "tool_input", call({ q: 1 }, "look", { result: "secret" }));
    expect(input).toMatchObject({ status: "blocked", exception: { type: "ToolInputRailException" } });
  });

  it("report all mistakes when the configuration is loaded, with their places", async () => {
    const mistakes = {
      tool_output: { pay: { expressions: ["args.amount > 1", "argz.a == 1"] } },
      tool_input: { look: { expressions: ["size(text)"] } },
    };
    const error: unknown = await open({ cel: mistakes, dialect }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as DiagnosticError).diagnostics).toMatchObject([
      { code: "CF-104", path: "rails.config.cel.tool_output.pay.expressions[1]", hint: "did you mean `args`?" },
      { code: "CF-104", path: "rails.config.cel.tool_input.look.expressions[0]", hint: "it must give true or false" },
    ]);
  });

  it("are not listed for a tool without expressions", async () => {
    const rails = { tool_output: { per_tool: { other: ["cel check tool output"] } } };
    for (const setup of [{ cel, rails }, { rails }]) {
      const opening = open({ ...setup, dialect });
      await expect(opening).rejects.toThrow("is listed for a tool without expressions");
    }
    const opening = open({ rails: { tool_input: { flows: ["cel check tool input"] } }, dialect });
    await expect(opening).rejects.toThrow("no tool has expressions");
  });

  it("do not see the result in a call", async () => {
    const opening = open({ cel: { tool_output: { pay: { expressions: ["result == 1"] } } }, dialect });
    await expect(opening).rejects.toThrow("Unknown variable: result");
  });
});

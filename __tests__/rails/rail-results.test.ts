import { checkTool, runStage } from "../support/language-models/one-shot.js";
import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../src/actions/dispatcher.js";
import { openBench } from "../runtime/bench.js";

const user = (content: string) => [{ role: "user" as const, content }];
const generator = async ({ userMessage }: { userMessage: string }) => ({ text: `echo ${userMessage}` });

/** The same rail in both dialects: a condition over `$result`, which an action returned, decides. */
const CONDITIONS: readonly (readonly [string, string])[] = [
  ["not $result", "`not`"],
  ["not ($result)", "parentheses"],
  ['$result == "stop" or not $result', "a part of `or`"],
  ["not ($result and True)", "a part of `and`"],
  ["not (True if $result else False)", "the test of a conditional"],
  ["not bool($result)", "`bool`"],
  ["$result", "the result itself, as a sign of danger"],
];

const ASSIGNED: readonly (readonly [string, string])[] = [
  ["$copy = $result\n  if not $copy", "a copy"],
  ["$copy = $result and True\n  if not $copy", "a copy of a combination"],
  ["$copy = not $result\n  if $copy", "a copy of the opposite"],
];

const ODD: readonly (readonly [string, unknown])[] = [
  ["a date", new Date(0)],
  ["the text `no`", "no"],
  ["an empty text", ""],
  ["zero", 0],
  ["one", 1],
  ["null", null],
  ["undefined", undefined],
  ["an empty list", []],
  ["a list", ["hit"]],
  ["an empty map", {}],
  ["a map", { allowed: false }],
  ["not a number", Number.NaN],
  ["a function", () => true],
  ["a symbol", Symbol("yes")],
  ["a big integer", 1n],
  ["a promise of a text", Promise.resolve("yes")],
  ["a date as an action result", actionResult({ returnValue: new Date(0) })],
];

/** One value of each kind; the first condition of each dialect is tested with all. */
const SOME_ODD = ODD.filter(([name]) =>
  ["a date", "the text `no`", "undefined", "a map", "a promise of a text"].includes(name),
);

type Dialect = "1.0" | "2.x";
type Stage = "input" | "output";
const DIALECTS = ["1.0", "2.x"] as const;

const judge = (dialect: Dialect, test: string): string =>
  dialect === "1.0"
    ? `define bot deny\n  "Not that."\n\ndefine subflow judge\n  $result = execute judge\n  ${test}\n    bot deny\n    stop\n`
    : `import core\n\nflow judge\n  $result = await JudgeAction()\n  ${test}\n    bot say "Not that."\n    abort\n`;

const yaml = (dialect: Dialect, stage: string): string =>
  `colang_version: "${dialect}"\nrails: {${stage}: {flows: [judge]}}`;

/** Decides about one text after the other; the action of the rail returns the given value. */
async function openJudge(
  dialect: Dialect,
  stage: Stage,
  test: string,
): Promise<(returned: unknown) => Promise<string>> {
  let current: unknown;
  const work = () => current;
  const { runtime } = await openBench({
    colang: judge(dialect, test),
    yaml: yaml(dialect, stage),
    actions: dialect === "1.0" ? { judge: work } : { JudgeAction: work },
  });
  return async (returned) => {
    current = returned;
    return (await runStage(runtime, stage, { userMessage: "hi", botMessage: "ho" })).status;
  };
}

const TESTS = DIALECTS.flatMap((dialect) =>
  [...CONDITIONS.map(([test, title]) => [`if ${test}`, title] as const), ...ASSIGNED].map(([test, title], index) => {
    const stage: Stage = index % 2 === 0 ? "input" : "output";
    return { dialect, stage, test, title, values: index === 0 ? ODD : SOME_ODD };
  }),
);

describe("the result of an action that a rail tests for truth", () => {
  it.each(TESTS)(
    "fails the $stage rail of Colang $dialect unless it is a boolean, as $title",
    async ({ dialect, stage, test, values }) => {
      const statusOf = await openJudge(dialect, stage, test);
      const statuses: string[] = [];
      for (const [name, value] of values) statuses.push(`${name}: ${await statusOf(value)}`);
      expect(statuses).toEqual(values.map(([name]) => `${name}: error`));
      const isDanger = test === "if $result";
      expect([await statusOf(!isDanger), await statusOf(isDanger)]).toEqual(["passed", "blocked"]);
    },
  );
});

const PARTS: readonly (readonly [string, readonly (readonly [unknown, string])[]])[] = [
  [
    "if not $result.ok",
    [
      [{ ok: "no" }, "error"],
      [{}, "error"],
      [{ ok: true }, "passed"],
      [{ ok: false }, "blocked"],
    ],
  ],
  [
    'if not $result["ok"]',
    [
      [{ ok: 1 }, "error"],
      [{}, "error"],
      [{ ok: true }, "passed"],
    ],
  ],
  [
    'if not $result.get("ok")',
    [
      [{}, "error"],
      [{ ok: null }, "error"],
      [{ ok: false }, "blocked"],
    ],
  ],
  [
    "if $result.score > 0.5",
    [
      [{ score: 0.2 }, "passed"],
      [{ score: 0.7 }, "blocked"],
      [{ score: "high" }, "error"],
      [{}, "error"],
    ],
  ],
  [
    "if $result > 0.5",
    [
      [0.2, "passed"],
      [new Date(0), "error"],
      [Number.NaN, "error"],
      [null, "error"],
    ],
  ],
  [
    "if len($result) > 0",
    [
      [[], "passed"],
      [["hit"], "blocked"],
      [null, "error"],
    ],
  ],
  [
    'if $result != "yes"',
    [
      ["yes", "passed"],
      ["no", "blocked"],
    ],
  ],
];

describe("parts of a result", () => {
  it.each(DIALECTS.flatMap((dialect) => PARTS.map(([test, rows]) => ({ dialect, test, rows }))))(
    "decide in Colang $dialect if they are tested: `$test`",
    async ({ dialect, test, rows }) => {
      const statusOf = await openJudge(dialect, "input", test);
      const statuses: (readonly [unknown, string])[] = [];
      for (const [value] of rows) statuses.push([value, await statusOf(value)]);
      expect(statuses).toEqual(rows);
    },
  );
});

describe("rails that call other flows", () => {
  const NESTED: Readonly<Record<Dialect, string>> = {
    "1.0": `
define bot deny
  "Not that."

define subflow ask
  $result = execute judge

define subflow decide
  if not $result
    bot deny
    stop

define subflow judge
  do ask
  do decide
`,
    "2.x": `
import core

flow ask
  $answer = await JudgeAction()
  return $answer

flow decide $given
  if not $given
    bot say "Not that."
    abort

flow judge
  $result = await ask
  await decide $result
`,
  };

  it.each(DIALECTS)("fail in Colang %s unless the result is a boolean", async (dialect) => {
    let current: unknown;
    const work = () => current;
    const { runtime } = await openBench({
      colang: NESTED[dialect],
      yaml: yaml(dialect, "input"),
      actions: dialect === "1.0" ? { judge: work } : { JudgeAction: work },
    });
    for (const [, value] of ODD) {
      current = value;
      const { decisions, text } = await runtime.turn(user("hi"), { generator });
      expect([decisions.map(({ status }) => status), text]).toEqual([["error"], expect.not.stringContaining("echo")]);
    }
  });
});

const LOST: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["zero", 0],
  ["false", false],
  ["true", true],
  ["an empty list", []],
  ["an empty map", {}],
  ["a map", { text: "masked" }],
  ["a list of numbers", [1]],
];

const mask = (dialect: Dialect, variable: string): string =>
  dialect === "1.0"
    ? `define subflow judge\n  $${variable} = execute mask(text=$${variable})\n`
    : `import core\n\nflow judge\n  global $${variable}\n  $${variable} = await MaskAction(text=$${variable})\n`;

describe("a rail that rewrites a text", () => {
  const stages = [
    ["input", "user_message"],
    ["output", "bot_message"],
    ["retrieval", "relevant_chunks"],
  ] as const;
  const open = (dialect: Dialect, stage: string, variable: string, work: () => unknown) => {
    return openBench({
      colang: mask(dialect, variable),
      yaml: yaml(dialect, stage),
      actions: dialect === "1.0" ? { mask: work } : { MaskAction: work },
    });
  };

  it.each(DIALECTS.flatMap((dialect) => stages.map(([stage, variable]) => ({ dialect, stage, variable }))))(
    "fails in Colang $dialect ($stage) when its action returns no text",
    async ({ dialect, stage, variable }) => {
      let current: unknown;
      const { runtime } = await open(dialect, stage, variable, () => current);
      const subject = { userMessage: "SECRET", botMessage: "SECRET", relevantChunks: ["SECRET"] };
      for (const [, value] of LOST) {
        current = value;
        const result = await runStage(runtime, stage, subject);
        expect(result.decisions).toMatchObject([{ status: "error", metadata: { code: "RL-108" } }]);
        expect([result.status, JSON.stringify(result.decisions)]).toEqual([
          "error",
          expect.not.stringContaining("SECRET"),
        ]);
      }
    },
  );

  it.each(DIALECTS)("takes a list of texts as chunks in Colang %s", async (dialect) => {
    const { runtime } = await open(dialect, "retrieval", "relevant_chunks", () => ["one", "two"]);
    const result = await runStage(runtime, "retrieval", { relevantChunks: ["SECRET", "other"] });
    expect([result.status, result.relevantChunks]).toEqual(["modified", "one\ntwo"]);
  });

  it.each(DIALECTS)("may find nothing in nothing, in Colang %s", async (dialect) => {
    const { runtime } = await open(dialect, "input", "relevant_chunks", () => null);
    const result = await runStage(runtime, "input", { userMessage: "hi" });
    expect(result.status).toBe("passed");
  });
});

describe("rails of the library whose action is replaced", () => {
  it.each([
    ["1.0", "input", "self check input", "self_check_input"],
    ["1.0", "output", "self check output", "self_check_output"],
    ["2.x", "input", "self check input", "SelfCheckInputAction"],
    ["2.x", "output", "self check output", "SelfCheckOutputAction"],
    ["1.0", "tool_output", "regex check tool output", "check_tool_call_patterns"],
    ["1.0", "tool_input", "tool result validation", "check_tool_result"],
    ["2.x", "tool_output", "tool call validation", "CheckToolCallAction"],
    ["2.x", "tool_input", "regex check tool input", "CheckToolResultPatternsAction"],
  ] as const)("fail in Colang %s (%s) on a value that is not a verdict", async (dialect, stage, rail, action) => {
    let current: unknown;
    const { runtime } = await openBench({
      yaml: `colang_version: "${dialect}"\nrails: {${stage}: {flows: [${rail}]}}`,
      actions: { [action]: () => current },
    });
    for (const [name, value] of SOME_ODD) {
      current = value;
      const { status } =
        stage === "tool_output" || stage === "tool_input"
          ? await checkTool(runtime, stage, { tool: "pay", args: { amount: 1 }, result: "done" })
          : await runStage(runtime, stage, { userMessage: "hi", botMessage: "ho" });
      expect([name, status]).toEqual([name, "error"]);
    }
  });

  it.each(
    DIALECTS.flatMap((dialect) => (["tool_output", "tool_input"] as const).map((stage) => [dialect, stage] as const)),
  )("fail in Colang %s (%s) when arguments or result are lost", async (dialect, stage) => {
    let current: unknown;
    const work = () => current;
    const { runtime } = await openBench({
      colang: mask(dialect, stage === "tool_output" ? "tool_args" : "tool_message"),
      yaml: yaml(dialect, stage),
      actions: dialect === "1.0" ? { mask: work } : { MaskAction: work },
    });
    for (const value of [undefined, null, 0, false, [], stage === "tool_output" ? "text" : {}]) {
      current = value;
      const { status } = await checkTool(runtime, stage, { tool: "pay", args: { amount: 1 }, result: "SECRET" });
      expect([value, status]).toEqual([value, "error"]);
    }
  });
});

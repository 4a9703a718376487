import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { defineAction } from "../../../src/actions/define-action.js";
import { actionResult } from "../../../src/actions/dispatcher.js";
import type { ActionContext } from "../../../src/actions/action.js";
import type { TurnMessage, TurnOptions } from "../../../src/turn/options.js";
import { RAIL_VARIABLES } from "../../../src/engine/context-variables.js";
import { propertyRuns } from "../../support/property-runs.js";
import { openBench } from "../bench.js";

/** Statements of a random rail; `TEXT` is the variable that the rail looks at. */
const STATEMENTS = [
  ["global TEXT", "$a = await PassAction(text=TEXT)"],
  ["global TEXT", "$b = await JudgeAction(text=TEXT)"],
  ["global TEXT", "TEXT = await RewriteAction(text=TEXT)"],
  ["await SetAction()"],
  ["$n = await FailAction()"],
  ["await SpeakAction()"],
  ["$n = await LookAction()"],
  ["$v = await VerdictAction()", "$c = $v.allowed", "global $policy", "$policy = $v.policy"],
  ["$v = await VerdictAction()", "if not $v.allowed", "  bot refuse", "  abort"],
  ['start PassAction(text="x") as $ref', "match $ref.Finished()", "$a = $ref.return_value"],
  ['await PassAction(tags="x", text="y")'],
  ["$a = None", "$c = $a + 1"],
  ["global TEXT", "$c = len(TEXT)"],
  ["$c = $missing.member"],
  ["$c = $self.uid"],
  ["$i = 0", "while $i < 2", "  $i = $i + 1"],
  ["$a = True", "if $a", "  $d = 1", "else", "  $d = 2"],
  ['$b = await JudgeAction(text="bad")', "if not $b", "  bot refuse", "  abort"],
  ['$c = await PassAction(text="bad")', "if $c", "  bot remark"],
  ["bot remark"],
  ["helper"],
  ["return"],
  ['send OddRailException(message="odd")'],
  ["global $kept", "$kept = [1, 2]"],
  ["global $kept", '$kept = "kept"', "$l = $kept"],
  ["global $user_message", "$user_message = 7"],
  ["global $last_bot_message", '$last_bot_message = "forged"'],
  ["match Never()"],
];

const rail = fc.array(fc.constantFrom(...STATEMENTS), { minLength: 1, maxLength: 5 });

const setup = fc.record({
  input: fc.array(rail, { maxLength: 2 }),
  output: fc.array(rail, { maxLength: 2 }),
  verdicts: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  answer: fc.constantFrom("an answer", "", "bad words", "throws", "with evidence"),
  texts: fc.array(fc.constantFrom("hello", "a bad word", "x"), { minLength: 1, maxLength: 2 }),
  hasHistory: fc.boolean(),
  /** Flows that stand between the user and the answer. */
  override: fc.constantFrom<readonly string[]>(
    [],
    [],
    [],
    ['@override\nflow bot say $text\n  await UtteranceBotAction(script="over")'],
  ),
  /** Of events in a turn; the default and limits that end one. */
  limit: fc.option(fc.integer({ min: 1, max: 80 }), { nil: 1000, freq: 2 }),
  rails: fc.option(
    fc.record(
      { input: fc.boolean(), output: fc.boolean(), retrieval: fc.boolean(), dialog: fc.boolean() },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
});

type Setup = typeof setup extends fc.Arbitrary<infer Value> ? Value : never;

function colangOf({ input, output, override }: Setup): string {
  const flows = [
    ...input.map((lines, at) => [`inspect ${"ab"[at]}`, lines, "$user_message"] as const),
    ...output.map((lines, at) => [`review ${"ab"[at]}`, lines, "$bot_message"] as const),
  ];
  const written = flows.map(([name, statements, variable]) => {
    const lines = statements.flat().map((line) => `  ${line.replaceAll("TEXT", variable)}`);
    return [`flow ${name}`, ...lines].join("\n");
  });
  const head =
    'import core\n\nflow bot refuse\n  bot say "REFUSED"\n\nflow bot remark\n  bot say "By the way."\n\nflow helper\n  $h = 1';
  return [head, ...written, ...override].join("\n\n");
}

// Which of two rails side by side ends first is up to the ticks that each of them takes, so they run in order.
const yamlOf = ({ input, output, limit }: Setup): string => {
  const section = (stage: string, list: readonly unknown[], prefix: string): string =>
    list.length === 0
      ? ""
      : `  ${stage}:\n    parallel: false\n    flows: [${list.map((_, at) => `${prefix} ${"ab"[at]}`).join(", ")}]\n`;
  const rails = section("input", input, "inspect") + section("output", output, "review");
  const head = `colang_version: "2.x"\nmodels: []\nlimits: {events_per_turn: ${limit}}`;
  return rails === "" ? head : `${head}\nrails:\n${rails}`;
};

/** Properties of events that differ from turn to turn. */
const UNIQUE = new Set(["uid", "action_uid", "event_created_at", "action_finished_at", "action_uids"]);

/** The variables without those by which the standard library steers its rails, and those that hold nothing yet. */
function shownOf(context: Readonly<Record<string, unknown>>) {
  const isShown = ([name, value]: readonly [string, unknown]): boolean =>
    !RAIL_VARIABLES.has(name) && !(name === "last_bot_message" && value === null);
  return Object.fromEntries(Object.entries(context).filter(isShown));
}

/** Everything that a caller may see of a turn, with what its actions saw. */
async function observe(given: Setup, options: TurnOptions) {
  const seen: unknown[] = [];
  let asked = 0;
  const note = (name: string, params: object, { context, events }: ActionContext): void => {
    const shown = events.map(
      ({ uid: _u, event_created_at: _t, action_uid: _a, action_finished_at: _f, ...rest }) => rest,
    );
    seen.push({ name, params: { ...params }, context: shownOf(context), events: JSON.parse(JSON.stringify(shown)) });
  };
  const action = (name: string, run: (text: string) => unknown, verdict = true) =>
    defineAction({ name, verdict }, (params: { text?: unknown }, context) => {
      note(name, params, context);
      return run(String(params.text ?? ""));
    });
  const { verdicts } = given;
  const actions = {
    pass: action("pass", () => true),
    judge: action("judge", (text) => !text.includes("bad") && verdicts[asked++ % verdicts.length] === true),
    rewrite: action("rewrite", (text) => text.replace("bad", "good"), false),
    set: action("set", () => actionResult({ contextUpdates: { set: 1, a: false } }), false),
    verdict: action("verdict", () => ({ allowed: verdicts[asked++ % verdicts.length] === true, policy: ["one"] })),
    fail: action("fail", () => {
      throw new Error("it failed");
    }),
    speak: action("speak", () => actionResult({ events: [{ type: "Spoken" }] }), false),
    look: defineAction({ name: "look", verdict: true }, async (params: object, context) => {
      await Promise.resolve();
      note("look", params, context);
      return Object.keys(context.context).length;
    }),
  };
  let colang = colangOf(given);
  const { runtime } = await openBench({ colang, yaml: yamlOf(given), actions, bare: true });
  colang = "";
  const generator = async ({ userMessage, userMessages, rewritten, context }: Record<string, unknown>) => {
    seen.push({
      name: "generator",
      userMessage,
      userMessages,
      rewritten,
      context: shownOf(context as Readonly<Record<string, unknown>>),
    });
    if (given.answer === "throws") throw new Error("no answer");
    const evidence = given.answer === "with evidence" ? { relevantChunks: ["one", "two"] } : {};
    return { text: given.answer, value: given.answer, ...evidence };
  };
  const history: TurnMessage[] = given.hasHistory
    ? [
        { role: "user", content: "before" },
        { role: "assistant", content: "an earlier answer" },
      ]
    : [];
  const messages = [...history, ...given.texts.map((content) => ({ role: "user", content }) as const)];
  const call = { generator, ...options } as unknown as TurnOptions;
  const outcome = await runtime.turn(messages, call).then(
    ({ log, decisions, ...result }) => ({
      result: { ...result, verdict: { ...result.verdict, decisions: undefined } },
      decisions: decisions.map(({ durationMs: _d, ...rest }) => rest),
      errors: log.errors.map(({ code, message }) => `${code} ${message}`),
      warnings: log.warnings,
    }),
    (error: unknown) => ({ error: String(error) }),
  );
  const plain = (key: string, value: unknown) => {
    if (UNIQUE.has(key)) return undefined;
    // A turn that exceeds its limit ends in both ways, and names the event at which it was noticed.
    return typeof value === "string" ? value.replace(/(a turn may produce \d+ events), .*/, "$1") : value;
  };
  return JSON.parse(JSON.stringify({ outcome, seen }, plain)) as unknown;
}

describe("a turn of Colang 2.x without the engine", () => {
  it("is the same as a turn with it, whatever the rails do", async () => {
    await fc.assert(
      fc.asyncProperty(setup, async (given) => {
        const options: TurnOptions = given.rails === undefined ? {} : { rails: given.rails };
        expect(await observe(given, options)).toEqual(await observe(given, { ...options, explain: true }));
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});

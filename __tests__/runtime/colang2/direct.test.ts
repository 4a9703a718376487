import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import type { TurnOptions } from "../../../src/turn/options.js";
import { RAIL_VARIABLES } from "../../../src/engine/context-variables.js";
import { propertyRuns } from "../../support/property-runs.js";
import { observeTurn, turnFields } from "../observe-turn.js";

/** Statements of a random rail; `TEXT` is the variable that the rail reads. */
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
  ...turnFields(80),
  /** Flows between the user and the response. */
  override: fc.constantFrom<readonly string[]>(
    [],
    [],
    [],
    ['@override\nflow bot say $text\n  await UtteranceBotAction(script="over")'],
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

// The number of microtasks decides which of two concurrent rails ends first, so they run in order.
const yamlOf = ({ input, output, limit }: Setup): string => {
  const section = (stage: string, list: readonly unknown[], prefix: string): string =>
    list.length === 0
      ? ""
      : `  ${stage}:\n    parallel: false\n    flows: [${list.map((_, at) => `${prefix} ${"ab"[at]}`).join(", ")}]\n`;
  const rails = section("input", input, "inspect") + section("output", output, "review");
  const head = `colang_version: "2.x"\nmodels: []\nlimits: {events_per_turn: ${limit}}`;
  return rails === "" ? head : `${head}\nrails:\n${rails}`;
};

/** The variables, without those by which the standard library controls its rails and those without a value. */
function shownOf(context: Readonly<Record<string, unknown>>) {
  const isShown = ([name, value]: readonly [string, unknown]): boolean =>
    !RAIL_VARIABLES.has(name) && !(name === "last_bot_message" && value === null);
  return Object.fromEntries(Object.entries(context).filter(isShown));
}

const observe = (given: Setup, options: TurnOptions) => {
  const speaks = { type: "Spoken" };
  return observeTurn(given, { colang: colangOf(given), yaml: yamlOf(given), speaks, shown: shownOf }, options);
};

describe("a turn of Colang 2.x without the engine", () => {
  it("equals a turn with it, whatever the rails do", async () => {
    await fc.assert(
      fc.asyncProperty(setup, async (given) => {
        const options: TurnOptions = given.rails === undefined ? {} : { rails: given.rails };
        expect(await observe(given, options)).toEqual(await observe(given, { ...options, explain: true }));
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});

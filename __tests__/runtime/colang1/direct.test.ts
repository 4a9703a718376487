import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import type { TurnOptions } from "../../../src/turn/options.js";
import { propertyRuns } from "../../support/property-runs.js";
import { observeTurn, turnFields } from "../observe-turn.js";

/** Statements of a random rail; `TEXT` is the variable that the rail reads. */
const STATEMENTS = [
  ["$a = execute pass(text=TEXT)"],
  ["$b = execute judge(text=TEXT)"],
  ["TEXT = execute rewrite(text=TEXT)"],
  ["execute set"],
  ["$n = execute fail"],
  ["$n = execute missing_action"],
  ["execute speak"],
  ["$n = execute look"],
  ['$m = {"x": 1}', '$m.x = execute pass(text="y")'],
  ['$n.x = execute pass(text="y")'],
  ["$c = $a + 1"],
  ["$c = len(TEXT)"],
  ["$c = $event.type"],
  ["$i = 0", "while $i < 2", "  $i = $i + 1"],
  ["if $a", "  $d = 1", "else", "  $d = 2"],
  ["if not $b", "  bot refuse", "  stop"],
  ["if $c", "  bot refuse"],
  ["bot remark"],
  ["do helper"],
  ['create event OddRailException(message="odd")'],
  ["$skip_output_rails = True"],
  ["$hallucination_warning = True"],
  ["$user_message = 7"],
  ["$c = $generation_options.rails.input"],
];

const rail = fc.array(fc.constantFrom(...STATEMENTS), { minLength: 1, maxLength: 5 });

const setup = fc.record({
  input: fc.array(rail, { maxLength: 2 }),
  output: fc.array(rail, { maxLength: 2 }),
  isParallel: fc.boolean(),
  ...turnFields(45),
});

type Setup = typeof setup extends fc.Arbitrary<infer Value> ? Value : never;

function colangOf({ input, output }: Setup): string {
  const flows = [
    ...input.map((lines, at) => [`in ${at}`, lines, "$user_message"] as const),
    ...output.map((lines, at) => [`out ${at}`, lines, "$bot_message"] as const),
  ];
  const written = flows.map(([name, statements, variable]) => {
    const lines = statements.flat().map((line) => `  ${line.replaceAll("TEXT", variable)}`);
    return [`define subflow ${name}`, ...lines].join("\n");
  });
  const head =
    'define bot refuse\n  "REFUSED"\n\ndefine bot remark\n  "By the way."\n\ndefine subflow helper\n  $h = 1';
  return [head, ...written].join("\n\n");
}

const yamlOf = ({ input, output, isParallel, limit }: Setup): string => {
  // The number of microtasks decides which of two rails ends first.
  const runsAtOnce = isParallel && ![...input, ...output].flat(2).some((line) => line.includes("execute look"));
  const section = (stage: string, list: readonly unknown[], prefix: string): string =>
    list.length === 0
      ? ""
      : `  ${stage}:\n    parallel: ${runsAtOnce ? "null" : "false"}\n    flows: [${list.map((_, at) => `${prefix} ${at}`).join(", ")}]\n`;
  const rails = section("input", input, "in") + section("output", output, "out");
  const head = `models: []\nlimits: {events_per_turn: ${limit}}`;
  return rails === "" ? head : `${head}\nrails:\n${rails}`;
};

const observe = (given: Setup, options: TurnOptions) => {
  const speaks = { type: "BotIntent", intent: "remark" };
  return observeTurn(given, { colang: colangOf(given), yaml: yamlOf(given), speaks }, options);
};

describe("a turn without the engine", () => {
  it("equals a turn with it, whatever the rails do", async () => {
    await fc.assert(
      fc.asyncProperty(setup, async (given) => {
        const options: TurnOptions = given.rails === undefined ? {} : { rails: given.rails };
        expect(await observe(given, options)).toEqual(await observe(given, { ...options, explain: true }));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

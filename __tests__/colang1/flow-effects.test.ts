import { describe, expect, it } from "@jest/globals";
import { compileColang1 } from "../../src/colang1/compile.js";
import { flowEffects } from "../../src/colang1/flow-effects.js";
import { readProgramCase } from "./program-case.js";

const MESSAGES = 'define bot plain\n  "No."\ndefine bot named\n  "No, $name."\ndefine bot templated\n  "{{ name }}!"\n';

function effectsOf(source: string, given: readonly string[] = []) {
  const { program } = compileColang1(readProgramCase(MESSAGES + source).input);
  if (!program) throw new Error("does not compile");
  const { reads, writes, actions, creates, speaks, isKnown } = flowEffects(program, "rail", given);
  const list = (names: ReadonlySet<string>): string => [...names].sort().join(" ");
  return { reads: list(reads), writes: list(writes), does: list(actions), makes: list(creates), speaks, isKnown };
}

const NOTHING = { reads: "", writes: "", does: "", makes: "", speaks: false, isKnown: true };

describe("what a flow may do", () => {
  it.each<[string, string, Partial<ReturnType<typeof effectsOf>>]>([
    ["assigns before it reads", "  $a = 1\n  $b = $a", { writes: "a b" }],
    ["reads before it assigns", "  $b = $a\n  $a = 1", { reads: "a", writes: "a b" }],
    ["assigns in one branch only", "  if $c\n    $a = 1\n  $b = $a", { reads: "a c", writes: "a b" }],
    ["assigns in both branches", "  if $c\n    $a = 1\n  else\n    $a = 2\n  $b = $a", { reads: "c", writes: "a b" }],
    [
      "reads what a loop assigned before",
      "  $i = 0\n  while $i < 2\n    $x = $y\n    $y = $i\n    $i = $i + 1",
      {
        reads: "y",
        writes: "i x y",
      },
    ],
    [
      "runs an action",
      "  $ok = execute check(level=$level)\n  if not $ok\n    stop",
      {
        reads: "level",
        writes: "ok",
        does: "check",
      },
    ],
    ["sets a property of a map", "  $order.id = 1", { reads: "order", writes: "order" }],
    ["creates an event", "  create event Alarm(text=$a)", { reads: "a", makes: "Alarm" }],
    ["says a message", "  bot plain", { speaks: true }],
    ["says a message with a variable", "  bot named", { reads: "name", speaks: true }],
    ["says a message with its own variable", '  $name = "x"\n  bot named', { writes: "name", speaks: true }],
    ["calls a flow", "  $a = 1\n  do inner\ndefine subflow inner\n  $b = $a + $c", { reads: "c", writes: "a b" }],
    ["calls a flow with an argument", "  do inner(c=1)\ndefine subflow inner $c\n  $b = $c", { writes: "b c" }],
    ["reads the result of a call", "  $r = do inner\n  $b = $r\ndefine subflow inner\n  return 1", { writes: "b r" }],
    ["calls itself", "  do rail", { isKnown: false }],
    ["calls what a variable says", "  do $which", { reads: "which", isKnown: false }],
  ])("%s", (_title, body, expected) => {
    expect(effectsOf(`define subflow rail\n${body}`)).toEqual({ ...NOTHING, ...expected });
  });

  it("counts every word of a template", () => {
    expect(effectsOf("define subflow rail\n  bot templated").reads.split(" ")).toContain("name");
  });

  it("does not wait for parameters", () => {
    expect(effectsOf("define subflow rail $level\n  $a = $level", ["level"])).toEqual({
      ...NOTHING,
      writes: "a level",
    });
  });
});

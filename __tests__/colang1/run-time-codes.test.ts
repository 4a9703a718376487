import { describe, expect, it } from "@jest/globals";

import { compileColang1 } from "../../src/colang1/compile.js";
import { advance } from "../../src/colang1/engine/advance.js";
import { createState } from "../../src/colang1/engine/state.js";
import type { Colang1Program } from "../../src/colang1/elements.js";
import { Driver, said, type ScriptedAction } from "./engine/driver.js";
import { readProgramCase } from "./program-case.js";

/** Codes that only a running program can report, from the source to the report. */
function compile(source: string): Colang1Program {
  const { program } = compileColang1(readProgramCase(source).input);
  if (!program) throw new Error("does not compile");
  return program;
}

describe("CO-403: a flow that takes steps without end", () => {
  it("is a limit error that names the flow", () => {
    const program = compile("define flow spin\n  user go\n  while True\n    $n = 1");
    const state = createState(program, {}, { limits: { slideSteps: 100 } });
    expect(() => advance(program, state, { type: "UserIntent", intent: "go" })).toThrow(
      expect.objectContaining({
        code: "CO-403",
        limit: "slideSteps",
        maximum: 100,
        message: "flow `spin` takes more than 100 steps without waiting",
      }),
    );
  });
});

describe("CO-409: an action whose own event ends the flow that ran it", () => {
  const program = compile("define flow order\n  user order\n  execute look up\n  bot confirm order");

  it.each<[string, string, readonly string[], readonly string[]]>([
    ["another message", "give up", ["give up"], ["order"]],
    ["the message that comes next anyway", "confirm order", ["confirm order"], []],
  ])("%s", (_title, intent, messages, ended) => {
    const lookUp: ScriptedAction = () => ({ events: [{ type: "BotIntent", intent }] });
    const driver = new Driver(program, { actions: { "look up": lookUp } });
    expect(said(driver.send({ type: "UserIntent", intent: "order" }))).toEqual(messages);
    const warnings = driver.trace.filter((entry) => entry.type === "warning");
    expect(warnings).toEqual(
      ended.map((flow) => ({
        type: "warning",
        code: "CO-409",
        flow,
        message: `an event returned by its own action ended flow \`${flow}\``,
      })),
    );
  });
});

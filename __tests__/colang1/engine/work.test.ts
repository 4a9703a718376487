import { describe, expect, it } from "@jest/globals";
import { equalValues } from "../../../src/colang1/engine/match.js";
import { advance } from "../../../src/colang1/engine/advance.js";
import { createState } from "../../../src/colang1/engine/state.js";
import { LimitError } from "../../../src/diagnostics/errors.js";
import { compileColang1 } from "../../../src/colang1/compile.js";
import type { Colang1Program } from "../../../src/colang1/elements.js";
import { readProgramCase } from "../program-case.js";

function compileProgram(text: string): Colang1Program {
  const { program, diagnostics } = compileColang1(readProgramCase(text).input);
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return program;
}

/** The error of the engine for the first message of a user. */
function failure(body: string): unknown {
  const program = compileProgram(`define flow\n  user greet\n${body}`);
  const list = Array.from({ length: 20_000 }, (_, at) => at);
  const state = createState(program, { list, text: "ab ".repeat(20_000) });
  try {
    return advance(program, state, { type: "UserIntent", intent: "greet" });
  } catch (error) {
    return error;
  }
}

describe("an event costs what it touches", () => {
  it.each([
    ["lists that are added", "$list + [1]"],
    ["lists that are sorted", "sorted($list)"],
    ["lists that are compared", "$list == sorted($list)"],
    ["texts that are taken apart", "$text.split()"],
    ["texts that are changed", "$text.upper()"],
  ])("%s", (_, expression) => {
    const error = failure(`  while True\n    $x = ${expression}\n`);
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ limit: "workPerEvent", code: "CO-403" });
  });

  it("a condition of an event counts too", () => {
    const program = compileProgram(
      Array.from({ length: 100 }, () => 'define flow\n  event Go(x=$text.replace("a", "b"))\n  bot hi\n').join("\n"),
    );
    const state = createState(program, { text: "ab ".repeat(20_000) });
    const run = (): unknown => advance(program, state, { type: "Go", x: "" });
    expect(run).toThrow(expect.objectContaining({ limit: "workPerEvent" }));
  });
});

describe("values that are reached on many ways", () => {
  it("are not unfolded to be compared", () => {
    let [left, right]: [unknown, unknown] = [[1], [1]];
    for (let level = 0; level < 60; level += 1)
      [left, right] = [
        [left, left],
        [right, right],
      ];
    expect(equalValues(left, right)).toBe(false);
  });
});

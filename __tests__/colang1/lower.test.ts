import { describe, expect, it } from "@jest/globals";

import { compileColang1 } from "../../src/colang1/compile.js";
import { printProgram } from "./list-elements.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { type GoldenOutcome, runGoldens } from "../support/golden-runner.js";
import { readProgramCase } from "./program-case.js";

function lowerCase(source: string): GoldenOutcome {
  const { input, errors } = readProgramCase(source);
  expect(errors).toEqual([]);
  const { program, diagnostics } = compileColang1(input);
  if (!program)
    return diagnostics
      .filter(isError)
      .map(({ code, message }) => `${code}: ${message}`)
      .join("\n");
  return printProgram(program);
}

runGoldens("colang1/lower", lowerCase);

function compileText(source: string) {
  const { program } = compileColang1(readProgramCase(source).input);
  if (!program) throw new Error("does not compile");
  return program;
}

describe("a compiled flow", () => {
  it("knows where its elements come from", () => {
    const { flows } = compileText("define flow a\n\n  user x\n  if $y\n    bot z # note");
    expect(flows[0]?.location).toEqual({ file: "main.co", line: 1, column: 1 });
    expect(flows[0]?.elements.map(({ location, text }) => [location.line, location.column, text])).toEqual([
      [3, 3, "user x"],
      [4, 3, "if $y"],
      [5, 5, "bot z"],
    ]);
  });

  it("keeps its source, dedented and without blank lines", () => {
    const { flows } = compileText(
      "define flow a\n  priority 2\n\n  user x\n\n  if $y\n    bot z\n    # why\n    bot w\n\n",
    );
    expect(flows[0]?.sourceText).toBe("user x\nif $y\n  bot z\n  # why\n  bot w");
  });

  it("is plain JSON", () => {
    const program = compileText('define user a\n  "hi"\ndefine flow f\n  user a\n  $x = 1 + 2\n  bot "hi"');
    expect(JSON.parse(JSON.stringify(program))).toEqual({
      ...program,
      userMessages: { ...program.userMessages },
      botMessages: { ...program.botMessages },
    });
  });
});

describe("the hash of a flow", () => {
  const hashOf = (source: string): string | undefined => compileText(source).flows.at(-1)?.hash;
  const base = "define flow f\n  user a\n  $x = 1\n  bot b";

  it("stays when the flow moves", () => {
    expect(hashOf(`define bot b\n  "b"\n\n${base}`)).toBe(hashOf(base));
    expect(hashOf(base.replaceAll("  ", "    "))).toBe(hashOf(base));
  });

  it.each([
    ["a statement", base.replace("user a", "user c")],
    ["an expression", base.replace("= 1", "= 2")],
    ["a text", base.replace("bot b", 'bot "b"')],
    ["a flag", base.replace("define flow", "define parallel flow")],
    ["a statement more", `${base}\n  bot c`],
  ])("changes with %s", (_title, changed) => {
    expect(hashOf(changed)).not.toBe(hashOf(base));
  });

  it("distinguishes inline texts", () => {
    expect(hashOf('define flow f\n  user a\n  bot "one"')).not.toBe(hashOf('define flow f\n  user a\n  bot "two"'));
  });
});

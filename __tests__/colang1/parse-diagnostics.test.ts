import { describe, expect, it } from "@jest/globals";

import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { mark, runGoldens, unmark } from "../support/golden-runner.js";

runGoldens("colang1/diagnostics", (marked) => {
  const { text } = unmark(marked);
  const { diagnostics } = parseColang1(createSourceFile("main.co", text));
  const spans = diagnostics.flatMap(({ span }) => span ?? []);
  return { source: mark(text, spans), expected: formatDiagnostics(diagnostics) };
});

describe("limits", () => {
  it("a source that is too large is not read", () => {
    const { diagnostics } = parseColang1(createSourceFile("main.co", "define bot a\n"), { maxSourceSize: 5 });
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["CO-121", "source is larger than 5 characters"],
    ]);
  });

  it("blocks that are nested too deeply are reported once", () => {
    const lines = Array.from({ length: 150 }, (_, depth) => `${" ".repeat(depth + 1)}if $x`);
    const source = createSourceFile("main.co", `define flow a\n${lines.join("\n")}\n${" ".repeat(152)}bot x`);
    const tooDeep = parseColang1(source).diagnostics.filter(({ code }) => code === "CO-121");
    expect(tooDeep.map(({ message }) => message)).toEqual(["blocks are nested more than 100 deep"]);
  });

  it("expressions that are nested too deeply are reported", () => {
    const source = createSourceFile("main.co", `define flow a\n  $x = ${"(".repeat(5000)}1${")".repeat(5000)}`);
    expect(parseColang1(source).diagnostics.map(({ code }) => code)).toEqual(["CO-121"]);
  });

  it("problems beyond the limit are left out, but warnings never hide errors", () => {
    const source = `${"a:\n  user x (y)\n".repeat(20)}nonsense\n${"b:\n  user x (y)\n".repeat(20)}`;
    const { diagnostics } = parseColang1(createSourceFile("main.co", source), { maxProblems: 3 });
    expect(diagnostics.map(({ code }) => code)).toEqual(["CO-305", "CO-304", "CO-305", "CO-110"]);
  });
});

describe("recovery", () => {
  it("reports every problem of a file, each at its own place", () => {
    const marked = `
define user a
  «hello»
define flow a
  user a
  «exceute» x
  «if»
  bot «"one" "two"»
define «bto» b
define bot c
  «"three»
define bot d
  "four"
`;
    const { text } = unmark(marked);
    const { file, diagnostics } = parseColang1(createSourceFile("main.co", text));
    expect(
      mark(
        text,
        diagnostics.flatMap(({ span }) => span ?? []),
      ),
    ).toBe(marked);
    const codes = ["CO-107", "CO-110", "CO-109", "CO-107", "CO-110", "CO-108"];
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(file.definitions.map(({ kind, name }) => [kind, name?.text])).toEqual([
      ["UserDefinition", "a"],
      ["FlowDefinition", "a"],
      ["BotDefinition", "c"],
      ["BotDefinition", "d"],
    ]);
  });
});

import { describe, expect, it } from "@jest/globals";

import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { mark, runGoldens, unmark } from "../support/golden-runner.js";

runGoldens("colang2/diagnostics", (marked) => {
  const { text } = unmark(marked);
  const { diagnostics } = parseColang2(createSourceFile("main.co", text));
  const spans = diagnostics.flatMap(({ span }) => span ?? []);
  return { source: mark(text, spans), expected: formatDiagnostics(diagnostics) };
});

describe("limits", () => {
  it("a source that is too large is not read", () => {
    const { diagnostics } = parseColang2(createSourceFile("main.co", "flow main\n  pass"), { maxSourceSize: 5 });
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["C2-112", "source is larger than 5 characters"],
    ]);
  });

  it("blocks that are nested too deeply are reported once", () => {
    const lines = Array.from({ length: 150 }, (_, depth) => `${" ".repeat(depth + 1)}if $x`);
    const source = createSourceFile("main.co", `flow a\n${lines.join("\n")}\n${" ".repeat(152)}pass`);
    const tooDeep = parseColang2(source).diagnostics.filter(({ code }) => code === "C2-112");
    expect(tooDeep.map(({ message }) => message)).toEqual(["blocks are nested more than 100 deep"]);
  });

  it.each([
    ["an expression", `$x = ${"(".repeat(5000)}1${")".repeat(5000)}`],
    ["a group", `match ${"(".repeat(5000)}A()${")".repeat(5000)}`],
    ["negations", `match ${"not ".repeat(5000)}A()`],
  ])("%s that is nested too deeply is reported", (_, line) => {
    const { diagnostics } = parseColang2(createSourceFile("main.co", `flow a\n  ${line}`));
    expect(diagnostics.map(({ code }) => code)).toEqual(["C2-112"]);
  });

  it("problems beyond the limit are left out, but warnings never hide errors", () => {
    const source = `flow log a\n  pass\n${"flow log b\n  pass\n".repeat(20)}nonsense\n`;
    const { diagnostics } = parseColang2(createSourceFile("main.co", source), { maxProblems: 3 });
    expect(diagnostics.map(({ code }) => code)).toEqual(["C2-302", "C2-302", "C2-302", "C2-110"]);
  });
});

describe("recovery", () => {
  it("reports every problem of a module, each at its own place", () => {
    const marked = `«import»
flow first
  $x «+=»
  match «,»
    «send Nested()»
  if $y «=» 1
    send «7»
flow second
  send Fine()
`;
    const { text } = unmark(marked);
    const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
    const spans = diagnostics.flatMap(({ span }) => span ?? []);
    expect(mark(text, spans)).toBe(marked);
    const codes = ["C2-103", "C2-108", "C2-115", "C2-105", "C2-109", "C2-115"];
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(ast.flows.map(({ id, body }) => [id, body.length])).toEqual([
      ["first", 1],
      ["second", 1],
    ]);
  });
});

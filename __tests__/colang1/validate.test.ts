import { describe, expect, it } from "@jest/globals";

import { compileColang1 } from "../../src/colang1/compile.js";
import { DIAGNOSTIC_CODES } from "../../src/diagnostics/codes.js";
import { type Diagnostic, isError } from "../../src/diagnostics/diagnostic.js";
import { spanText } from "../../src/diagnostics/span.js";
import { mark, type GoldenOutcome, runGoldens, unmark } from "../support/golden-runner.js";
import { readProgramCase } from "./program-case.js";

/**
 * The codes at the beginning of a title are what the case is about; other warnings and infos are not shown.
 * Marks in the source stand around what is underlined.
 */
function checkCase(source: string, title: string): GoldenOutcome {
  const codes = new Set(title.match(/CO-\d+/g));
  const { input, errors, sources } = readProgramCase(unmark(source).text);
  expect(errors).toEqual([]);
  const { program, diagnostics } = compileColang1(input);
  expect(program === undefined).toBe(diagnostics.some(isError));
  const shown = diagnostics.filter((diagnostic) => isError(diagnostic) || codes.has(diagnostic.code));
  const marked = sources.map((one) =>
    mark(
      one.text,
      shown.flatMap(({ span }) => (span?.source === one ? [span] : [])),
    ),
  );
  return { source: marked.join("\n"), expected: shown.map(printDiagnostic).join("\n") || "nothing" };
}

function printDiagnostic({ code, severity, message, hint, labels, path, span }: Diagnostic): string {
  const lines = [`${severity} ${code}: ${message}`];
  if (!span) lines.push("  (no place)");
  if (path) lines.push(`  at ${path}`);
  for (const label of labels ?? []) {
    lines.push(`  ${label.text}: ${label.span.source.name}: ${spanText(label.span).split("\n")[0]}`);
  }
  if (hint) lines.push(`  hint: ${hint}`);
  return lines.join("\n");
}

runGoldens("colang1/semantic", checkCase);

describe("the compiler", () => {
  it("has nothing to say about nothing", () => {
    const { program, diagnostics } = compileColang1({ files: [] });
    expect(diagnostics).toEqual([]);
    expect(program).toMatchObject({ dialect: "1.0", flows: [], constants: {} });
  });

  it("uses the severities of the one table", () => {
    const { input } = readProgramCase("define flow a\n  user x\n  do b\n  stop");
    for (const { code, severity } of compileColang1(input).diagnostics) {
      expect(severity).toBe(DIAGNOSTIC_CODES[code].severity);
    }
  });
});

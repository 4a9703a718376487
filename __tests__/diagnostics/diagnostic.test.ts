import { describe, expect, it } from "@jest/globals";

import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { compileColang2 } from "../../src/colang2/compile.js";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { createDiagnostic, type Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { ExpressionDialect } from "../../src/expressions/dialect.js";
import { parseExpression } from "../../src/expressions/parse/parse.js";

/** Stands for `NAME` in the tables. */
const LONG = `l${"9".repeat(1000)}`;
const lengthen = (text: string): string => text.replaceAll("NAME", LONG);

describe("long names in diagnostics", () => {
  it.each([`$x.NAME(1)`, `$x._NAME`, `NAME(1)`, "NAME", `$x NAME`, `$x = NAME`, `len(NAME=1)`])(
    "are shortened in `%s` in both dialects",
    (text) => {
      for (const dialect of [COLANG_1_DIALECT, COLANG_2_DIALECT])
        expectShort(problemsOfExpression(lengthen(text), dialect));
    },
  );

  it.each([
    `define flow\n  do NAME`,
    `define flow NAME\n  goto NAME`,
    `define NAME x`,
    `define flow NAME\n  pass\ndefine flow NAME\n  pass`,
  ])("are shortened in a program of Colang 1.0: %s", (text) => {
    expectShort(parseColang1(createSourceFile("long.co", lengthen(text))).diagnostics);
  });

  it.each([
    `flow main\n  NAME`,
    `@NAME\nflow main\n  pass`,
    `flow main\n  match NAMEAction().BogusNAME()`,
    `flow main\n  send $x.BogusNAME()`,
    `flow NAME\n  pass\nflow NAME\n  pass\nflow main\n  NAME and NAME as $NAME`,
    `flow a $NAME $NAME\n  pass\nflow main\n  start a(NAME=1, NAME=2)`,
  ])("are shortened in a program of Colang 2.x: %s", (text) => {
    const { ast, diagnostics } = parseColang2(createSourceFile("long.co", lengthen(text)));
    expectShort(diagnostics);
    expectShort(compileColang2({ modules: [{ name: "long.co", ast }], needsMain: false }).diagnostics);
  });

  it("are cut behind a whole character", () => {
    const { message } = createDiagnostic("CO-204", `unknown subflow \`${"a".repeat(98)}${"😀".repeat(9)}\``);
    expect(message).toBe(`unknown subflow \`${"a".repeat(98)}…\``);
  });

  it("leave what stands between two quotes as it is", () => {
    const message = `the rail \`a\` failed, ${"so that ".repeat(20)}\`b\` is asked, and \`${"c".repeat(101)}\` is not`;
    const expected = message.replace("c".repeat(101), `${"c".repeat(99)}…`);
    expect(createDiagnostic("CO-204", message).message).toBe(expected);
  });

  it("stay whole up to a hundred characters", () => {
    const message = `unknown subflow \`${"a".repeat(100)}\``;
    expect(createDiagnostic("CO-204", message, { hint: message })).toMatchObject({ message, hint: message });
  });
});

function problemsOfExpression(text: string, dialect: ExpressionDialect): readonly Diagnostic[] {
  return parseExpression(createSourceFile("long.co", text), 0, text.length, dialect).diagnostics;
}

function expectShort(diagnostics: readonly Diagnostic[]): void {
  for (const { message, hint = "" } of diagnostics) {
    expect(message.length).toBeLessThanOrEqual(400);
    expect(hint.length).toBeLessThanOrEqual(400);
  }
}

import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import {
  createSourceFile,
  lineText,
  positionAt,
  createSpan,
  locationOf,
  spanText,
} from "../../src/diagnostics/source-file.js";
import { formatDiagnostic, formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { createDiagnostic, type Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { unmark } from "../support/golden-runner.js";
import { didYouMean, suggest } from "../../src/diagnostics/suggestion.js";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { compileColang2 } from "../../src/colang2/compile.js";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import type { ExpressionDialect } from "../../src/expressions/dialect.js";
import { parseExpression } from "../../src/expressions/parse/parse.js";
import { propertyRuns } from "../support/property-runs.js";

describe("a source file", () => {
  it.each([
    ["", [0]],
    ["a", [0]],
    ["a\n", [0, 2]],
    ["\n\n", [0, 1, 2]],
    ["a\r\nb", [0, 3]],
    ["a\rb", [0]],
    ["a\u2028b", [0]],
  ])("the lines of %j begin at %j", (text, lineStarts) => {
    expect(createSourceFile("a.co", text).lineStarts).toEqual(lineStarts);
  });

  it("drops one byte-order mark, and only at the beginning", () => {
    expect(createSourceFile("a.co", "\uFEFFab").text).toBe("ab");
    expect(createSourceFile("a.co", "\uFEFF\uFEFFab").text).toBe("\uFEFFab");
    expect(createSourceFile("a.co", "a\uFEFFb").text).toBe("a\uFEFFb");
  });

  it.each([
    ["«ab", 1, 1],
    ["ab«", 1, 3],
    ["ab«\ncd", 1, 3],
    ["ab\n«cd", 2, 1],
    ["ab\ncd\n«", 3, 1],
    ["«", 1, 1],
    ["🙂«x", 1, 3],
  ])("%j is line %i, column %i", (marked, line, column) => {
    const source = createSourceFile("a.co", marked.replace("«", ""));
    expect(positionAt(source, marked.indexOf("«"))).toEqual({ line, column });
  });

  it.each([
    [-5, { line: 1, column: 1 }],
    [99, { line: 2, column: 2 }],
  ])("an offset outside (%i) means the nearest one inside", (offset, expected) => {
    expect(positionAt(createSourceFile("a.co", "a\nb"), offset)).toEqual(expected);
  });

  it.each([
    [1, "ab"],
    [2, "cd"],
    [3, ""],
    [4, ""],
    [0, ""],
    [-1, ""],
  ])("line %i has the text %j", (line, expected) => {
    expect(lineText(createSourceFile("a.co", "ab\r\ncd\n"), line)).toBe(expected);
  });

  it("positions and offsets agree everywhere", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "\t", "🙂"), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.nat(50), (content, offset) => {
        const source = createSourceFile("a.co", content);
        const { line, column } = positionAt(source, offset);
        const start = source.lineStarts[line - 1] as number;
        expect(start + column - 1).toBe(Math.min(offset, content.length));
        expect(content.slice(0, start).split("\n")).toHaveLength(line);
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("a span", () => {
  const source = createSourceFile("a.co", "one\ntwo");

  it.each([
    [4, 7, "two"],
    [4, 99, "two"],
    [-4, 3, "one"],
    [5, 2, ""],
    [99, 100, ""],
  ])("from %i to %i lies inside its source", (start, end, text) => {
    const span = createSpan(source, start, end);
    expect(spanText(span)).toBe(text);
    expect(span.start).toBeLessThanOrEqual(span.end);
    expect(span.end).toBeLessThanOrEqual(source.text.length);
  });

  it("becomes plain data", () => {
    expect(locationOf(createSpan(source, 5, 6))).toEqual({ file: "a.co", line: 2, column: 2 });
  });
});

/** The frame of the marked text, without the headline. */
function frame(marked: string): string[] {
  const { text, ranges } = unmark(marked);
  const [range] = ranges;
  if (!range) throw new Error("nothing is marked");
  const span = createSpan(createSourceFile("a.co", text), range.start, range.end);
  return formatDiagnostic(createDiagnostic("CO-110", "odd", { span }))
    .split("\n")
    .slice(1);
}

describe("a code frame", () => {
  it.each<[string, string, readonly string[]]>([
    ["a word", "define flow a\n  «exceute» x", ["  ┌ a.co:2:3", "2 │   exceute x", "  │   ^^^^^^^"]],
    ["a tab keeps its width", "\t\tbot «x»", ["  ┌ a.co:1:7", "1 │ \t\tbot x", "  │ \t\t    ^"]],
    ["a tab inside the mark is one place", "«a\tb»", ["  ┌ a.co:1:1", "1 │ a\tb", "  │ ^^^"]],
    ["the end of a line is not shown", "a «bc»\r\nd", ["  ┌ a.co:1:3", "1 │ a bc", "  │   ^^"]],
    ["the line end itself", "ab«\r\n»c", ["  ┌ a.co:1:3", "1 │ ab", "  │   ^"]],
    ["several lines: the first", "a «b\nc» d", ["  ┌ a.co:1:3", "1 │ a b", "  │   ^"]],
    ["characters beyond U+FFFF", "🙂🙂 «🙂» x", ["  ┌ a.co:1:6", "1 │ 🙂🙂 🙂 x", "  │      ^^"]],
    ["an empty mark", "a «»b", ["  ┌ a.co:1:3", "1 │ a b", "  │   ^"]],
    ["the end of a source", "ab\n«»", ["  ┌ a.co:2:1", "2 │ ", "  │ ^"]],
    ["the end of a source without a line end", "ab«»", ["  ┌ a.co:1:3", "1 │ ab", "  │   ^"]],
    ["an empty source", "«»", ["  ┌ a.co:1:1", "1 │ ", "  │ ^"]],
    ["a line number of two digits", `${"\n".repeat(9)}«x»`, ["   ┌ a.co:10:1", "10 │ x", "   │ ^"]],
  ])("%s", (_title, marked, expected) => {
    expect(frame(marked)).toEqual(expected);
  });

  it.each<[string, string, string, string]>([
    ["the end of a long line is left out", `«ab»${"c".repeat(300)}`, `ab${"c".repeat(158)}`, "^^"],
    ["a mark that exceeds the shown part is truncated", `«${"c".repeat(300)}»`, "c".repeat(160), "^".repeat(160)],
    [
      "a distant position is shown with the text around it",
      `${"a".repeat(1000)}«bc»${"d".repeat(1000)}`,
      `${"a".repeat(39)}bc${"d".repeat(119)}`,
      `${" ".repeat(39)}^^`,
    ],
    [
      "no character is split at the beginning",
      `${"a".repeat(160)}🙂${"b".repeat(38)}«c»`,
      `🙂${"b".repeat(38)}c`,
      `${" ".repeat(40)}^`,
    ],
    ["no character is split at the end", `«a»${"b".repeat(158)}🙂`, `a${"b".repeat(158)}`, "^"],
  ])("%s", (_title, marked, line, underline) => {
    const [, shown, below] = frame(marked);
    expect([shown, below]).toEqual([`1 │ ${line}`, `  │ ${underline}`]);
  });
});

describe("a diagnostic as text", () => {
  const source = createSourceFile("main.co", "define flow a\ndefine flow a");
  const first = createSpan(source, 0, 13);
  const second = createSpan(source, 14, 27);

  it("has headline, position, labels and hint", () => {
    const labels = [{ span: first, text: "first defined here" }];
    const diagnostic = createDiagnostic("CO-201", "flow `a` is defined twice", {
      span: second,
      labels,
      hint: "rename",
    });
    expect(formatDiagnostic(diagnostic)).toBe(
      [
        "error[CO-201]: flow `a` is defined twice",
        "  ┌ main.co:2:1",
        "2 │ define flow a",
        "  │ ^^^^^^^^^^^^^",
        "  ┌ main.co:1:1",
        "1 │ define flow a",
        "  │ ------------- first defined here",
        "  hint: rename",
      ].join("\n"),
    );
  });

  it.each([
    [{ path: "rails.input" }, "warning[CF-201]: nothing\n  at rails.input"],
    [{}, "warning[CF-201]: nothing"],
    [{ hint: "" }, "warning[CF-201]: nothing"],
  ])("%j without a position in a source", (details, expected) => {
    expect(formatDiagnostic(createDiagnostic("CF-201", "nothing", details))).toBe(expected);
  });

  it("several are printed below each other", () => {
    const one = createDiagnostic("CO-315", "a");
    expect(formatDiagnostics([one, one])).toBe("info[CO-315]: a\ninfo[CO-315]: a");
    expect(formatDiagnostics([])).toBe("");
  });
});

describe("a suggestion", () => {
  it.each<[string, readonly string[], string | undefined]>([
    ["inptu", ["input", "output"], "input"],
    ["exceute", ["execute", "event"], "execute"],
    ["Execute", ["execute"], "execute"],
    ["if", ["elif", "if"], undefined],
    ["fi", ["if", "else"], "if"],
    ["bot expres greeting", ["bot express greeting", "bot inform"], "bot express greeting"],
    ["price", ["weather"], undefined],
    ["a", ["b"], "b"],
    ["abc", ["xyz"], undefined],
    ["", ["a"], undefined],
    ["same", ["same"], undefined],
    ["naïve", ["naive"], "naive"],
    ["x".repeat(81), ["x".repeat(80)], undefined],
  ])("for %j among %j is %j", (word, candidates, expected) => {
    expect(suggest(word, candidates)).toBe(expected);
  });

  it("finds a name of which letters were inserted, removed and replaced", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 12, maxLength: 20 });
    const edit = fc.record({ at: fc.nat(19), removed: fc.nat(1), inserted: fc.constantFrom("", "x") });
    const property = fc.property(letters, fc.array(edit, { minLength: 1, maxLength: 3 }), (name, edits) => {
      const word = edits.reduce(
        (text, { at, removed, inserted }) => text.slice(0, at) + inserted + text.slice(at + removed),
        name,
      );
      fc.pre(word !== name);
      // Nothing of this name is in the word, so that more edits lie between them than a suggestion allows.
      expect(suggest(word, ["z".repeat(word.length), name])).toBe(name);
    });
    fc.assert(property);
  });

  it("is the first of two equally similar names", () => {
    expect(suggest("labek", ["label", "laber"])).toBe("label");
  });

  it("compares a bounded number of names, whatever its input", () => {
    let seen = 0;
    function* names(): Generator<string> {
      for (;;) yield `name${(seen += 1)}`;
    }
    expect(suggest("something else", names())).toBeUndefined();
    expect(seen).toBeLessThan(3000);
  });

  it("reads as a sentence", () => {
    expect(didYouMean("inptu", new Set(["input"]))).toBe("did you mean `input`?");
    expect(didYouMean("inptu", [])).toBeUndefined();
  });
});

/** The name for `NAME` in the tables. */
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

  it("are shortened after a whole character", () => {
    const { message } = createDiagnostic("CO-204", `unknown subflow \`${"a".repeat(98)}${"😀".repeat(9)}\``);
    expect(message).toBe(`unknown subflow \`${"a".repeat(98)}…\``);
  });

  it("keep text between two quotes as it is", () => {
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

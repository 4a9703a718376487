import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { compileColang1 } from "../../src/colang1/compile.js";
import type { CompileFile } from "../../src/colang1/compile-input.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { isError, type Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile, spanText } from "../../src/diagnostics/source-file.js";
import { readProgramCase } from "./program-case.js";
import { resolveActionName } from "../../src/colang1/merge-definitions.js";
import { parseFlowReference } from "../../src/engine/flow-reference.js";
import { printProgram } from "./list-elements.js";
import { type GoldenOutcome, runGoldens, mark, unmark } from "../support/golden-runner.js";
import { DIAGNOSTIC_CODES } from "../../src/diagnostics/codes.js";
import { flowEffects } from "../../src/colang1/flow-effects.js";
import { propertyRuns } from "../support/property-runs.js";

function fileOf(text: string, origin: CompileFile["origin"] = "root", name = "main.co"): CompileFile {
  return { file: parseColang1(createSourceFile(name, text)).file, origin };
}

describe("compileColang1", () => {
  it("returns all diagnostics and no program if there is an error", () => {
    const { program, diagnostics } = compileColang1({ files: [fileOf("define flow a\n  user x\n  do b\n  goto c")] });
    expect(program).toBeUndefined();
    expect(diagnostics.filter(isError).map((one) => one.code)).toEqual(["CO-204", "CO-202"]);
  });

  it("passes constants on", () => {
    const constants = { config: { custom_data: { mode: "open" } } };
    expect(compileColang1({ files: [], constants }).program?.constants).toEqual(constants);
  });

  it("is the same for the same input", () => {
    const compile = () => compileColang1({ files: [fileOf("define flow a\n  user x\n  bot y")] }).program;
    expect(compile()).toEqual(compile());
  });

  it("has another hash if anything but a position changes", () => {
    const hashOf = (text: string) => compileColang1({ files: [fileOf(text)] }).program?.hash;
    const text = 'define bot y\n  "Y."\ndefine flow a\n  user x\n  bot y\n';
    expect(hashOf(`\n\n${text}`)).toBe(hashOf(text));
    expect(hashOf(text.replace("Y.", "Z."))).not.toBe(hashOf(text));
    expect(hashOf(text.replace("user x", "user z"))).not.toBe(hashOf(text));
    expect(hashOf(`${text}define flow b\n  bot y\n`)).not.toBe(hashOf(text));
  });

  it.each([
    ["examples", "define user a\n", '  "a"\n', 130_000],
    ["variants", "define bot a\n", '  "a"\n', 130_000],
    ["lines that are too deep", "define flow a\n  user x\n", "    bot y\n", 130_000],
    ["alternatives", "define flow a\n  any\n", (at: number) => `    user x${at}\n`, 30_000],
    [
      "branches",
      "define flow a\n  user x\n",
      (at: number) => `${at === 0 ? "  " : "  else "}when user x${at}\n    bot y\n`,
      20_000,
    ],
  ])("reads very many %s", (_title, header, line, count) => {
    const lines = Array.from({ length: count }, (_, at) => (typeof line === "string" ? line : line(at)));
    const { file } = parseColang1(createSourceFile("main.co", header + lines.join("")));
    const { diagnostics } = compileColang1({ files: [{ file, origin: "root" }] });
    expect(diagnostics.filter(isError)).toEqual([]);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("treats `%s` as an ordinary name", (name) => {
    const text = `define bot ${name}\n  "text"\ndefine user ${name}\n  "example"\ndefine flow ${name}\n  user ${name}\n  bot ${name}\n  do ${name}`;
    const { program, diagnostics } = compileColang1({ files: [fileOf(text)] });
    expect(diagnostics).toEqual([]);
    expect(Object.entries(program?.botMessages ?? {})).toEqual([[name, ["text"]]]);
    expect(Object.entries(program?.userMessages ?? {})).toEqual([[name, ["example"]]]);
    expect(Object.getPrototypeOf(program?.botMessages)).toBeNull();
  });

  it("reports unknown flows, messages and labels that are names of object properties", () => {
    const { diagnostics } = compileColang1({
      files: [fileOf("define flow a\n  user x\n  do constructor\n  goto toString")],
      rails: { input: [{ text: "__proto__" }] },
    });
    expect(diagnostics.filter(isError).map((one) => one.code)).toEqual(["CO-204", "CO-202", "CO-209"]);
  });

  it("prefers the order of origins to the order of the list", () => {
    const files = [
      fileOf("define flow a\n  user x\n  bot library", "library", "l.co"),
      fileOf("define flow a\n  user x\n  bot root", "root", "r.co"),
    ];
    expect(compileColang1({ files }).program?.flows.map((flow) => flow.location.file)).toEqual(["r.co"]);
  });

  it("compiles the valid parts of a broken file", () => {
    const { file } = parseColang1(
      createSourceFile("main.co", "define flow a\n  user x\n  if\n    bot y\n  when\n  $x ="),
    );
    expect(() => compileColang1({ files: [{ file, origin: "root" }] })).not.toThrow();
  });

  it("compiles deep nesting and long flows", () => {
    const deep = Array.from({ length: 90 }, (_, depth) => `${"  ".repeat(depth + 1)}if $x`).join("\n");
    const text = `define flow a\n${deep}\n${"  ".repeat(92)}bot y\n${"  bot z\n".repeat(2000)}`;
    expect(compileColang1({ files: [fileOf(text)] }).program?.flows[0]?.elements).toHaveLength(2091);
  });

  it("handles endless chains of calls", () => {
    const links = Array.from({ length: 1000 }, (_, index) => `define subflow f${index}\n  do f${(index + 1) % 1000}`);
    const { input, errors } = readProgramCase(["@input f0", ...links].join("\n"));
    expect(errors).toEqual([]);
    expect(compileColang1(input).program?.flows).toHaveLength(1000);
  });
});

describe("resolveActionName", () => {
  const known = new Set(["check_stock", "fetch order", "HTTPGet", "both ways", "both_ways", "run action"]);
  it.each<[string, string | undefined, boolean]>([
    ["check_stock", "check_stock", false],
    ["CheckStock", "check_stock", false],
    ["CheckStockAction", "check_stock", false],
    ["check_stockAction", "check_stock", false],
    ["check stock", "check_stock", true],
    ["fetch order", "fetch order", false],
    ["fetch_order", "fetch order", true],
    ["HTTPGet", "HTTPGet", false],
    ["both ways", "both ways", false],
    ["run_action", "run action", true],
    ["checkstock", undefined, false],
    ["", undefined, false],
  ])("finds `%s`", (written, name, loose) => {
    const found = resolveActionName(written, { has: (one) => known.has(one) });
    expect(found).toEqual(name === undefined ? undefined : { name, loose });
  });
});

describe("parseFlowReference", () => {
  it.each<[string, string, Record<string, string | null>]>([
    ["self check input", "self check input", {}],
    ["  self   check\tinput ", "self check input", {}],
    ["level check $level=high", "level check", { level: "high" }],
    ["level check $level", "level check", { level: null }],
    ["level check $level=very high $mode=x", "level check", { level: "very high", mode: "x" }],
    ["check $a=1, $b=2", "check", { a: "1", b: "2" }],
    ["check $a=\"x $b=y\" $c='z'", "check", { a: "x $b=y", c: "z" }],
    ["check $a=b=c", "check", { a: "b=c" }],
    ["check $a=b$c", "check", { a: "b$c" }],
    ["check $a = 5", "check", { a: "5" }],
    ["check $price=$5", "check", { price: "$5" }],
    ["check $a==b", "check", { a: null }],
    ['check(k=v, k2="w")', "check", { k: "v", k2: "w" }],
    ['check (k="a, b", $l=[1, 2])', "check", { k: "a, b", l: "[1, 2]" }],
    ['check(k="a)b", l=f(x))', "check", { k: "a)b", l: "f(x)" }],
    ["check(k)", "check", { k: null }],
    ["check()", "check", {}],
    ["check(k=v", "check", { k: "v" }],
    ['check(k="v', "check", { k: '"v' }],
    ['check $k="say \\"hi\\""', "check", { k: 'say "hi"' }],
    ["don't ask $a=don't $b='x'", "don't ask", { a: "don't", b: "x" }],
    ["check $__proto__=x", "check", { ["__proto__"]: "x" }],
    ["check $a=1 $a=2", "check", { a: "1" }],
    ["$a=1", "", { a: "1" }],
    ["", "", {}],
    ["pay $", "pay", {}],
  ])("reads `%s`", (text, id, parameters) => {
    const reference = parseFlowReference(text);
    expect(reference.id).toBe(id);
    expect(reference.parameters.map(({ name, value }) => [name, value])).toEqual(Object.entries(parameters));
  });

  it("accepts any text", () => {
    const pieces = fc.array(fc.constantFrom("a", " ", "$", "=", '"', "'", "(", ")", "[", ",", "\\", "b c"), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(pieces, (parts) => {
        const { id, parameters } = parseFlowReference(parts.join(""));
        expect(id).toBe(id.trim());
        for (const { name } of parameters) expect(name).toMatch(/^[A-Za-z_]\w*$/);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

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
  it("records the positions of its elements", () => {
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

/**
 * The codes at the beginning of a title are those under test; other warnings and infos are not shown. Marks in the
 * source enclose the underlined text.
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
  it("returns an empty program for no sources", () => {
    const { program, diagnostics } = compileColang1({ files: [] });
    expect(diagnostics).toEqual([]);
    expect(program).toMatchObject({ dialect: "1.0", flows: [], constants: {} });
  });

  it("uses the severities of the table of codes", () => {
    const { input } = readProgramCase("define flow a\n  user x\n  do b\n  stop");
    for (const { code, severity } of compileColang1(input).diagnostics) {
      expect(severity).toBe(DIAGNOSTIC_CODES[code].severity);
    }
  });
});

const MESSAGES = 'define bot plain\n  "No."\ndefine bot named\n  "No, $name."\ndefine bot templated\n  "{{ name }}!"\n';

function effectsOf(source: string, given: readonly string[] = []) {
  const { program } = compileColang1(readProgramCase(MESSAGES + source).input);
  if (!program) throw new Error("does not compile");
  const { reads, writes, actions, creates, emitsText: speaks, isKnown } = flowEffects(program, "rail", given);
  const list = (names: ReadonlySet<string>): string => [...names].sort().join(" ");
  return { reads: list(reads), writes: list(writes), does: list(actions), makes: list(creates), speaks, isKnown };
}

const NOTHING = { reads: "", writes: "", does: "", makes: "", speaks: false, isKnown: true };

describe("effects of a flow", () => {
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
    ["utters a message", "  bot plain", { speaks: true }],
    ["utters a message with a variable", "  bot named", { reads: "name", speaks: true }],
    ["utters a message with its own variable", '  $name = "x"\n  bot named', { writes: "name", speaks: true }],
    ["calls a flow", "  $a = 1\n  do inner\ndefine subflow inner\n  $b = $a + $c", { reads: "c", writes: "a b" }],
    ["calls a flow with an argument", "  do inner(c=1)\ndefine subflow inner $c\n  $b = $c", { writes: "b c" }],
    ["reads the result of a call", "  $r = do inner\n  $b = $r\ndefine subflow inner\n  return 1", { writes: "b r" }],
    ["calls itself", "  do rail", { isKnown: false }],
    ["calls a flow that a variable names", "  do $which", { reads: "which", isKnown: false }],
  ])("%s", (_title, body, expected) => {
    expect(effectsOf(`define subflow rail\n${body}`)).toEqual({ ...NOTHING, ...expected });
  });

  it("counts every word of a template", () => {
    expect(effectsOf("define subflow rail\n  bot templated").reads.split(" ")).toContain("name");
  });

  it("writes its parameters instead of reading them first", () => {
    expect(effectsOf("define subflow rail $level\n  $a = $level", ["level"])).toEqual({
      ...NOTHING,
      writes: "a level",
    });
  });
});

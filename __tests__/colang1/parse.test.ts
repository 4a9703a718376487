import { describe, expect, it } from "@jest/globals";
import { array, assert, constantFrom, property, string } from "fast-check";
import { anyCharacter } from "../support/any-character.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { formatFile } from "./format-tree.js";
import { printColang1 } from "../../scripts/print/print-colang1.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { runGoldens, mark, unmark } from "../support/golden-runner.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { CORPORA } from "../../scripts/fuzz/corpus.js";
import { generateText } from "../../scripts/fuzz/mutate.js";
import { Random } from "../../scripts/fuzz/random.js";
import { FUZZ_TARGETS } from "../../scripts/fuzz/targets.js";
import { propertyRuns } from "../support/property-runs.js";

/** The parse cases: the expected tree, then the expected codes. */
interface ParseCase {
  readonly source: string;
  readonly tree: string;
  readonly codes?: readonly string[];
}

/** Puts statements into a flow. */
function inFlow(...lines: readonly string[]): string {
  return ["define flow f", ...lines.map((line) => `  ${line}`)].join("\n");
}

function flow(...statements: readonly string[]): string {
  return ['(flow "f"', ...statements.map((statement) => `  ${statement}`)].join("\n").concat(")");
}

const CASES: Readonly<Record<string, ParseCase>> = {
  "P01 variants": { source: 'define bot a\n  "one"\n  "two"', tree: '(bot "a" "one" "two")' },
  "P02 two blocks of one name": {
    source: 'define bot a\n  "one"\ndefine bot a\n  "two"',
    tree: '(bot "a" "one")\n(bot "a" "two")',
  },
  "P03 text over several lines": { source: 'define bot a\n  "one\n   two"', tree: '(bot "a" "one\\ntwo")' },
  "P04 text never closed": {
    source: 'define bot a\n  "one\ndefine bot b\n  "two"',
    tree: '(bot "a")\n(bot "b" "two")',
    codes: ["CO-108"],
  },
  "P05 links are verbatim": {
    source: 'define bot a\n  "see [x](http://h)"',
    tree: '(bot "a" "see [x](http://h)")',
  },
  "P06 backticks are verbatim": { source: 'define bot a\n  "type `ls`"', tree: '(bot "a" "type `ls`")' },
  "P07 words of the prompt are verbatim": {
    source: 'define bot a\n  "in this context user data"',
    tree: '(bot "a" "in this context user data")',
  },
  "P08 dollars are verbatim": { source: 'define user a\n  "in $city"', tree: '(user "a" "in $city")' },
  "P09 single quotes": { source: "define user a\n  'hi'", tree: '(user "a" "hi")' },
  "P10 no quotes": { source: "define user a\n  hi", tree: '(user "a")', codes: ["CO-107"] },
  "P11 intent without examples": { source: "define user a", tree: '(user "a")' },
  "P12 message without texts": { source: "define bot a", tree: '(bot "a")' },
  "P13 header at the end": { source: "define flow a", tree: '(flow "a")', codes: ["CO-104"] },
  "P14 capital letter": {
    source: 'Define flow a\n  user x\ndefine bot b\n  "two"',
    tree: '(bot "b" "two")',
    codes: ["CO-110"],
  },
  "P15 no definition at all": { source: "# nothing here\n\nimport x\n", tree: '(import "x")' },
  "P15 another version": { source: "flow a\n  match UserSaid()", tree: "", codes: ["CO-101"] },
  "P16 byte-order mark": { source: "\uFEFFdefine flow a\n  user x", tree: '(flow "a"\n  (match (user x)))' },
  "P17 carriage returns": { source: "define flow a\r\n  user x\r\n", tree: '(flow "a"\n  (match (user x)))' },
  "P18 tabs": { source: "define flow a\n\tuser x", tree: '(flow "a"\n  (match (user x)))', codes: ["CO-103"] },
  "P19 body not deeper": {
    source: inFlow("if $x", "bot a"),
    tree: flow("(if", "  ($x))", "(say a)"),
    codes: ["CO-104"],
  },
  "P20 assignment without blanks": { source: inFlow("$x=1"), tree: flow("(set $x 1)") },
  "P21 adding": { source: inFlow("$x += 2"), tree: flow("(set $x (+ $x 2))") },
  "P21 subtracting a sum": { source: inFlow("$x -= $a - $b"), tree: flow("(set $x (- $x (- $a $b)))") },
  "P22 number sign in single quotes": { source: inFlow("$x = 'a#b'"), tree: flow('(set $x "a#b")') },
  "P23 elif": {
    source: inFlow("if $a", "  bot a", "elif $b", "  bot b"),
    tree: flow("(if", "  ($a", "    (say a)))", "(say b)"),
    codes: ["CO-110"],
  },
  "P24 backslash": { source: inFlow("$x = 1 + \\", "  2"), tree: flow("(set $x (+ 1 2))") },
  "P25 trailing or": {
    source: inFlow("if $a or", "  $b", "  bot x"),
    tree: flow("(if", "  ((or $a $b)", "    (say x)))"),
  },
  "P26 literals": {
    source: inFlow('execute act(a="x, y", b=[1,2], c={"k": 1}, d=None)'),
    tree: flow('(run act a="x, y" b=[1 2] c={"k":1} d=null)'),
  },
  "P27 bracket in a string": { source: inFlow('execute act(a="hi :)")'), tree: flow('(run act a="hi :)")') },
  "P28 bare word": { source: inFlow("execute act(a=foo)"), tree: flow("(run act)"), codes: ["CO-207"] },
  "P29 else after when": {
    source: inFlow("when user a", "  bot x", "else", "  bot y"),
    tree: flow("(when", "  ((user a)", "    (say x)))"),
    codes: ["CO-110"],
  },
  "P30 unnamed flows": {
    source: "define flow\n  user a\ndefine flow\n  user a",
    tree: "(flow _\n  (match (user a)))\n(flow _\n  (match (user a)))",
  },
  "P31 one name twice": {
    source: "define flow z\n  user a\ndefine flow z\n  user b",
    tree: '(flow "z"\n  (match (user a)))\n(flow "z"\n  (match (user b)))',
  },
  "P32 unknown label": { source: inFlow("goto nowhere"), tree: flow("(goto nowhere)") },
  "P33 comment lines": { source: inFlow("# a", "# b", "bot x"), tree: flow('(say x #"a\\nb")') },
  "P34 docstring": { source: inFlow('"""doc"""', "bot x"), tree: '(flow "f" doc:"doc"\n  (say x))' },
  "P35 trailing comment": { source: inFlow("bot x # note"), tree: flow("(say x)") },
  "P36 modifiers": {
    source: "define parallel extension flow a\n  user x",
    tree: '(flow "a" parallel extension\n  (match (user x)))',
  },
  "P37 parameters in the name": {
    source: "define subflow check $level\n  bot x",
    tree: '(subflow "check" $level\n  (say x))',
  },
  "P38 negative priority": {
    source: inFlow("priority -1", "user x"),
    tree: flow("(match (user x))"),
    codes: ["CO-110"],
  },
  "P39 trailing colon": { source: inFlow("user ask price:"), tree: flow("(match (user ask price))") },
  "P40 several events": { source: inFlow("infer", "  event A", "  event B"), tree: flow("(emit A)", "(emit B)") },
};

describe("parse cases", () => {
  it.each(Object.entries(CASES))("%s", (_, { source, tree, codes }) => {
    const { file, diagnostics } = parseColang1(createSourceFile("main.co", source));
    expect(formatFile(file)).toBe(tree);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(codes ?? []);
  });
});

/** The tree of each program; its printed text must give the same tree and the same text again. */
runGoldens("colang1/trees", (text) => {
  const { file, diagnostics } = parseColang1(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  const tree = formatFile(file);
  const printed = printColang1(file);
  const again = parseColang1(createSourceFile("main.co", printed));
  expect(formatFile(again.file)).toBe(tree);
  expect(printColang1(again.file)).toBe(printed);
  return tree;
});

runGoldens("colang1/print", (text) => {
  const { file, diagnostics } = parseColang1(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  return printColang1(file);
});

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

const { parser } = FUZZ_TARGETS;

describe("any text", () => {
  it("made by changing valid sources gives diagnostics inside the source, or a tree that prints and parses again", () => {
    const random = new Random(20261121);
    const check = (): void => parser.check(generateText(random, CORPORA.parser, parser.tokens));
    for (let run = 0; run < propertyRuns(80); run += 1) expect(check).not.toThrow();
  });

  it("made of tokens gives diagnostics inside the source, or a tree that prints and parses again", () => {
    const token = constantFrom(...parser.tokens);
    assert(
      property(array(token, { maxLength: 60 }), (tokens) => parser.check(`define flow f\n  ${tokens.join("")}`)),
      { numRuns: propertyRuns(40), seed: 7 },
    );
  });

  it("of any characters gives diagnostics inside the source, or a tree that prints and parses again", () => {
    assert(
      property(string({ unit: anyCharacter, maxLength: 200 }), (text) => parser.check(text)),
      { numRuns: propertyRuns(40), seed: 11 },
    );
  });
});

describe("large texts", () => {
  const HEADER = "define flow f\n";
  const PIECES: Readonly<Record<string, string>> = {
    statements: "  bot x\n",
    "unknown words": "  nonsense \u0000\u0001\n",
    "unclosed brackets": "  execute act(\n",
    "unclosed brackets on one line": "(",
    "alternating brackets": "[{(",
    "unclosed texts": '  "a\n',
    "quotes on one line": '"a" ',
    "apostrophes on one line": "\\' ",
    commas: "event A(k, ",
    alternatives: "user a or ",
    blanks: "  ",
    "names with parentheses": "  user a (b\n",
    variables: "$x ",
    comments: "#\n",
    docstrings: '"""\n',
    operators: "1 + ",
    signs: "-",
    not: "not ",
    definitions: "define flow\n",
    backslashes: "\\\n",
    dots: "$x.a",
    colons: ":",
  };

  it.each(Object.entries(PIECES))("of %s are read in linear time", (_, piece) => {
    const text = piece.repeat(Math.ceil(20_000 / piece.length));
    for (const source of [text, `${HEADER}  $x = ${text}`, `${HEADER}  user ${text}`, `define bot b\n  "${text}`]) {
      const { diagnostics } = parseColang1(createSourceFile("main.co", source));
      expect(diagnostics.length).toBeLessThanOrEqual(1500);
    }
  });

  it("of ever deeper blocks are read to the end", () => {
    const lines = Array.from({ length: 1200 }, (_, depth) => `${" ".repeat(depth)}if $x`);
    const { diagnostics } = parseColang1(createSourceFile("main.co", `define flow f\n${lines.join("\n")}`));
    expect(diagnostics.map(({ code }) => code)).toContain("CO-121");
  });
});

import { expect, describe, it } from "@jest/globals";
import { array, assert, constantFrom, property, string } from "fast-check";
import { anyCharacter } from "../support/any-character.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { printColang2 } from "../../scripts/print/print-colang2.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { runGoldens, mark, unmark } from "../support/golden-runner.js";
import { formatModule } from "./format-tree.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { Random } from "../../scripts/fuzz/random.js";
import { colang1Text, colang2Text } from "../../scripts/fuzz/printed-sources.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { printColang1 } from "../../scripts/print/print-colang1.js";
import { CORPORA } from "../../scripts/fuzz/corpus.js";
import { generateText } from "../../scripts/fuzz/mutate.js";
import { FUZZ_TARGETS } from "../../scripts/fuzz/targets.js";
import { propertyRuns } from "../support/property-runs.js";

/** The tree of each module; its printed text must give the same tree and the same text again. */
runGoldens("colang2/trees", (text) => {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  const tree = formatModule(ast);
  const printed = printColang2(ast);
  const again = parseColang2(createSourceFile("main.co", printed));
  expect(again.diagnostics.filter(isError)).toEqual([]);
  expect(formatModule(again.ast)).toBe(tree);
  expect(printColang2(again.ast)).toBe(printed);
  return tree;
});

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
    expect(diagnostics.map(({ message }) => / and \d+ more \w+ follow$/.exec(message)?.[0])).toEqual([
      undefined,
      undefined,
      " and 18 more warnings follow",
      undefined,
    ]);
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

/** The printed text, and the tree without positions and spelling variants; undefined for errors. */
type Read = (text: string) => { readonly printed: string; readonly tree: string } | undefined;

const readColang1: Read = (text) => {
  const { file, diagnostics } = parseColang1(createSourceFile("main.co", text));
  return diagnostics.some(isError) ? undefined : { printed: printColang1(file), tree: plain(file) };
};

const readColang2: Read = (text) => {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text), { maxProblems: 1 });
  return diagnostics.some(isError) ? undefined : { printed: printColang2(ast), tree: plain(ast) };
};

const FORMS: ReadonlySet<string> = new Set(["start", "end", "form", "isParenthesised", "isImplicit", "docstring"]);

function plain(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => {
    if (FORMS.has(key) || /span$/i.test(key)) return undefined;
    if (typeof value === "number" && !Number.isFinite(value)) return String(value);
    return key === "id" && typeof value === "string" && value.startsWith("anonymous-") ? "anonymous" : value;
  });
}

function expectSame(read: Read, text: string): boolean {
  const first = read(text);
  if (first === undefined) return false;
  const again = read(first.printed);
  expect({ text, tree: again?.tree }).toEqual({ text, tree: first.tree });
  expect(again?.printed).toBe(first.printed);
  return true;
}

describe("a printed tree parses to the same tree", () => {
  it.each([
    ["Colang 1.0", readColang1, colang1Text, 120, 60],
    ["Colang 2.x", readColang2, colang2Text, 150, 10],
  ] as const)("%s, of generated sources", (_, read, make, runs, least) => {
    const random = new Random(20261122);
    let sound = 0;
    for (let run = 0; run < runs; run += 1) if (expectSame(read, make(random))) sound += 1;
    expect(sound).toBeGreaterThan(least);
  });

  it.each([
    ["a group that begins with a constant", "None and $t or n"],
    ["a group that begins with a variable", "$e() and p or r $a"],
    ["a group in a group in front", "(a or b) and c"],
    ["a flow named like a function, in a group", "(flow $n.x and e())"],
    ["a flow named like a function", "(flow $n.x)"],
    ["an event of a flow named like a function", "(flow $n.x).Finished()"],
    ["a flow named like a function, in a group in front", "(len $n.x or a) and b"],
    ["a value of a flow named like a function", "$v = (len $n.x or a) and b"],
    ["groups of one kind", "(a and b) and (c and d) or (e or f)"],
    ["a group that is not", "not (a and b) or c"],
    ["a constant as a name in front of a member", "True $r.Finish"],
    ["a constant as a name with a text", '(b True "x").Finished()'],
    ["such a name in a group", "None $r.Finish and $t or n"],
  ])("%s", (_, statement) => {
    expect(expectSame(readColang2, `flow f\n  ${statement}\n`)).toBe(true);
  });
});

const { colang2 } = FUZZ_TARGETS;

describe("any text", () => {
  it("made by changing valid sources gives diagnostics inside the source, or a tree that compiles, prints and parses again", () => {
    const random = new Random(20261121);
    const check = (): void => colang2.check(generateText(random, CORPORA.colang2, colang2.tokens));
    for (let run = 0; run < propertyRuns(40); run += 1) expect(check).not.toThrow();
  });

  it("made of tokens gives diagnostics inside the source, or a tree that compiles, prints and parses again", () => {
    const token = constantFrom(...colang2.tokens);
    assert(
      property(array(token, { maxLength: 60 }), (tokens) => colang2.check(`flow f\n  ${tokens.join("")}`)),
      { numRuns: propertyRuns(30), seed: 7 },
    );
  });

  it("of any characters gives diagnostics inside the source, or a tree that compiles, prints and parses again", () => {
    assert(
      property(string({ unit: anyCharacter, maxLength: 200 }), (text) => colang2.check(text)),
      { numRuns: propertyRuns(30), seed: 11 },
    );
  });
});

describe("texts in which fuzzing found bugs", () => {
  it.each([
    ["arguments of a variable in front of members", "flow a\n  $o $r.Finished()\n"],
    ["a name that is the word of an operation", "flow a\n  (await($x))\n"],
    ["such a name in front of others", "flow a\n  (start b) and c as $d\n"],
    ["a long name that begins with a keyword", `flow return ${"again ".repeat(100)}\n  pass\n`],
    ["a long number in braces", `flow a\n  bot say "{${"1".repeat(300)}}"\n`],
    ["such a name with a member", "flow a\n  $y = (log($x)).Finished() or b\n"],
  ])("%s", (_, text) => {
    expect(() => colang2.check(text)).not.toThrow();
  });
});

describe("large texts", () => {
  const PIECES: Readonly<Record<string, string>> = {
    statements: "  send X()\n",
    "unknown words": "  nonsense \u0000\u0001\n",
    "unclosed brackets": "  send X(\n",
    "unclosed brackets on one line": "(",
    "unclosed texts": '  "a\n',
    quotes: '"a" ',
    alternatives: "a or ",
    "lines that go on": "  or a\n",
    comments: "#\n",
    "long strings": '"""\n',
    operators: "1 + ",
    not: "not ",
    definitions: "flow\n",
    dots: ".a",
    decorators: "@a\n",
  };

  it.each(Object.entries(PIECES))("of %s are read to the end", (_, piece) => {
    const text = `flow f\n  match ${piece.repeat(Math.ceil(20_000 / piece.length))}`;
    const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
    expect(ast.kind).toBe("Module");
    expect(diagnostics.length).toBeLessThanOrEqual(1500);
  });
});

import { describe, expect, it } from "@jest/globals";
import { array, assert, constantFrom, property, string } from "fast-check";

import { CORPORA } from "../../scripts/fuzz/corpus.js";
import { generateText } from "../../scripts/fuzz/mutate.js";
import { Random } from "../../scripts/fuzz/random.js";
import { FUZZ_TARGETS } from "../../scripts/fuzz/targets.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { propertyRuns } from "../support/property-runs.js";

const { parser } = FUZZ_TARGETS;

describe("any text", () => {
  it("made by changing sound sources gives diagnostics inside the source, or a tree that prints and parses again", () => {
    const random = new Random(20261121);
    const check = (): void => parser.check(generateText(random, CORPORA.parser, parser.tokens));
    for (let run = 0; run < propertyRuns(200); run += 1) expect(check).not.toThrow();
  });

  it("made of tokens does the same", () => {
    const token = constantFrom(...parser.tokens);
    assert(
      property(array(token, { maxLength: 60 }), (tokens) => parser.check(`define flow f\n  ${tokens.join("")}`)),
      { numRuns: propertyRuns(100), seed: 7 },
    );
  });

  it("of any characters does the same", () => {
    assert(
      property(string({ unit: "binary", maxLength: 200 }), (text) => parser.check(text)),
      { numRuns: propertyRuns(100), seed: 11 },
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

  it.each(Object.entries(PIECES))("of %s are read in time", (_, piece) => {
    const text = piece.repeat(Math.ceil(40_000 / piece.length));
    for (const source of [text, `${HEADER}  $x = ${text}`, `${HEADER}  user ${text}`, `define bot b\n  "${text}`]) {
      const { diagnostics } = parseColang1(createSourceFile("main.co", source));
      expect(diagnostics.length).toBeLessThanOrEqual(1500);
    }
  });

  it("of ever deeper blocks are read", () => {
    const lines = Array.from({ length: 1200 }, (_, depth) => `${" ".repeat(depth)}if $x`);
    const { diagnostics } = parseColang1(createSourceFile("main.co", `define flow f\n${lines.join("\n")}`));
    expect(diagnostics.map(({ code }) => code)).toContain("CO-121");
  });
});

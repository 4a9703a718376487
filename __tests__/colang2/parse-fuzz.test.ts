import { describe, expect, it } from "@jest/globals";
import { array, assert, constantFrom, property, string } from "fast-check";

import { CORPORA } from "../../scripts/fuzz/corpus.js";
import { generateText } from "../../scripts/fuzz/mutate.js";
import { Random } from "../../scripts/fuzz/random.js";
import { FUZZ_TARGETS } from "../../scripts/fuzz/targets.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { propertyRuns } from "../support/property-runs.js";

const { colang2 } = FUZZ_TARGETS;

describe("any text", () => {
  it("made by changing sound sources gives diagnostics inside the source, or a tree that compiles, prints and parses again", () => {
    const random = new Random(20261121);
    const check = (): void => colang2.check(generateText(random, CORPORA.colang2, colang2.tokens));
    for (let run = 0; run < propertyRuns(80); run += 1) expect(check).not.toThrow();
  });

  it("made of tokens does the same", () => {
    const token = constantFrom(...colang2.tokens);
    assert(
      property(array(token, { maxLength: 60 }), (tokens) => colang2.check(`flow f\n  ${tokens.join("")}`)),
      { numRuns: propertyRuns(60), seed: 7 },
    );
  });

  it("of any characters does the same", () => {
    assert(
      property(string({ unit: "binary", maxLength: 200 }), (text) => colang2.check(text)),
      { numRuns: propertyRuns(60), seed: 11 },
    );
  });
});

describe("texts in which long runs found bugs", () => {
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

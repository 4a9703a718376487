import { describe, expect, it } from "@jest/globals";
import { Random } from "../../scripts/fuzz/random.js";
import { colang1Text, colang2Text } from "../../scripts/fuzz/printed-sources.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { printColang1 } from "../../scripts/print/print-colang1.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { printColang2 } from "../../scripts/print/print-colang2.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";

/** The printed text, and the tree without places and without the ways in which the same can be written; undefined for errors. */
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

describe("a printed text is read as the tree that it was printed from", () => {
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

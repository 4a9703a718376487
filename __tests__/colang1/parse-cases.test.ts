import { describe, expect, it } from "@jest/globals";

import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { formatFile } from "./format-tree.js";

/** The parse cases of spec Appendix C: the tree that comes out, then the codes that are reported. */
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

import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import * as yaml from "js-yaml";
import { readPlainYaml } from "../../src/config/yaml/plain-yaml.js";
import { parseYaml } from "../../src/config/yaml/read-yaml.js";
import { propertyRuns } from "../support/property-runs.js";

const PLAIN = [
  "main",
  "check words",
  "self check $x",
  "a - b",
  "a/b.c",
  "_x",
  "y",
  "No",
  "true",
  "-0.0",
  "0.60",
  "12",
  "-1",
];
const QUOTED = [
  '"1.0"',
  '"a: b # c"',
  '""',
  "'a'",
  "'x \"y\"'",
  "[]",
  "[a]",
  "[a, 'b c', 1]",
  "[ a ,b ]",
  '["a, b", true]',
];
const ODD = [
  "TRUE",
  "null",
  "007",
  "1e3",
  "1_000",
  "0x1F",
  "2024-01-02",
  "1.2.3",
  "1 2",
  ".5",
  "-",
  "--",
  "...",
  "~",
  "+1",
  "1.",
  '"a\\n"',
  "'it''s'",
  "'a' b",
  "[a,]",
  "[a b: c]",
  "[[a]]",
  "{ a: b }",
  "&x a",
  "*x",
  "!t a",
  "|",
  ">-",
  "a: b",
  "a #b",
  "a# b",
  "a:",
  "? a",
  "<<",
  "%a",
  "@a",
  "a:b",
  "a,b",
  "- a",
  "é",
  "a\tb",
  "1234567890123456789",
  "0.1234567",
  "a:  ",
];
const ODD_KEYS = ["null", "True", "1", "a.b", "'q'", "<<", "a ", "- a", "-", "- - a", "?", "-  a", "__proto__", "a  b"];

const often = fc.constantFrom(...PLAIN, ...QUOTED);
const key = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("a", "b", "c d", "x-y", "_", "on") },
  fc.constantFrom(...ODD_KEYS),
);
const value = fc.oneof({ weight: 20, arbitrary: often }, fc.constantFrom(...ODD));
const after = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("", " ", "  # note") },
  fc.constantFrom(" #", "#", "\t", "\r", "  x"),
);
const between = fc.oneof(
  { weight: 20, arbitrary: fc.constant([]) },
  fc.constantFrom([""], ["  "], ["# a"], ["     # a"], ["---"], ["..."]),
);
const shift = fc.oneof({ weight: 20, arbitrary: fc.constant("  ") }, fc.constantFrom("", " ", "    "));

/** Lines of nested maps and lists, some of them unusual. */
function blockOf(depth: number): fc.Arbitrary<string[]> {
  const leaf = fc.tuple(value, after).map(([text, end]) => [` ${text}${end}`]);
  const inner = depth === 0 ? leaf : fc.oneof(leaf, nestedIn(depth), fc.constant([""]));
  const entry = fc
    .tuple(key, inner, between)
    .map(([name, [first = "", ...rest], more]) => [`${name}:${first}`, ...rest, ...more]);
  const map = fc.array(entry, { minLength: 1, maxLength: 3 }).map((entries) => entries.flat());
  if (depth === 0) return map;
  const item = fc.oneof(
    value.map((text) => [text]),
    blockOf(depth - 1),
  );
  const indented = item.map(([first = "", ...rest]) => [`- ${first}`, ...rest.map((text) => `  ${text}`)]);
  const list = fc.array(indented, { minLength: 1, maxLength: 3 }).map((items) => items.flat());
  return fc.oneof({ weight: 3, arbitrary: map }, { weight: 1, arbitrary: list });
}

function nestedIn(depth: number): fc.Arbitrary<string[]> {
  return fc
    .tuple(fc.oneof({ weight: 10, arbitrary: fc.constant("") }, fc.constant("  # b")), blockOf(depth - 1), shift)
    .map(([end, lines, by]) => [end, ...lines.map((text) => by + text)]);
}

/** Without the parser's internal note on how it decodes a scalar. */
function expected(text: string): unknown {
  const { events, values } = parseYaml(yaml, text);
  return { values, events: events.map((event) => ("fast" in event ? { ...event, fast: expect.any(Boolean) } : event)) };
}

describe("YAML that is read without its parser", () => {
  it.each<[string, string]>([
    [
      "keys and values",
      "models: []\nrails:\n  input:\n    flows: [check words, 'b']\n  output:\n    flows:\n      - c\n",
    ],
    ["maps in lists", "models:\n- type: main\n  engine: openai\n  parameters:\n    n: 0.5\n- type: b\nlast:"],
    ["numbers, booleans and quotes", `a: 1\nb: -2.50\nc: true\nd: "1.0"\ne: 'x # y'\n`],
    ["comments and blank lines", "# a\n\na: b   # c\n  # d\nc:\n\n  - d\n"],
  ])("reads %s", (_, text) => {
    expect(readPlainYaml(text)).toEqual(expected(text));
  });

  it.each<[string, string]>([
    ["a tab", "a:\tb\n"],
    ["a letter beyond ASCII", "a: é\n"],
    ["a line in several lines", "a: b\n  c\n"],
    ["a value below a value", "a: b\n  c: d\n"],
    ["a text in a block", "a: |\n  b\n"],
    ["an escape", 'a: "b\\n"\n'],
    ["a second document", "a: b\n---\nc: d\n"],
    ["a list at the root", "- a\n"],
    ["a spelling of a boolean", "a: True\n"],
    ["a list over two lines", "a: [b,\n  c]\n"],
    ["a line further left than its block", "a:\n    b: c\n  d: e\n"],
    ["an anchor", "a: &b c\n"],
  ])("leaves %s to the parser", (_, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it("gives the same events and values as the parser for every text that it reads", () => {
    let taken = 0;
    fc.assert(
      fc.property(blockOf(3), (lines) => {
        const text = lines.join("\n");
        const plain = readPlainYaml(text);
        if (plain === undefined) return;
        taken += 1;
        expect(plain).toEqual(expected(text));
      }),
      { numRuns: propertyRuns(300) },
    );
    expect(taken).toBeGreaterThan(30);
  });
});

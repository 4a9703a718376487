import { describe, expect, it } from "@jest/globals";
import { differenceOf } from "../../../../src/server/playground/page/difference.js";
import { highlighter } from "../../../../src/server/playground/page/highlight.js";
import { toTestCase } from "../../../../src/server/playground/page/test-case.js";
import type { PlaygroundTurn } from "../../../../src/server/playground/wire.js";
import { readTests } from "../../../../src/cli/testing/read-tests.js";
import { HOSTILE_TEXTS } from "../../../system/browser/hostile-texts.js";

describe("colours", () => {
  const kinds = (path: string, line: string): readonly string[] =>
    highlighter(path)(line).map(({ kind, text }) => (kind === undefined ? text : `${kind}:${text}`));

  it.each([
    ["a.co", "define flow bot do and user", ["word:define flow", " bot do and user"]],
    [
      "a.co",
      '  $found = execute look(text="a # b")  # c',
      ["  ", "variable:$found", " = ", "word:execute", " look(text=", 'string:"a # b"', ")  ", "comment:# c"],
    ],
    ["a.co", '  "open', ["  ", 'string:"open']],
    ["a.yml", "rails: # x", ["key:rails", ": ", "comment:# x"]],
    ["a.yml", '  - "a#b": true', ["  - ", 'key:"a#b"', ": ", "word:true"]],
    ["a.yml", "max: 12", ["key:max", ": ", "number:12"]],
    ["a.md", "# Title", ["key:# Title"]],
    ["a.txt", "# no colours", ["# no colours"]],
  ])("of %s: %s", (path, line, expected) => expect(kinds(path, line)).toEqual(expected));

  it.each(["a.co", "a.yml", "a.md"])("keep every text of %s unchanged", (path) => {
    for (const line of [...HOSTILE_TEXTS, "", "'", '"', "$", "a ".repeat(2_000), " ".repeat(500)]) {
      expect(
        highlighter(path)(line)
          .map(({ text }) => text)
          .join(""),
      ).toBe(line);
    }
  });
});

describe("differences", () => {
  const shown = (before: string, after: string): string =>
    differenceOf(before, after)
      .map(({ kind, text }) => (kind === "same" ? text : `[${kind === "added" ? "+" : "-"}${text}]`))
      .join("");

  it.each([
    ["", "", ""],
    ["a b c", "a b c", "a b c"],
    ["I bake good bread.", "I bake good cake.", "I bake good[- bread][+ cake]."],
    ["", "new", "[+new]"],
    ["old", "", "[-old]"],
    ["one two three four", "five six seven one", "[-one two three four][+five six seven one]"],
  ])("of %j and %j", (before, after, expected) => expect(shown(before, after)).toBe(expected));

  it("contain both texts, whatever they are", () => {
    for (const before of HOSTILE_TEXTS) {
      for (const after of HOSTILE_TEXTS.slice(0, 5)) {
        const parts = differenceOf(before, after);
        const textOf = (other: string): string => parts.map(({ kind, text }) => (kind === other ? "" : text)).join("");
        expect([textOf("added"), textOf("removed")]).toEqual([before, after]);
      }
    }
  });

  it("of long texts are shown as replaced", () => {
    const [before, after] = ["a ".repeat(3_000), "b ".repeat(3_000)];
    expect(differenceOf(before, after).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });
});

describe("test cases", () => {
  const turn = (text: string): PlaygroundTurn => ({
    user: text,
    reply: text,
    blocked: true,
    rail: text,
    durationMs: 1,
    spans: [],
    steps: [],
    flows: [],
    problems: [],
    script: { reply: [text], models: { self_check_input: [text, "No"] } },
  });

  it.each([...HOSTILE_TEXTS, "a: b\n- c\n", "'", "\t# \u0085\ufeff", "yes"])(
    "are read as they were written: %j",
    async (text) => {
      const [conversation] = await readTests("saved.yml", toTestCase([turn("first"), turn(text)]));
      expect(conversation?.turns[1]).toEqual({
        user: text,
        reply: [text],
        models: { self_check_input: [text, "No"] },
        bot: text,
        blocked: true,
        rail: text,
      });
    },
  );

  it("without a script have no replies", async () => {
    const [conversation] = await readTests(
      "saved.yml",
      toTestCase([{ ...turn("hi"), blocked: false, script: { reply: [], models: {} } }]),
    );
    expect(conversation?.turns[0]).toEqual({ user: "hi", bot: "hi", blocked: false, rail: "hi" });
  });
});

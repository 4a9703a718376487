import { describe, expect, it } from "@jest/globals";
import {
  contextBloat,
  detect,
  keyWords,
  language,
  type LanguageOptions,
  patterns,
  type PatternsOptions,
  textOf,
} from "../../../src/detectors/index.js";
import { ConfigError } from "../../../src/diagnostics/errors.js";

const PROSE =
  "The warranty of the frame lasts five years and covers breaks, while brakes, tyres and bearings are parts that wear out.";

describe("keyWords", () => {
  it.each([
    ["a word", ["acme"], "Is Acme good?", ["Acme"]],
    ["a phrase over several blanks", ["acme bikes"], "ACME \n bikes!", ["ACME \n bikes"]],
    ["nothing inside of a word", ["acme"], "the acmeist", []],
    ["a word beside punctuation", ["acme"], "(acme)", ["acme"]],
    ["a word in another script", ["акме"], "Фирма Акме тут", ["Акме"]],
    ["a word in a script without spaces", ["竞争对手"], "我喜欢竞争对手的产品", ["竞争对手"]],
    ["a Latin word between ideographs", ["acme"], "我喜欢Acme的产品", ["Acme"]],
    ["a word of Hangul before a particle", ["애플"], "애플은 좋아요", ["애플"]],
    ["nothing at the end of a compound of Hangul", ["애플"], "파인애플은 좋아요", []],
    ["nothing inside of a longer Latin word", ["acme"], "我喜欢Acmeist的产品", []],
    ["a symbol", ["c++"], "I like C++.", ["C++"]],
    ["one of two words that begin alike", ["acme", "acme bikes"], "acme bikes", ["acme bikes"]],
  ])("finds %s", (_, words, text, expected) => {
    expect(detect(text, [keyWords({ words })]).map((finding) => textOf(finding, text))).toEqual(expected);
  });

  it("finds parts of words when asked to", () => {
    expect(detect("the acmeist", [keyWords({ words: ["acme"], parts: true })])).toHaveLength(1);
  });

  it.each([[[]], [[" "]], [undefined], [[1]]])("refuses the words %j", (words) => {
    expect(() => keyWords({ words: words as string[] })).toThrow(ConfigError);
  });
});

describe("patterns", () => {
  it.each([
    ["each match", ["\\bid\\d+\\b"], "id1 and id22", ["id1", "id22"]],
    ["no empty match", ["x*"], "axxa", ["xx"]],
    [
      "a word after an escaped break",
      ["\\bid\\b"],
      String.raw`a\nid \t\u0069d \\nid`,
      ["id", String.raw`\u0069d`, "id"],
    ],
    ["a line after an escaped break", ["(?m)^id$"], String.raw`a\nid`, ["id"]],
    ["a slash", ["a/b"], String.raw`a\/b`, [String.raw`a\/b`]],
    ["a pattern once, with and without escapes", ["id"], String.raw`\nid`, ["id"]],
    ["no part of a longer word", ["\\bid\\b"], String.raw`\nids \bnid`, []],
    ["a word after many backslashes", ["\\bid\\b"], `${"\\".repeat(50_000)}nid`, ["id"]],
  ])("finds %s", (_, sources, text, expected) => {
    const found = detect(text, [patterns({ patterns: sources })]);
    expect(found.map((finding) => textOf(finding, text))).toEqual(expected);
  });

  it("refuses a pattern that cannot be compiled, and names it", () => {
    const wrong = () => patterns({ patterns: ["a", "(?=b)"] });
    expect(wrong).toThrow(ConfigError);
    expect(wrong).toThrow("at options.patterns.1");
  });

  it.each([undefined, {}, { patterns: [] }, { patterns: [""] }, { patterns: [/a/] }, { patterns: ["a"], flags: "i" }])(
    "refuses the options %j",
    (options) => {
      expect(() => patterns(options as unknown as PatternsOptions)).toThrow(ConfigError);
    },
  );
});

describe("language", () => {
  it.each([undefined, {}, { allow: [] }, { allow: ["xx"] }])("refuses the options %j", (options) => {
    expect(() => language(options as unknown as LanguageOptions)).toThrow(ConfigError);
  });
});

describe("contextBloat", () => {
  it.each<[string, string, readonly string[]]>([
    ["prose", PROSE, []],
    ["a short text", "aaaa", []],
    ["a long text", `${PROSE} ${"x".repeat(0)}`.padEnd(140, " and so on") + PROSE.repeat(60), ["length", "repetition"]],
    ["repeated words", "buy now today ".repeat(30), ["entropy", "repetition"]],
    ["a run of one character", PROSE + "!".repeat(40), ["run"]],
  ])("reads %s", (_, text, rules) => {
    const found = detect(text, [contextBloat()], { overlaps: true });
    expect(found.map(({ rule }) => rule).sort()).toEqual(rules);
  });

  it.each([{ maxRepetition: 2 }, { maxChars: 0 }, { ngramSize: 0 }])("refuses %j", (options) => {
    expect(() => contextBloat(options)).toThrow(ConfigError);
  });
});

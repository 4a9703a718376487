import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";

import { compileGlob, readIgnoreFile } from "../../src/config/load/ignore-file.js";

describe("patterns", () => {
  it.each<[string, string, boolean]>([
    ["main.co", "main.co", true],
    ["main.co", "main_co", false],
    ["*.co", "a.co", true],
    ["*.co", ".co", true],
    ["*.co", "a/b.co", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a?c", "a/c", false],
    ["[abc].co", "b.co", true],
    ["[a-c0].co", "c.co", true],
    ["[a-c0].co", "0.co", true],
    ["[!a-c].co", "d.co", true],
    ["[!a-c].co", "b.co", false],
    ["[]].co", "].co", true],
    ["[abc", "[abc", true],
    ["**", "a/b/c", true],
    ["a/**", "a/b/c.co", true],
    ["a/**", "b/c.co", false],
    ["**/c.co", "c.co", true],
    ["**/c.co", "a/b/c.co", true],
    ["**/c.co", "a/xc.co", false],
    ["a/**/c.co", "a/c.co", true],
    ["a/**/c.co", "a/b/d/c.co", true],
    ["a/**/c.co", "a/bc.co", false],
    ["", "", true],
    ["", "a", false],
  ])("%j on %j: %j", (pattern, text, expected) => {
    expect(compileGlob(pattern)(text)).toBe(expected);
  });

  it("take linear time however many stars there are", () => {
    const matches = compileGlob(`${"*a".repeat(200)}b`);
    expect(matches("a".repeat(5000))).toBe(false);
  });

  it("agree with a regular expression of the same meaning", () => {
    const parts = fc.array(fc.constantFrom("a", "b", "/", "*", "?"), { maxLength: 8 });
    const texts = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 8 });
    fc.assert(
      fc.property(parts, texts, (pattern, text) => {
        const glob = pattern.join("").replace(/\*+/g, "*");
        const meaning = new RegExp(`^${glob.replaceAll("?", "[^/]").replaceAll("*", "[^/]*")}$`);
        expect(compileGlob(glob)(text.join(""))).toBe(meaning.test(text.join("")));
      }),
      { numRuns: 500 },
    );
  });
});

describe("an ignore file", () => {
  const isIgnored = readIgnoreFile("# notes\n\n*.bak\r\n/top.co\n./here.co\nold/\nrails/*.draft.co\n");

  it.each<[string, boolean]>([
    ["a.bak", true],
    ["deep/a.bak", true],
    ["top.co", true],
    ["deep/top.co", false],
    ["here.co", true],
    ["old/a.co", true],
    ["old/b/a.co", true],
    ["older/a.co", false],
    ["rails/a.draft.co", true],
    ["rails/x/a.draft.co", false],
    ["# notes", false],
  ])("%j: %j", (path, expected) => {
    expect(isIgnored(path)).toBe(expected);
  });
});

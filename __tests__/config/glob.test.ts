import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";

import { readIgnoreFile } from "../../src/config/load/ignore-file.js";

describe("patterns", () => {
  const matches = async (pattern: string, path: string): Promise<boolean> => (await readIgnoreFile(pattern))(path);

  it.each<[string, string, boolean]>([
    ["main.co", "main.co", true],
    ["main.co", "main_co", false],
    ["*.co", "a.co", true],
    ["*.co", ".co", true],
    ["./*.co", "a/b.co", false],
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
    ["", "a", false],
    ["x/[.-0]", "x//", false],
    ["x/[.-0]", "x/0", true],
    ["x/[!.-0]", "x/a", true],
    ["x/[/]", "x//", false],
    ["[c-a]", "b", false],
    ["[!]", "[!]", true],
    ["[^]", "^", true],
    ["(a|b)+$", "(a|b)+$", true],
  ])("%j on %j: %j", async (pattern, text, expected) => {
    expect(await matches(pattern, text)).toBe(expected);
  });

  it("take linear time however many stars there are", async () => {
    expect(await matches(`${"*a".repeat(200)}b`, "a".repeat(5000))).toBe(false);
  });

  it("agree with a regular expression of the same meaning", async () => {
    const parts = fc.array(fc.constantFrom("a", "b", "/", "*", "?"), { maxLength: 8 });
    const texts = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, texts, async (pattern, text) => {
        const glob = `x/${pattern.join("").replace(/\*+/g, "*")}x`;
        const meaning = new RegExp(`^${glob.replaceAll("?", "[^/]").replaceAll("*", "[^/]*")}$`);
        const path = `x/${text.join("")}x`;
        expect(await matches(glob, path)).toBe(meaning.test(path));
      }),
      { numRuns: 500 },
    );
  });
});

describe("an ignore file", () => {
  const reading = readIgnoreFile("# notes\n\n*.bak\r\n/top.co\n./here.co\nold/\nrails/*.draft.co\n");

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
  ])("%j: %j", async (path, expected) => {
    expect((await reading)(path)).toBe(expected);
  });
});

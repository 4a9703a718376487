import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { removedParts } from "../../src/turn/removed-parts.js";

describe("parts that a rail removed from a text", () => {
  it.each<[string, string, string, readonly string[]]>([
    ["nothing", "one two", "one two", []],
    ["nothing of an empty text", "", "one", []],
    ["everything", "one two", "", ["one two"]],
    ["the whole text for another", "one two", "three", ["one two"]],
    ["the first word", "one two three", "two three", ["one"]],
    ["the last word", "one two three", "one two", ["three"]],
    ["a word in the middle", "one two three", "one three", ["two"]],
    ["one of two equal words", "one one", "one", ["one"]],
    ["one of three equal words", "a b a b a", "a b a", ["b a"]],
    ["neighbours as one part", "one two three four", "one four", ["two three"]],
    ["two parts around a kept word", "is Bob or Eve here", "is X or Y here", ["Bob", "Eve"]],
    ["three parts", "a x b y c z d", "a b c d", ["x", "y", "z"]],
    ["parts at both ends", "x one y", "one", ["x", "y"]],
    ["a kept word between removed ones", "x one y two z", "p one q two r", ["x", "y", "z"]],
    ["a part with its marks", "pay 41-11 now", "pay [CARD] now", ["41-11"]],
    ["no mark alone", "one, two!", "one two", []],
    ["no mark between kept words", "one - two", "one two", []],
    ["a part that begins with a mark", "a (b) c", "a c", ["(b)"]],
    ["moved words", "one two three", "three one two", ["three"]],
    ["swapped words", "one two", "two one", ["one"]],
    ["letters of any script", "Я Боб тут", "Я X тут", ["Боб"]],
    ["a letter case", "Bob is here", "bob is here", ["Bob"]],
    ["blanks only", "one  two", "one two", []],
    ["added words", "one two", "one and two more", []],
    ["a longest order, and not the first one", "a b c d", "c a b d", ["c"]],
    ["the same from behind", "c a b d", "a b c d", ["c"]],
    ["words between repeated ones", "x a x b x", "a b", ["x", "x", "x"]],
  ])("%s: %j to %j", (_title, before, after, expected) => {
    expect(removedParts(before, after)).toEqual(expected);
  });

  it.each([
    [500, ["no"]],
    [501, expect.not.arrayContaining(["no"])],
  ])("of long texts are found word by word up to a limit: %d words", (count, expected) => {
    const words = (letter: string): string[] => Array.from({ length: count - 1 }, (_, at) => `${letter}${at}`);
    const before = ["no", ...words("a")].join(" ");
    // Another first and last word: nothing is common at the ends.
    const after = [...words("a").slice(0, -1), "z", "y"].join(" ");
    const parts = removedParts(before, after);
    if (count === 500) expect(parts[0]).toBe("no");
    else expect(parts).toEqual([before]);
    expect(parts).toEqual(count === 500 ? ["no", `a${count - 2}`] : expected);
  });

  it("stand in the text, and what is left of it without them stands in the other", () => {
    const word = fc.constantFrom("a", "b", "c", "d", "e");
    const words = fc.array(word, { maxLength: 8 });
    fc.assert(
      fc.property(words, words, (left, right) => {
        const [before, after] = [left.join(" "), right.join(" ")];
        const parts = removedParts(before, after);
        let at = 0;
        for (const part of parts) {
          const found = before.indexOf(part, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + part.length;
        }
        expect(left.length - parts.join(" ").split(" ").filter(Boolean).length).toBe(commonLength(left, right));
      }),
      { numRuns: 300 },
    );
  });
});

/** The length of the longest common subsequence, the slow way. */
function commonLength(left: readonly string[], right: readonly string[]): number {
  const [first, ...others] = left;
  if (first === undefined || right.length === 0) return 0;
  const without = commonLength(others, right);
  const at = right.indexOf(first);
  return at === -1 ? without : Math.max(without, 1 + commonLength(others, right.slice(at + 1)));
}

import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { removedParts } from "../../src/turn/removed-parts.js";
import { propertyRuns } from "../support/property-runs.js";

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

  it.each<[number, number, readonly string[]]>([
    [500, 500, ["no", "a498"]],
    [13, 19_230, ["no", "a11"]],
    // One pair more than the limit: everything between the common ends counts as removed.
    [13, 19_231, ["all"]],
    [501, 501, ["all"]],
  ])("of %d and %d words are found word by word up to a limit", (left, right, expected) => {
    const before = ["no", ...numbered("a", left - 1)].join(" ");
    const kept = numbered("a", left - 2);
    const after = [...kept, ...numbered("z", right - kept.length)].join(" ");
    expect(removedParts(before, after)).toEqual(expected[0] === "all" ? [before] : expected);
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
      { numRuns: propertyRuns(80) },
    );
  });
});

const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at}`);

/** The length of the longest common subsequence, the slow way. */
function commonLength(left: readonly string[], right: readonly string[]): number {
  const [first, ...others] = left;
  if (first === undefined || right.length === 0) return 0;
  const without = commonLength(others, right);
  const at = right.indexOf(first);
  return at === -1 ? without : Math.max(without, 1 + commonLength(others, right.slice(at + 1)));
}

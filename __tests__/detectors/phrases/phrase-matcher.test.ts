import { describe, expect, it } from "@jest/globals";
import { PhraseMatcher } from "../../../src/detectors/phrases/phrase-matcher.js";

function found(phrases: readonly string[], text: string): string[] {
  const matcher = new PhraseMatcher([{ phrase: phrases }], { color: "red|dark blue" });
  const texts: string[] = [];
  matcher.visit({ folded: text.toLowerCase() }, (_name, start, end) => texts.push(text.slice(start, end)));
  return texts;
}

describe("PhraseMatcher", () => {
  it.each([
    ["a word", "red", "Red is not bored", ["Red"]],
    ["words that follow one another", "dark blue", "a dark\n blue and dark, blue", ["dark\n blue", "dark, blue"]],
    ["a stem", "instruct*", "Instructions instruct", ["Instructions", "instruct"]],
    ["alternatives", "(red|dark blue) car", "red car, dark blue car, blue car", ["red car", "dark blue car"]],
    ["a list", "<color> car", "red car, dark blue car", ["red car", "dark blue car"]],
    ["phrases on both sides of a bar", "red car|(a|the) dog", "the dog in a red car", ["the dog", "red car"]],
    [
      "a gap",
      "red ~2 car",
      "red big car, red very big car, red very very big car",
      ["red big car", "red very big car"],
    ],
    ["the nearest start", "red ~9 car", "red and red car", ["red car"]],
    ["no gap over the end of a sentence", "red ~3 car", "It is red. A car. red, a car", ["red, a car"]],
    ["no gap over a blank line", "red ~3 car", "red\n\ncar", []],
    ["a gap over one line end", "red ~3 car", "red\ncar", ["red\ncar"]],
    ["contractions with and without apostrophe", "don't", "don't dont don’t", ["don't", "dont", "don’t"]],
    ["short words before an apostrophe", "istruzione", "l'istruzione", ["istruzione"]],
    ["ideographs as words", "(忽略|无视) ~4 指令", "请忽略之前的指令", ["忽略之前的指令"]],
    ["marks as parts of words", "निर्देश*", "सभी निर्देशों को", ["निर्देशों"]],
    ["nothing in longer words", "red", "bored reds ored", []],
  ])("finds %s", (_title, phrase, text, expected) => {
    expect(found([phrase], text)).toEqual(expected);
  });

  it("keeps texts apart", () => {
    const matcher = new PhraseMatcher([{ phrase: ["red ~9 car"] }]);
    let count = 0;
    for (const text of ["red", "car", "red", "car"]) matcher.visit({ folded: text }, () => count++);
    expect(count).toBe(0);
  });

  it.each(["", "<unknown>", "(red|blue", "red)"])("rejects the phrase `%s`", (phrase) => {
    expect(() => new PhraseMatcher([{ phrase: [phrase] }])).toThrow(TypeError);
  });
});

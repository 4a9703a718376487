import { describe, expect, it } from "@jest/globals";

import { didYouMean, suggest } from "../../src/diagnostics/suggestion.js";

describe("a suggestion", () => {
  it.each<[string, readonly string[], string | undefined]>([
    ["inptu", ["input", "output"], "input"],
    ["exceute", ["execute", "event"], "execute"],
    ["Execute", ["execute"], "execute"],
    ["if", ["elif", "if"], undefined],
    ["fi", ["if", "else"], "if"],
    ["bot expres greeting", ["bot express greeting", "bot inform"], "bot express greeting"],
    ["price", ["weather"], undefined],
    ["a", ["b"], "b"],
    ["abc", ["xyz"], undefined],
    ["", ["a"], undefined],
    ["same", ["same"], undefined],
    ["naïve", ["naive"], "naive"],
    ["x".repeat(81), ["x".repeat(80)], undefined],
  ])("for %j among %j is %j", (word, candidates, expected) => {
    expect(suggest(word, candidates)).toBe(expected);
  });

  it("is the first of two that are as near", () => {
    expect(suggest("labek", ["label", "laber"])).toBe("label");
  });

  it("looks at a bounded number of names, whatever it is given", () => {
    let seen = 0;
    function* names(): Generator<string> {
      for (;;) yield `name${(seen += 1)}`;
    }
    expect(suggest("something else", names())).toBeUndefined();
    expect(seen).toBeLessThan(3000);
  });

  it("reads as a sentence", () => {
    expect(didYouMean("inptu", new Set(["input"]))).toBe("did you mean `input`?");
    expect(didYouMean("inptu", [])).toBeUndefined();
  });
});

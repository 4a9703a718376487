import { describe, expect, it } from "@jest/globals";
import { mergedParameters } from "../../../../src/runtime/colang1/generation/merged-mode.js";

const lowest = 0.001;

describe("`llm_params` in a call that decides as well", () => {
  it.each<[string, Record<string, unknown> | undefined, object]>([
    ["nothing", undefined, { parameters: { temperature: lowest }, stop: [], areWordsApart: false }],
    ["a limit, with room for the lines before the words", { max_tokens: 100 }, { parameters: { maxTokens: 164 } }],
    ["a limit under another name", { maxTokens: 100 }, { parameters: { maxTokens: 164 } }],
    ["a limit that is none", { max_tokens: "x" }, { parameters: { extra: { max_tokens: "x" } } }],
    [
      "stop sequences, which are about the words",
      { stop: ["\n"] },
      { parameters: { temperature: lowest }, stop: ["\n"] },
    ],
    ["one stop sequence", { stop: "END" }, { stop: ["END"] }],
    ["a stop sequence that is none", { stop: null }, { stop: [] }],
    ["others", { seed: 1, top_p: 0.9 }, { parameters: { temperature: lowest, extra: { seed: 1, top_p: 0.9 } } }],
    ["a temperature", { temperature: 0.9 }, { parameters: { temperature: lowest }, areWordsApart: true }],
    ["the lowest temperature", { temperature: 0 }, { parameters: { temperature: lowest }, areWordsApart: false }],
    ["a temperature that is none", { temperature: "hot" }, { areWordsApart: false }],
    [
      "a name that objects have",
      JSON.parse('{"__proto__": {"seed": 1}}'),
      { parameters: { temperature: lowest }, areWordsApart: false },
    ],
  ])("%s", (_, llmParams, expected) => {
    expect(mergedParameters(llmParams, { mode: "early", lowest })).toMatchObject(expected);
  });

  it("no temperature where the completion is read as a whole", () => {
    const { areWordsApart } = mergedParameters({ temperature: 0.9 }, { mode: "whole", lowest });
    expect(areWordsApart).toBe(false);
  });

  it("`stop` is not sent", () => {
    const { parameters } = mergedParameters({ stop: ["a"], seed: 1 }, { mode: "early", lowest });
    expect(parameters).toEqual({ temperature: lowest, extra: expect.objectContaining({ seed: 1 }) });
    expect(parameters.extra).not.toHaveProperty("stop");
  });
});

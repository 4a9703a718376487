import { describe, expect, it } from "@jest/globals";
import { type RailStage, Guardrails } from "langchain-guardrails";
import { scriptedModel } from "langchain-guardrails/testing";

describe("the stages of a `generate` call", () => {
  it.each([
    ["inputt", "`inputt` is no stage of rails; did you mean `input`?"],
    [
      "everything",
      "`everything` is no stage of rails; there are `input`, `dialog`, `retrieval`, `execution`, `output`",
    ],
  ])("refuse %s, which would turn all rails off", async (stage, message) => {
    const llm = scriptedModel([]);
    const config = { rails: { input: { flows: ["self check input"] } } };
    const guardrails = await Guardrails.fromConfig({ config }, { llm });
    await expect(guardrails.generate("hi", { rails: [stage as RailStage] })).rejects.toThrow(message);
  });
});

import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import type { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

const NO_ANSWER = "Sorry, I do not have an answer to that.";

const surfaces: [string, (guardrails: Guardrails, text: string) => Promise<unknown>][] = [
  ["a model", async (guardrails, text) => (await guardrails.wrap(scriptedModel(text)).invoke("hi")).text],
  [
    "its stream",
    async (guardrails, text) => {
      const chunks = await drain(await guardrails.wrap(scriptedModel(text)).stream("hi"));
      return chunks.map((chunk) => chunk.text).join("");
    },
  ],
  ["a chain", (guardrails, text) => guardrails.wrap(RunnableLambda.from(() => text)).invoke("hi")],
  [
    "a chain of messages",
    async (guardrails, text) => {
      const result = await guardrails.wrap(RunnableLambda.from(() => [new AIMessage(text)])).invoke("hi");
      return (result as readonly BaseMessage[]).at(-1)?.text;
    },
  ],
];

describe("an empty response becomes the configured message", () => {
  const rails = [[], ["check answer"]];
  const versions = ["1.0", "2.x"] as const;
  const cases = versions.flatMap((version) => rails.map((output) => ({ version, input: [], output })));

  it.each(surfaces.flatMap(([name, run]) => cases.map((options) => [name, options, run] as const)))(
    "of %s, with %j",
    async (_, options, run) => {
      const guardrails = await realGuardrails(options);
      for (const text of ["", " ", "\n\t"]) expect(await run(guardrails, text)).toBe(NO_ANSWER);
    },
  );

  it.each([
    ["an image", { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }],
    ["a link to an image", { type: "image_url", image_url: { url: "https://x.test/a.png" } }],
    ["a sound", { type: "audio", mimeType: "audio/wav", data: "UklGRg==" }],
  ])("unless it is %s", async (_, block) => {
    const guarded = (await realGuardrails({ input: [] })).wrap(scriptedModel(new AIMessage({ content: [block] })));
    expect((await guarded.invoke("hi")).content).toEqual([block]);
    const chunks = await drain(await guarded.stream("hi"));
    expect(chunks.flatMap(({ content }) => content as unknown[])).toEqual([block]);
  });
});

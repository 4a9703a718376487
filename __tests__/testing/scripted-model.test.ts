import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { scriptedModel } from "../../src/testing/scripted-model.js";

describe("scriptedModel", () => {
  it("answers in order and records the calls", async () => {
    const model = scriptedModel([
      "one",
      new AIMessage({ content: "two", id: "m" }),
      (messages) => `${messages.length}`,
    ]);
    expect((await model.invoke("a")).content).toBe("one");
    expect(await model.invoke("b")).toMatchObject({ content: "two", id: "m" });
    expect((await model.invoke([new HumanMessage("c"), new HumanMessage("d")])).content).toBe("2");
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["human: a", "human: b", "human: c\nhuman: d"]);
    model.assertDone();
  });

  it("refuses a call that is not scripted and shows its prompt", async () => {
    await expect(scriptedModel([]).invoke("who asks?")).rejects.toThrow(/call 1 was not scripted.*\nhuman: who asks\?/);
  });

  it("throws scripted errors and complains about replies left over", async () => {
    const model = scriptedModel([new Error("down"), "left"]);
    await expect(model.invoke("a")).rejects.toThrow("down");
    expect(() => model.assertDone()).toThrow("1 of 2 scripted replies were not asked for");
  });

  it("streams in pieces that add up", async () => {
    const message = new AIMessage({
      content: "a long answer",
      id: "m",
      tool_calls: [{ name: "f", args: { a: 1 }, id: "t" }],
    });
    const chunks = [];
    for await (const chunk of await scriptedModel([message]).stream("hi")) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.reduce((whole, chunk) => concat(whole, chunk))).toMatchObject({
      content: "a long answer",
      id: "m",
      tool_calls: [{ name: "f", args: { a: 1 }, id: "t" }],
    });
  });

  it("binds tools to the same script", async () => {
    const model = scriptedModel(["ok"]);
    const tool = { type: "function", function: { name: "look", parameters: {} } };
    await model.bindTools([tool]).invoke("hi");
    expect(model.calls[0]?.options.tools).toEqual([tool]);
  });

  it("always gives the one reply that stands alone", async () => {
    const model = scriptedModel("same");
    expect((await model.batch(["a", "b", "c"])).map(({ content }) => content)).toEqual(["same", "same", "same"]);
    model.assertDone();
  });
});

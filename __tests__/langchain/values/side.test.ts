import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatPromptValue, StringPromptValue } from "@langchain/core/prompt_values";
import { InputShapeError } from "../../../src/diagnostics/errors.js";
import { sideOf } from "../../../src/langchain/values/side.js";

const human = new HumanMessage("q");
const ai = new AIMessage("a");
const tool = new ToolMessage({ content: "r", tool_call_id: "1" });

describe("sideOf", () => {
  it.each<[string, unknown, "user" | "bot"]>([
    ["a bare string", "text", "bot"],
    ["a human message", human, "user"],
    ["a tool message", tool, "user"],
    ["an answer", ai, "bot"],
    ["a chunk of an answer", new AIMessageChunk("a"), "bot"],
    ["a list that ends with the user", [ai, human], "user"],
    ["a list that ends with a tool", [human, ai, tool], "user"],
    ["a list that ends with the bot", [human, ai], "bot"],
    ["a list with instructions at the end", [human, new SystemMessage("s")], "user"],
    ["a list of roles", [{ role: "user", content: "q" }], "user"],
    [
      "a list of pairs",
      [
        ["human", "q"],
        ["ai", "a"],
      ],
      "bot",
    ],
    ["a chat prompt", new ChatPromptValue([human]), "user"],
    ["a string prompt", new StringPromptValue("q"), "user"],
    ["a graph's state", { messages: [human] }, "user"],
    ["a finished graph's state", { messages: [human, ai] }, "bot"],
    ["an answer object", { answer: "a", context: [] }, "bot"],
    ["an output object", { output: "a" }, "bot"],
    [
      "a message of another copy of LangChain",
      { content: "q", _getType: () => "human", getType: () => "human" },
      "user",
    ],
  ])("finds the side of %s", (_, value, expected) => {
    expect(sideOf(value)).toBe(expected);
  });

  it("takes the named key", () => {
    expect(sideOf({ reply: "a" }, { outputKey: "reply" })).toBe("bot");
  });

  it.each<[string, unknown, string]>([
    ["a number", 7, "a number"],
    ["nothing", null, "null"],
    ["an empty list", [], "an empty array"],
    ["two possible answers", { answer: "a", text: "b" }, "the keys `answer`, `text`"],
    ["a list of numbers", [1], "an array of a number"],
    ["an object with neither", { foo: 1, bar: 2 }, "an object with the keys `foo`, `bar`"],
    ["instructions alone", [new SystemMessage("s")], "an array of a message of type `system`"],
  ])("refuses %s, naming what it saw and the hint", (_, value, seen) => {
    let error: unknown;
    try {
      sideOf(value);
    } catch (thrown) {
      error = thrown;
    }
    expect(InputShapeError.isInstance(error)).toBe(true);
    expect((error as Error).message).toContain(seen);
    expect((error as Error).message).toMatch(/`(outputKey|messages)`/);
  });
});

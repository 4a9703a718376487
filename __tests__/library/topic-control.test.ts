import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { Guardrails } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const VERSIONS = ["1.0", "2.x"] as const;

const HISTORIES: readonly (readonly [string, readonly BaseMessage[], readonly string[]])[] = [
  ["one message", [new HumanMessage("a?")], ["human a?"]],
  [
    "a turn before",
    [new HumanMessage("a?"), new AIMessage("b."), new HumanMessage("c?")],
    ["human a?", "ai b.", "human c?"],
  ],
  [
    "a repeated message",
    [new HumanMessage("a?"), new AIMessage("b."), new HumanMessage("a?")],
    ["human a?", "ai b.", "human a?"],
  ],
  [
    "a system message",
    [new SystemMessage("s"), new HumanMessage("a?"), new AIMessage("b."), new HumanMessage("c?")],
    ["human a?", "ai b.", "human c?"],
  ],
  ["a greeting of the bot", [new AIMessage("hi."), new HumanMessage("a?")], ["ai hi.", "human a?"]],
  [
    "two texts for one response",
    [new HumanMessage("a?"), new HumanMessage("b?"), new AIMessage("c."), new HumanMessage("d?")],
    ["human a?", "human b?", "ai c.", "human d?"],
  ],
  [
    "a result of a tool, which is a text of the user's side",
    [
      new HumanMessage("a?"),
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "look", args: {} }] }),
      new ToolMessage({ content: "found", tool_call_id: "1" }),
      new AIMessage("b."),
      new HumanMessage("c?"),
    ],
    ["human a?", "human found", "ai b.", "human c?"],
  ],
  [
    "more than fits",
    [
      new HumanMessage("x".repeat(5_000)),
      new AIMessage("y".repeat(990)),
      new HumanMessage("z".repeat(20)),
      new AIMessage("b."),
      new HumanMessage("c?"),
    ],
    [`ai ${"y".repeat(990)}`, `human ${"z".repeat(20)}`, "ai b.", "human c?"],
  ],
];

describe.each(VERSIONS)("topic control in Colang %s", (version) => {
  it.each(HISTORIES)("shows its model the conversation: %s", async (_, messages, expected) => {
    const config = { colang_version: version, models: [], rails: { input: { flows: ["topic safety check input"] } } };
    const replies = Array.from({ length: 4 }, () => "on-topic");
    const judge = scriptedModel(replies, { name: "topic-control" });
    const models = { topic_control: judge };
    const guardrails = await Guardrails.fromConfig({ config }, { logger: false, models });
    await guardrails.wrap(scriptedModel(["ok."])).invoke([...messages]);
    const shown = (judge.calls.at(-1)?.messages ?? [])
      .slice(1)
      .map(({ type, content }) => `${type} ${String(content)}`);
    expect(shown).toEqual(expected);
  });
});

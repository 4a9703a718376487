import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { FORMS_WITHOUT_TEXT, REASONING_FORMS } from "../../support/langchain/messages-without-text.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";
import { textOf } from "../../system/matrix/observe.js";

const FORMS = [...FORMS_WITHOUT_TEXT, ...REASONING_FORMS];

/** Runs an agent whose tool writes messages to its state, and returns all that its model and its caller see. */
async function seenAfter(results: readonly string[], written: readonly BaseMessage[]) {
  const handOff = tool(
    (_given, { toolCall }: { readonly toolCall?: { readonly id?: string } }) =>
      new Command({
        update: { messages: [...written, new ToolMessage({ content: "done", tool_call_id: toolCall?.id ?? "" })] },
      }),
    { name: "hand_off", description: "Hands over.", schema: z.object({}) },
  );
  const model = scriptedModel([
    new AIMessage({ content: "", tool_calls: [{ name: "hand_off", args: {}, id: "c1", type: "tool_call" }] }),
    "fine",
  ]);
  const guardrails = await toolGuardrails({ results });
  const agent = createAgent({ model, tools: [handOff as never], middleware: [guardrailsMiddleware(guardrails)] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage({ content: "hi", id: "h" })] });
  return { messages, seen: textOf([messages, model.calls.map((call) => call.messages)]) };
}

describe("a message that a tool writes to the agent's state", () => {
  it.each(FORMS)("enters neither state nor prompts if a rail blocks it: %s", async (_name, make) => {
    const { messages, seen } = await seenAfter(["check result"], [make("a bad secret")]);
    expect(seen).not.toContain("bad secret");
    expect(messages.some((message) => message.type === "tool" && message.text === "REFUSED")).toBe(true);
  });

  it.each(FORMS)("enters state and prompts only as a rail rewrote it: %s", async (_name, make) => {
    expect((await seenAfter(["hide digits of result"], [make("pin 4711")])).seen).not.toContain("pin 4711");
  });

  it.each(FORMS)("stays as it is if rails pass it: %s", async (_name, make) => {
    const { messages } = await seenAfter(["check result"], [make("a good note")]);
    expect(textOf(messages)).toContain("a good note");
  });

  it("may remove another one", async () => {
    const { messages } = await seenAfter(["check result"], [new RemoveMessage({ id: "h" })]);
    expect(messages.map((message) => message.type)).toEqual(["ai", "tool", "ai"]);
  });
});

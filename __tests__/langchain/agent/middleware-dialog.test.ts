import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { Guardrails } from "langchain-guardrails";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel } from "../../../src/testing/scripted-model.js";

const COLANG = `
define user express greeting
  "hello"
  "good morning to you"

define user ask for stock
  "how many bikes do you have in stock"
  "is there a mountain bike left"

define bot express greeting
  "Hello from a flow!"

define flow greeting
  user express greeting
  bot express greeting
`;

describe("dialog rails of an agent", () => {
  it("answer what they know, and leave the rest and the results of tools to the agent", async () => {
    const guardrails = await Guardrails.fromConfig({
      colang: COLANG,
      config: {
        rails: { dialog: { user_messages: { embeddings_only: true, embeddings_only_fallback_intent: "other" } } },
      },
    });
    const model = scriptedModel([
      new AIMessage({ content: "", tool_calls: [{ name: "look_up", args: {}, id: "c1" }] }),
      "Three bikes are left.",
    ]);
    const agent = createAgent({
      model,
      tools: [tool(() => "hello", { name: "look_up", description: "d", schema: z.object({}) }) as never],
      checkpointer: new MemorySaver(),
      middleware: [guardrailsMiddleware(guardrails)],
    });
    const ask = async (text: string): Promise<readonly string[]> => {
      const input = { messages: [new HumanMessage(text)] };
      const { messages } = await agent.invoke(input, { configurable: { thread_id: "t" } });
      return (messages as BaseMessage[]).map((message) => message.text);
    };
    expect((await ask("hello")).at(-1)).toBe("Hello from a flow!");
    expect(model.calls).toHaveLength(0);
    expect((await ask("how many bikes do you have in stock")).at(-1)).toBe("Three bikes are left.");
    expect((await ask("good morning to you")).at(-1)).toBe("Hello from a flow!");
    expect(model.calls[1]?.prompt).toContain("tool: hello");
  });
});

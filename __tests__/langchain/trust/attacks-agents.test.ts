// Answers of an agent that its model never gave: they leave as reviewed as any other.
import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { visibleJson as seenIn } from "../../support/langchain/visible-json.js";

const SECRET = "a bad answer reveals the vault code";

describe("answers that a middleware inside makes up", () => {
  const agentWith = async (wrapModelCall: (request: { model: unknown }) => unknown, responseFormat?: object) => {
    const made = createMiddleware({ name: "maker", wrapModelCall: wrapModelCall as never });
    return createAgent({
      model: scriptedModel([]),
      tools: [],
      middleware: [guardrailsMiddleware(await realGuardrails()), made],
      checkpointer: new MemorySaver(),
      ...(responseFormat === undefined ? {} : { responseFormat: responseFormat as never }),
    });
  };
  const config = { configurable: { thread_id: "a" } };

  it.each<[string, unknown, RegExp]>([
    ["a message", new AIMessage(SECRET), /REFUSED/],
    ["a message that a rail masks", new AIMessage("call 555"), /call \*\*\*/],
    ["a command", new Command({ update: { messages: [new AIMessage(SECRET)] } }), /REFUSED/],
    ["a command that a rail masks", new Command({ update: { messages: [new AIMessage("call 555")] } }), /call \*\*\*/],
  ])("are reviewed: %s", async (_, response, expected) => {
    const agent = await agentWith(() => response);
    const chunks = await drain(
      await agent.stream({ messages: [new HumanMessage("hi")] }, { ...config, streamMode: ["updates", "values"] }),
    );
    expect(seenIn(chunks)).toMatch(expected);
    expect(seenIn(chunks)).not.toMatch(/vault|555/);
  });

  it("a structured one of which a rail changed the message does not leave", async () => {
    const response = { structuredResponse: { number: "call 555" }, messages: [new AIMessage("call 555")] };
    const agent = await agentWith(() => response, { type: "object", properties: { number: { type: "string" } } });
    const result = await agent.invoke({ messages: [new HumanMessage("hi")] }, config);
    expect(seenIn(result)).not.toContain("555");
  });
});

import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, toolStrategy } from "langchain";
import { z } from "zod/v4";
import { guardrailsMiddleware, outputRailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

const HOOKS = ["beforeAgent", "wrapModelCall"] as const;

describe.each(HOOKS)("input rails in the hook %s", (inputHook) => {
  const texts = (messages: readonly BaseMessage[]): string[] =>
    messages.map((message) => `${message.getType()}: ${message.text}`);

  const calling = (name: string, id: string): AIMessage =>
    new AIMessage({ content: "", tool_calls: [{ name, args: { dish: "bread" }, id, type: "tool_call" }] });

  async function agentOf(replies: readonly ScriptedReply[], more: object = {}) {
    const reviewed: string[] = [];
    const onCheck = (text: string): void => void reviewed.push(text);
    const guardrails = await toolGuardrails({ input: ["check words", "hide digits"], onCheck });
    const agent = createAgent({
      model: scriptedModel([...replies]),
      tools: [],
      checkpointer: new MemorySaver(),
      middleware: [guardrailsMiddleware(guardrails, { inputHook })],
      ...more,
    });
    const config = { configurable: { thread_id: "t" } };
    const ask = async (text: string, id?: string) => {
      const message = new HumanMessage(id === undefined ? text : { content: text, id });
      return (await agent.invoke({ messages: [message] } as never, config)) as {
        readonly messages: BaseMessage[];
        readonly structuredResponse?: unknown;
      };
    };
    return { ask, reviewed, agent };
  }

  it("keep a rewritten message next to a structured response", async () => {
    const responseFormat = toolStrategy(z.object({ dish: z.string() }));
    const [{ name }] = responseFormat as unknown as readonly [{ readonly name: string }];
    const { ask } = await agentOf([calling(name, "c1"), calling(name, "c2")], { responseFormat });
    const first = await ask("cook 12");
    expect(first.structuredResponse).toEqual({ dish: "bread" });
    expect(texts(first.messages)[0]).toBe("human: cook **");
    const { messages } = await ask("cook 34");
    expect(texts(messages).filter((line) => line.startsWith("human"))).toEqual(["human: cook **", "human: cook **"]);
  });

  it("hide a blocked message after a tool call without a result", async () => {
    const responseFormat = toolStrategy(z.object({ dish: z.string() }));
    const { ask } = await agentOf([calling("extract-unknown", "c1")], { responseFormat });
    await ask("cook 12");
    const { messages } = await ask("bad words");
    expect(texts(messages).slice(-2)).toEqual(["human: (this message is hidden)", "ai: REFUSED"]);
  });

  it("review a message again that a later turn sends under the same id", async () => {
    const { ask, reviewed } = await agentOf([new AIMessage(""), new AIMessage("fine")]);
    await ask("hello", "m1");
    await ask("hello", "m1");
    expect(reviewed).toEqual(["hello", "hello"]);
  });

  it("cost a step of the graph only in `beforeAgent`", async () => {
    const { agent } = await agentOf([]);
    const nodes = Object.keys(agent.graph.nodes);
    expect(nodes.some((name) => name.endsWith("before_agent"))).toBe(inputHook === "beforeAgent");
    const guardrails = await toolGuardrails({ output: ["check answer"] });
    const unread = createAgent({ model: scriptedModel([]), middleware: [outputRailsMiddleware(guardrails)] as never });
    expect(Object.keys(unread.graph.nodes).some((name) => name.endsWith("before_agent"))).toBe(false);
  });
});

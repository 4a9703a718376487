import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { Runnable } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

const RAILS = { input: ["check words", "hide digits"], output: ["check answer"] };

async function open(replies: readonly string[]) {
  const guardrails = await toolGuardrails(RAILS);
  const checkpointer = new MemorySaver();
  const model = scriptedModel([...replies]);
  const agent = createAgent({ model, tools: [], checkpointer, middleware: [guardrailsMiddleware(guardrails)] });
  const guarded = guardrails.wrap(agent.graph as unknown as Runnable<object, { messages: BaseMessage[] }>);
  const config = { configurable: { thread_id: "t" } };
  const saved = async (): Promise<unknown[]> => {
    const states: unknown[] = [];
    for await (const state of checkpointer.list(config)) states.push(state);
    return states;
  };
  const say = (text: string) => guarded.invoke({ messages: [new HumanMessage(text)] }, config);
  return { guarded, agent, model, config, saved, say };
}

describe("an agent behind `wrap`: what an input rail blocks or rewrites is in no checkpoint at all", () => {
  it("a blocked message never reaches the agent, whose conversation goes on without it", async () => {
    const { say, saved, agent, config, model } = await open(["fine", "well"]);
    const blocked = await say("a bad question");
    expect(blocked.messages.at(-1)?.text).toBe("REFUSED");
    expect(await saved()).toEqual([]);
    expect((await say("hello")).messages.at(-1)?.text).toBe("fine");
    expect((await say("another bad question")).messages.at(-1)?.text).toBe("REFUSED");
    expect((await say("and now?")).messages.at(-1)?.text).toBe("well");
    expect(visibleJson(await saved())).not.toMatch(/\bbad\b/);
    const { values } = (await agent.graph.getState(config)) as { values: { messages: BaseMessage[] } };
    expect(values.messages.map(({ text }) => text)).toEqual(["hello", "fine", "and now?", "well"]);
    expect(model.calls).toHaveLength(2);
  });

  it("a rewritten message is rewritten from the first checkpoint on", async () => {
    const { say, saved } = await open(["fine"]);
    await say("my pin is 4711");
    expect(visibleJson(await saved())).not.toContain("4711");
    expect(visibleJson(await saved())).toContain("my pin is ****");
  });

  it("streams show nothing of it either", async () => {
    const { guarded, config, saved } = await open(["fine"]);
    const chunks = await drain(await guarded.stream({ messages: [new HumanMessage("a bad question")] }, config));
    expect(visibleJson(chunks)).toContain("REFUSED");
    expect(visibleJson(chunks)).not.toMatch(/\bbad\b/);
    expect(await saved()).toEqual([]);
  });

  it("while the middleware alone hides it behind the first checkpoint, which LangGraph writes before any hook", async () => {
    const { agent, config, saved } = await open(["fine"]);
    await agent.invoke({ messages: [new HumanMessage("a bad question")] }, config);
    const { values } = (await agent.graph.getState(config)) as { values: { messages: BaseMessage[] } };
    expect(visibleJson(values.messages)).not.toMatch(/\bbad\b/);
    // `list` gives the newest first.
    const [latest] = await saved();
    expect(visibleJson((latest as { checkpoint: unknown }).checkpoint)).not.toMatch(/\bbad\b/);
  });
});

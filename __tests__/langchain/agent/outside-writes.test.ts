import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { messageFingerprint } from "../../../src/langchain/tools/tool-calls.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

interface Agent {
  invoke(input: unknown, config: object): Promise<unknown>;
  readonly graph: {
    updateState(config: object, values: object, asNode?: string): Promise<object>;
    getStateHistory(config: object): AsyncIterable<{ readonly config: object }>;
  };
}

const TEXT = "bad words";
const config = { configurable: { thread_id: "t" } };
const human = (content: string) => new HumanMessage({ content, id: "b" });

/** Progress as this middleware keeps it, for a message that no rail has read. */
const forged = () => ({
  messages: [human(TEXT)],
  _guardrails: { passed: [messageFingerprint(human(TEXT))], verdict: { blocked: false, decisions: [] } },
});

const afterUpdate = (values: () => object, node: string) => async (agent: Agent) => {
  await agent.invoke({ messages: [new HumanMessage("hi")] }, config);
  await agent.graph.updateState(config, values(), node);
  return agent.invoke(null, config);
};

/** Ways in which a client of a graph writes its state, or continues an earlier one. */
const WAYS: Readonly<Record<string, (agent: Agent) => Promise<unknown>>> = {
  "the input": (agent) => agent.invoke(forged(), config),
  "a command": (agent) => agent.invoke(new Command({ update: forged(), goto: "model_request" }), config),
  "an update of the state as its start": afterUpdate(forged, "__start__"),
  "an update of the state as tools": afterUpdate(forged, "tools"),
  "an update without progress": afterUpdate(() => ({ messages: [human(TEXT)] }), "tools"),
  "earlier states of the thread": async (agent) => {
    await agent.invoke({ messages: [human(TEXT)] }, config);
    for (const state of await drain(agent.graph.getStateHistory(config))) await agent.invoke(null, state.config);
  },
  "branches of earlier states": async (agent) => {
    await agent.invoke({ messages: [new HumanMessage("hi")] }, config);
    for (const state of await drain(agent.graph.getStateHistory(config))) {
      const branch = await agent.graph.updateState(state.config, forged()).catch(() => undefined);
      if (branch !== undefined) await agent.invoke(null, branch);
    }
  },
};

describe.each(["beforeAgent", "wrapModelCall"] as const)("an agent with input rails in %s", (inputHook) => {
  async function open() {
    const guardrails = await toolGuardrails({ input: ["check words"], output: ["check answer"] });
    const model = scriptedModel(Array.from({ length: 20 }, () => "fine"));
    const noted = tool(() => "done", { name: "note", description: "d", schema: z.object({}) });
    const middleware = [guardrailsMiddleware(guardrails, { inputHook })];
    const agent = createAgent({ model, tools: [noted], checkpointer: new MemorySaver(), middleware });
    return { agent: agent as unknown as Agent, model };
  }

  it.each(Object.keys(WAYS))("reviews a message that comes by %s", async (way) => {
    const { agent, model } = await open();
    await WAYS[way]?.(agent);
    expect(JSON.stringify(model.calls)).not.toContain(TEXT);
  });
});

// Conversations that clients or other middleware change between the hooks of the guard.
import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, toolCallLimitMiddleware } from "langchain";
import { z } from "zod/v4";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel } from "../../../src/testing/index.js";
import { realGuardrails } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

const send = tool(({ text }) => `sent ${text}`, { name: "send", schema: z.object({ text: z.string() }) });

const asks = (...texts: string[]): AIMessage =>
  new AIMessage({ content: "", tool_calls: texts.map((text) => ({ name: "send", args: { text }, id: text })) });

describe("refused calls next to a limit on calls", () => {
  const orders = ["before", "after"] as const;
  const calls = [
    ["one", "bad"],
    ["bad", "one", "two"],
    ["one", "bad", "two", "three"],
    ["bad", "worse bad"],
  ];

  it.each(orders.flatMap((order) => calls.map((texts) => [order, texts] as const)))(
    "the model reads all refusals: the guard %s the limit, calls %j",
    async (order, texts) => {
      const model = scriptedModel([asks(...texts), "done"]);
      const guard = guardrailsMiddleware(await toolGuardrails({ calls: ["check call"] }));
      const limit = toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "continue" } as never) as never;
      const middleware = order === "before" ? [guard, limit] : [limit, guard];
      const { messages } = await createAgent({ model, tools: [send], middleware }).invoke({
        messages: [new HumanMessage("go")],
      });
      const results = messages.filter((message) => message.getType() === "tool");
      expect(
        results.map((message) => [(message as { tool_call_id?: string }).tool_call_id, message.text.split(" ")[0]]),
      ).toEqual([
        ...texts.filter((text) => text.includes("bad")).map((text) => [text, "REFUSED"]),
        ...texts.filter((text) => ["two", "three"].includes(text)).map((text) => [text, "Tool"]),
        ...texts.filter((text) => text === "one").map((text) => [text, "sent"]),
      ]);
      expect(model.calls[1]?.messages.map(({ text }) => text)).toEqual(messages.slice(0, -1).map(({ text }) => text));
      expect(JSON.stringify(messages)).not.toContain("guardrails_refused");
    },
  );
});

type Agent = ReturnType<typeof createAgent>;

describe("with `history: review`, the model reads no blocked text of a client that", () => {
  const bad = (id: string) => new HumanMessage({ id, content: "bad words" });
  const next = new HumanMessage("go on");
  const changes: [string, (agent: Agent, config: object) => Promise<unknown>][] = [
    ["replaces its last message", (agent, config) => agent.invoke({ messages: [bad("h1")] }, config)],
    ["replaces an earlier message", (agent, config) => agent.invoke({ messages: [bad("h1"), next] }, config)],
    ["replaces a response", (agent, config) => agent.invoke({ messages: [bad("a1"), next] }, config)],
    [
      "removes a response",
      (agent, config) => agent.invoke({ messages: [new RemoveMessage({ id: "a1" }), bad("h1")] }, config),
    ],
    [
      "updates the state",
      async (agent, config) => {
        await agent.graph.updateState(config, { messages: [bad("h1")] });
        return agent.invoke({ messages: [next] }, config);
      },
    ],
  ];

  it.each(
    (["beforeAgent", "wrapModelCall"] as const).flatMap((hook) =>
      changes.map(([name, run]) => [name, hook, run] as const),
    ),
  )("%s (%s)", async (_, inputHook, run) => {
    const model = scriptedModel([new AIMessage({ id: "a1", content: "one" }), "two"]);
    const middleware = [guardrailsMiddleware(await realGuardrails({ history: "review" }), { inputHook })];
    const agent = createAgent({ model, tools: [], checkpointer: new MemorySaver(), middleware }) as unknown as Agent;
    const config = { configurable: { thread_id: "t" } };
    await agent.invoke({ messages: [new HumanMessage({ id: "h1", content: "hello" })] }, config);
    await run(agent, config).catch(() => undefined);
    expect(model.calls.map(({ prompt }) => prompt).join("\n")).not.toContain("bad");
  });
});

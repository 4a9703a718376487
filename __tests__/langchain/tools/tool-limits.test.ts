import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { type Guardrails, verdictOf } from "../../../src/index.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

type Config = { readonly signal?: AbortSignal };

const call = { type: "tool_call" as const, name: "look_up", args: { q: "stuck" }, id: "c1" };

/** Runs the tool on each surface; returns the messages of the tool. */
const SURFACES: readonly (readonly [string, (guardrails: Guardrails, config: Config) => Promise<ToolMessage[]>])[] = [
  ["a guarded tool", async (g, config) => [(await g.tool(lookUp()).invoke(call, config)) as ToolMessage]],
  [
    "the middleware of an agent",
    async (g, config) => {
      const model = scriptedModel([new AIMessage({ content: "", tool_calls: [call] }), "done"]);
      const agent = createAgent({ model, tools: [lookUp()], middleware: [guardrailsMiddleware(g)] });
      const { messages } = await agent.invoke({ messages: [new HumanMessage("hi")] }, config);
      return messages.filter((message) => ToolMessage.isInstance(message)) as ToolMessage[];
    },
  ],
];

function lookUp() {
  return tool(() => "stuck result", { name: "look_up", description: "Looks up.", schema: z.object({ q: z.string() }) });
}

const RAILS = [
  ["calls", { calls: ["check call"] }],
  ["results", { results: ["check result"] }],
] as const;

describe.each(["1.0", "2.x"] as const)("a rail on tools that never ends (Colang %s)", (version) => {
  const cells = SURFACES.flatMap(([surface, run]) =>
    RAILS.map(([kind, rails]) => [kind, surface, rails, run] as const),
  );

  it.each(cells)("on %s blocks after its time limit in %s", async (_kind, _surface, rails, run) => {
    const onCheck = () => new Promise<never>(() => undefined);
    const guardrails = await toolGuardrails({ version, ...rails, onCheck, timeoutMs: 20, logger: false });
    const [message] = await run(guardrails, {});
    expect(message).toMatchObject({ status: "error" });
    expect(JSON.stringify(message)).not.toContain("stuck result");
    expect(message && verdictOf(message)).toMatchObject({ blocked: true, decisions: [{ status: "error" }] });
  });

  it.each(cells)("on %s ends with the caller's signal in %s", async (_kind, _surface, rails, run) => {
    const controller = new AbortController();
    const onCheck = () => {
      controller.abort(new Error("the caller left"));
      return new Promise<never>(() => undefined);
    };
    const guardrails = await toolGuardrails({ version, ...rails, onCheck, logger: false });
    await expect(run(guardrails, { signal: controller.signal })).rejects.toThrow();
  });
});

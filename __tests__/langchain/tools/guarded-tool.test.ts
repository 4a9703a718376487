import { describe, expect, it } from "@jest/globals";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { DynamicStructuredTool, DynamicTool, isStructuredTool, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { z } from "zod/v4";
import { z as z3 } from "zod/v3";
import { createAgent } from "langchain";
import { type Guardrails, GuardrailViolationError, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";

describe("guarded tools", () => {
  const RAILS = { calls: ["check call"], results: ["check result", "hide digits of result"] };

  function lookUp(answer: unknown = "found 12"): { tool: DynamicStructuredTool; seen: unknown[] } {
    const seen: unknown[] = [];
    const made = tool(
      (args) => {
        seen.push(args);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      { name: "look_up", description: "Looks something up.", schema: z.object({ q: z.string() }) },
    );
    return { tool: made as unknown as DynamicStructuredTool, seen };
  }

  const toolCall = (args: object, name = "look_up") => ({ type: "tool_call" as const, name, args, id: "c1" });

  describe("a guarded tool", () => {
    it("looks the same to a model and to an agent", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const inner = new DynamicStructuredTool({
        name: "look_up",
        description: "Looks something up.",
        schema: z.object({ q: z.string() }),
        func: async () => "found",
        returnDirect: true,
        responseFormat: "content",
        metadata: { team: "shop" },
        tags: ["mine"],
      });
      const guarded = guardrails.tool(inner);
      expect(guarded).toMatchObject({
        name: "look_up",
        description: "Looks something up.",
        returnDirect: true,
        responseFormat: "content",
        metadata: { team: "shop" },
        tags: ["mine"],
      });
      expect(guarded.schema).toBe(inner.schema);
      expect(isStructuredTool(guarded)).toBe(true);
    });

    it("runs, and responds in the type of the call", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const { tool: inner, seen } = lookUp();
      const guarded = guardrails.tool(inner);
      expect(await guarded.invoke({ q: "bikes" })).toBe("found **");
      const message = (await guarded.invoke(toolCall({ q: "bikes" }))) as ToolMessage;
      expect(message).toMatchObject({ content: "found **", tool_call_id: "c1", name: "look_up" });
      expect(ToolMessage.isInstance(message)).toBe(true);
      expect(verdictOf(message)).toMatchObject({ blocked: false });
      expect(seen).toEqual([{ q: "bikes" }, { q: "bikes" }]);
    });

    it.each<[string, object, unknown, number]>([
      ["arguments", { q: "bad bikes" }, "found", 0],
      ["a result", { q: "bikes" }, "bad words", 1],
      ["data", { q: "bikes" }, { rows: ["bad words"] }, 1],
      ["an error", { q: "bikes" }, new Error("bad words"), 1],
    ])("refuses %s in the type of the call", async (_, args, answer, runs) => {
      const guardrails = await toolGuardrails(RAILS);
      const { tool: inner, seen } = lookUp(answer);
      const guarded = guardrails.tool(inner);
      expect(await guarded.invoke(args as { q: string })).toBe("REFUSED");
      const message = (await guarded.invoke(toolCall(args))) as ToolMessage;
      expect(message).toMatchObject({ content: "REFUSED", status: "error", tool_call_id: "c1", name: "look_up" });
      expect(verdictOf(message)).toMatchObject({ blocked: true, stage: "execution" });
      expect(visibleJson(message)).not.toContain("bad");
      expect(seen).toHaveLength(runs * 2);
    });

    it("passes on changed arguments only if a rail changed them", async () => {
      const guardrails = await toolGuardrails({ calls: ["lower amount"] });
      const seen: unknown[] = [];
      const pay = tool((args) => void seen.push(args), { name: "pay", schema: z.object({ amount: z.number() }) });
      await guardrails.tool(pay).invoke({ ...toolCall({ amount: 500 }, "pay") });
      expect(seen).toEqual([{ amount: 1 }]);
    });

    it("reads the arguments of the tool once", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const seen: unknown[] = [];
      const schema = z3.object({ n: z3.string().transform(Number) });
      const count = tool((args: unknown) => String(seen.push(args)), { name: "count", schema: schema as never });
      await guardrails.tool(count as never).invoke({ n: "3" } as never);
      expect(seen).toEqual([{ n: 3 }]);
    });

    it("passes a tool's own error on when its text passed", async () => {
      const guardrails = await toolGuardrails({ results: ["check result"] });
      const failure = new Error("out of order");
      const { tool: inner } = lookUp(failure);
      await expect(guardrails.tool(inner).invoke({ q: "x" })).rejects.toBe(failure);
    });

    it("refuses arguments that the tool itself refuses", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const { tool: inner, seen } = lookUp();
      const message = (await guardrails.tool(inner).invoke(toolCall({ q: 1 }))) as ToolMessage;
      expect(message.status).toBe("error");
      expect(verdictOf(message)?.decisions[0]?.reason).toBe("the arguments do not match the tool's schema");
      expect(seen).toEqual([]);
    });

    it("keeps an artifact, without text that a rail removed from the result", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const make = (content: string) =>
        tool(() => [content, { rows: [content] }], {
          name: "look_up",
          schema: z.object({ q: z.string() }),
          responseFormat: "content_and_artifact",
        });
      const kept = (await guardrails.tool(make("found")).invoke(toolCall({ q: "x" }))) as ToolMessage;
      expect(kept.artifact).toEqual({ rows: ["found"] });
      const changed = (await guardrails.tool(make("pin 12")).invoke(toolCall({ q: "x" }))) as ToolMessage;
      expect([changed.content, changed.artifact]).toEqual(["pin **", { rows: ["pin **"] }]);
    });

    it("reviews the messages of a command", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const make = (content: string) =>
        tool(() => new Command({ update: { messages: [new ToolMessage({ content, tool_call_id: "c1" })], seen: 1 } }), {
          name: "look_up",
          schema: z.object({ q: z.string() }),
        });
      const passed = (await guardrails.tool(make("pin 12")).invoke(toolCall({ q: "x" }))) as unknown as Command;
      expect(passed).toBeInstanceOf(Command);
      expect(passed.update).toMatchObject({ seen: 1, messages: [{ content: "pin **" }] });
      const refused = (await guardrails.tool(make("bad")).invoke(toolCall({ q: "x" }))) as ToolMessage;
      expect(refused).toMatchObject({ content: "REFUSED", status: "error" });
    });

    it.each<[string, () => unknown, unknown]>([
      [
        "of one text",
        () => new DynamicTool({ name: "t", description: "d", func: async (text) => `said ${text}` }),
        "hi",
      ],
      [
        "made of a runnable",
        () =>
          RunnableLambda.from(({ q }: { q: string }) => `said ${q}`).asTool({
            name: "t",
            description: "d",
            schema: z.object({ q: z.string() }),
          }),
        { q: "hi" },
      ],
    ])("accepts a tool %s", async (_, make, input) => {
      const guardrails = await toolGuardrails(RAILS);
      const guarded = guardrails.tool(make() as never);
      expect(await guarded.invoke(input as never)).toBe("said hi");
      const bad = typeof input === "string" ? "bad" : { q: "bad" };
      expect(await guarded.invoke(bad as never)).toBe("REFUSED");
    });

    it("shows a raw result only to tracers", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const { tool: inner } = lookUp("bad words");
      const guarded = guardrails.tool(inner);
      const events = await drain(guarded.streamEvents(toolCall({ q: "x" }), { version: "v2" }));
      expect(JSON.stringify(events)).not.toContain("bad words");
      const runs: Run[] = [];
      const tracer = new (class extends BaseTracer {
        name = "tracer";
        protected override persistRun(run: Run): Promise<void> {
          runs.push(run);
          return Promise.resolve();
        }
      })({ _awaitHandler: true } as never);
      await guarded.invoke(toolCall({ q: "x" }), { callbacks: [tracer] });
      const [root] = runs;
      expect([root?.name, root?.run_type]).toEqual(["look_up", "tool"]);
      expect(root?.child_runs.map(({ name }) => name)).toEqual(["rail:check call", "look_up", "rail:check result"]);
      expect(JSON.stringify(root?.child_runs[1]?.outputs)).toContain("bad words");
      expect(JSON.stringify(root?.outputs)).not.toContain("bad words");
    });

    it("throws with `onBlocked: throw`", async () => {
      const guardrails = await toolGuardrails({ ...RAILS, onBlocked: "throw" });
      const { tool: inner } = lookUp("bad words");
      const refused = guardrails.tool(inner).invoke({ q: "x" });
      await expect(refused).rejects.toThrow(GuardrailViolationError);
    });

    it("does not change a tool without rails", async () => {
      const guardrails = await toolGuardrails({ input: ["check words"] });
      const { tool: inner } = lookUp("bad words");
      expect(await guardrails.tool(inner).invoke({ q: "x" })).toBe("bad words");
    });

    it("refuses a value that is not a tool", async () => {
      const guardrails = await toolGuardrails(RAILS);
      expect(() => guardrails.tool({ type: "function" } as never)).toThrow("expected a tool with `invoke`");
    });
  });

  describe("a call of an offered function", () => {
    const nested = { type: "object", properties: { q: {} }, required: ["q"] };

    // zod 4 lists `z.unknown()` among the required properties of a JSON Schema, and accepts objects without it.
    it.each<[string, object, object, number]>([
      ["may leave out a property of any value", { q: {} }, {}, 1],
      ["may leave out a described property of any value", { q: { description: "anything" } }, {}, 1],
      ["may leave out an inner property of any value", { q: nested }, { q: {} }, 1],
      ["needs a property of one type", { q: { type: "string" } }, {}, 0],
      ["needs a property that the schema does not describe", {}, {}, 0],
      ["needs the right type of an inner object", { q: nested }, { q: 1 }, 0],
    ])("%s", async (_, properties, args, passed) => {
      const guardrails = await toolGuardrails(RAILS);
      const parameters = { type: "object", properties, required: ["q"] };
      const call = { name: "look_up", args: { ...args }, id: "c1", type: "tool_call" as const };
      const model = scriptedModel([new AIMessage({ content: "", tool_calls: [call] })]);
      const bound = guardrails.wrap(model).bindTools([{ type: "function", function: { name: "look_up", parameters } }]);
      const answer = await bound.invoke("hi");
      expect(answer.tool_calls).toHaveLength(passed);
      expect(verdictOf(answer)?.blocked).toBe(passed === 0);
    });
  });
});

describe("time limits of rails on tools", () => {
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
    return tool(() => "stuck result", {
      name: "look_up",
      description: "Looks up.",
      schema: z.object({ q: z.string() }),
    });
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
});

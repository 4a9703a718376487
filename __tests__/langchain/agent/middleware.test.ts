import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent } from "langchain";
import { z } from "zod/v4";
import { Guardrails, GuardrailViolationError, type RailDecision, verdictOf } from "langchain-guardrails";
import { guardrailsMiddleware, inputRailsMiddleware, outputRailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";
import { toolGuardrails, type ToolSetup } from "../../support/langchain/tool-guardrails.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

/** Hooks in which the input rails may run. */
const HOOKS = ["beforeAgent", "wrapModelCall"] as const;

describe.each(HOOKS)("the middleware of an agent, input rails in %s", (inputHook) => {
  const RAILS: ToolSetup = {
    input: ["check words", "hide digits"],
    output: ["check answer"],
    calls: ["check call"],
    results: ["check result", "hide digits of result"],
  };

  const asks = (args: object, id = "c1"): AIMessage =>
    new AIMessage({ content: "", tool_calls: [{ name: "look_up", args: args as never, id }] });

  function lookUp(answer: string | Error): { tool: ReturnType<typeof tool>; seen: unknown[] } {
    const seen: unknown[] = [];
    const made = tool(
      (args: unknown) => {
        seen.push(args);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      { name: "look_up", description: "d", schema: z.object({ q: z.string().optional() }) },
    );
    return { tool: made as never, seen };
  }

  interface Setup extends ToolSetup {
    readonly replies: readonly ScriptedReply[];
    readonly answer?: string | Error;
    readonly options?: object;
  }

  async function agentOf({ replies, answer = "found 12", options = {}, ...setup }: Setup) {
    const guardrails = await toolGuardrails(setup);
    const model = scriptedModel([...replies]);
    const { tool: search, seen } = lookUp(answer);
    const checkpointer = new MemorySaver();
    const agent = createAgent({
      model,
      tools: [search as never],
      checkpointer,
      middleware: [guardrailsMiddleware(guardrails, { inputHook, ...options })],
    });
    const config = { configurable: { thread_id: "t" } };
    const ask = async (text: string): Promise<BaseMessage[]> =>
      (await agent.invoke({ messages: [new HumanMessage(text)] } as never, config as never)).messages as BaseMessage[];
    const saved = async (): Promise<string> => {
      const states = [];
      for await (const state of checkpointer.list(config)) states.push(state);
      return JSON.stringify(states);
    };
    return { agent, model, seen, ask, saved, config, checkpointer };
  }

  const texts = (messages: readonly BaseMessage[]): string[] =>
    messages.map((message) => `${message.getType()}: ${message.text}`);

  describe("a guarded agent", () => {
    it("responds, runs tools, and applies the changes of rails", async () => {
      const { ask, model, seen } = await agentOf({ ...RAILS, replies: [asks({ q: "x" }), "fine"] });
      const messages = await ask("look up 12");
      expect(texts(messages)).toEqual(["human: look up **", "ai: ", "tool: found **", "ai: fine"]);
      expect(seen).toEqual([{ q: "x" }]);
      expect(model.calls[1]?.prompt).toBe("human: look up **\nai: \ntool: found **");
      expect(verdictOf(messages.at(-1) as BaseMessage)).toMatchObject({ blocked: false });
    });

    it("responds with the refusal when an input rail blocks, calls no model, and removes the message", async () => {
      const { ask, model, agent, config } = await agentOf({ ...RAILS, replies: ["later"] });
      const messages = await ask("bad words");
      expect(texts(messages)).toEqual(["human: (this message is hidden)", "ai: REFUSED"]);
      expect(verdictOf(messages[1] as BaseMessage)).toMatchObject({
        blocked: true,
        stage: "input",
        rail: "check words",
      });
      expect(model.calls).toHaveLength(0);
      await ask("hello");
      expect(model.calls[0]?.prompt).not.toMatch(/\bbad\b/);
      const { values } = await agent.graph.getState(config);
      expect(visibleJson(values)).not.toMatch(/\bbad\b/);
    });

    it("puts the refusal in the place of a blocked response, in state and checkpoints too (D6)", async () => {
      const { ask, saved } = await agentOf({ ...RAILS, replies: ["a bad answer"] });
      const messages = await ask("hello");
      expect(texts(messages)).toEqual(["human: hello", "ai: REFUSED"]);
      expect(verdictOf(messages[1] as BaseMessage)).toMatchObject({ blocked: true, stage: "output" });
      expect(await saved()).not.toMatch(/\bbad\b/);
    });

    it("keeps identity and text of the user's messages through every tool call (D7)", async () => {
      const { agent, config } = await agentOf({
        ...RAILS,
        replies: [asks({ q: "x" }), asks({ q: "y" }, "c2"), "fine"],
      });
      const user = new HumanMessage({
        content: [
          { type: "text", text: "look it up" },
          { type: "image_url", image_url: { url: "https://example.org/x.png" } },
        ],
        id: "u1",
        name: "ada",
      });
      const { messages } = await agent.invoke({ messages: [user] } as never, config as never);
      expect(messages[0]).toMatchObject({ id: "u1", name: "ada", content: user.content });
      expect(messages.filter((message) => message.getType() === "human")).toHaveLength(1);
    });

    it("runs the input rails once per turn", async () => {
      const seen: string[] = [];
      const { ask } = await agentOf({
        input: ["check words"],
        replies: [asks({}), asks({}, "c2"), "fine", "again"],
        onCheck: (text) => void seen.push(text),
      });
      await ask("one");
      await ask("two");
      expect(seen).toEqual(["one", "found 12", "found 12", "two"]);
    });

    it("checks all texts of the user's messages (D4, D18)", async () => {
      const { agent, config, model } = await agentOf({ ...RAILS, replies: [] });
      const hidden = new HumanMessage({ content: [{ type: "text-plain", text: "bad words" }] as never });
      const { messages } = await agent.invoke(
        { messages: [hidden, new HumanMessage("hello")] } as never,
        config as never,
      );
      expect(messages.at(-1)?.text).toBe("REFUSED");
      expect(model.calls).toHaveLength(0);
    });

    it("passes content blocks on as blocks (D18)", async () => {
      const { agent, config, model } = await agentOf({ ...RAILS, replies: ["fine"] });
      const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
      const user = new HumanMessage({ content: [{ type: "text", text: "pin 12" }, image] });
      await agent.invoke({ messages: [user] } as never, config as never);
      expect(model.calls[0]?.messages.at(-1)?.content).toEqual([{ type: "text", text: "pin **" }, image]);
    });

    it.each<[string, Partial<Setup> & { replies: readonly ScriptedReply[] }, string, number]>([
      ["a call with bad arguments", { replies: [asks({ q: "bad" }), "sorry"] }, "REFUSED", 0],
      [
        "a call with unreadable arguments",
        {
          replies: [
            new AIMessage({ content: "", invalid_tool_calls: [{ name: "look_up", args: "{bad", id: "c1" }] }),
            "sorry",
          ],
        },
        "This tool call was not allowed.",
        0,
      ],
      ["a bad result", { replies: [asks({ q: "x" }), "sorry"], answer: "bad words" }, "REFUSED", 1],
      ["a tool's bad error", { replies: [asks({ q: "x" }), "sorry"], answer: new Error("bad words") }, "REFUSED", 1],
    ])("reports to the model that %s was refused, and continues (D6)", async (_, setup, refusal, runs) => {
      const { ask, seen, saved } = await agentOf({ ...RAILS, ...setup });
      const messages = await ask("look up");
      expect(texts(messages)).toEqual(["human: look up", "ai: ", `tool: ${refusal}`, "ai: sorry"]);
      expect(messages[2]).toMatchObject({ status: "error", tool_call_id: "c1", name: "look_up" });
      expect(verdictOf(messages[2] as BaseMessage)).toMatchObject({ blocked: true, stage: "execution" });
      expect(seen).toHaveLength(runs);
      expect(visibleJson(messages)).not.toMatch(/\bbad\b/);
      expect(await saved()).not.toMatch(/\bbad\b/);
    });

    it("reports a tool's own error to the model, as agents do", async () => {
      const { ask } = await agentOf({
        ...RAILS,
        replies: [asks({ q: "x" }), "sorry"],
        answer: new Error("out of order"),
      });
      const messages = await ask("look up");
      expect(texts(messages)[2]).toContain("out of order");
      expect((messages[2] as ToolMessage).status).toBe("error");
    });

    it("reviews results of tools without result rails as input", async () => {
      const { ask } = await agentOf({
        input: ["check words", "hide digits"],
        replies: [asks({ q: "x" }), "sorry"],
        answer: "bad",
      });
      expect(texts(await ask("look up"))[2]).toBe("tool: REFUSED");
    });

    it("runs the rails on a call once", async () => {
      const seen: string[] = [];
      const { ask } = await agentOf({
        calls: ["check call"],
        replies: [asks({ q: "x" }), "fine"],
        onCheck: (text) => void seen.push(text),
      });
      await ask("look up");
      expect(seen).toEqual(['{"q":"x"}']);
    });

    it.each<[string, object, string, string]>([
      ["blockedInputMessage", { blockedInputMessage: "No." }, "bad words", "No."],
      ["blockedOutputMessage", { blockedOutputMessage: "Not that." }, "hello", "Not that."],
    ])("emits %s instead", async (_, options, text, said) => {
      const { ask } = await agentOf({ ...RAILS, options, replies: ["a bad answer"] });
      expect((await ask(text)).at(-1)?.text).toBe(said);
    });

    it.each<[string, object, string, string]>([
      ["enableInputRails", { enableInputRails: false }, "bad words", "fine"],
      ["enableOutputRails", { enableOutputRails: false }, "hello", "a bad answer"],
      ["a stage of rails", { rails: { output: false } }, "hello", "a bad answer"],
    ])("skips rails with %s", async (_, options, text, said) => {
      const { ask } = await agentOf({ ...RAILS, options, replies: [said] });
      expect((await ask(text)).at(-1)?.text).toBe(said);
    });

    it.each<[string, object, string]>([
      ["input, by the peer's name", { raiseOnViolation: true }, "bad words"],
      ["input", { onBlocked: "throw" }, "bad words"],
      ["output", { onBlocked: "throw" }, "hello"],
    ])("throws on a block of the %s with `onBlocked: throw`", async (_, options, text) => {
      const { ask } = await agentOf({ ...RAILS, options, replies: ["a bad answer"] });
      const error: unknown = await ask(text).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      const violation = GuardrailViolationError.isInstance(error) ? error : (error as Error).cause;
      expect(GuardrailViolationError.isInstance(violation)).toBe(true);
      expect(String((error as Error).message)).not.toMatch(/\bbad\b/);
    });

    it("refuses contradictory options, and values that are not a guard", async () => {
      const guardrails = await toolGuardrails();
      expect(() => guardrailsMiddleware(guardrails, { raiseOnViolation: false, onBlocked: "throw" })).toThrow(
        "expected either `raiseOnViolation` or `onBlocked`, got both",
      );
      expect(() => guardrailsMiddleware({} as never)).toThrow("expected a guardrails object");
    });

    it("keeps the verdict of the turn in a private channel", async () => {
      const { ask, agent, config } = await agentOf({ ...RAILS, replies: [asks({ q: "x" }), "fine"] });
      await ask("hello");
      const { values } = await agent.graph.getState(config);
      const decided = (values as { _guardrails: { verdict: { decisions: { stage: string }[] } } })._guardrails.verdict
        .decisions;
      expect(new Set(decided.map(({ stage }) => stage))).toEqual(new Set(["input", "execution", "output"]));
      const result = await agent.invoke({ messages: [new HumanMessage("bad")] } as never, config as never);
      expect(Object.keys(result)).not.toContain("_guardrails");
    });

    it("adds decisions on results that no model reads to the verdict of the turn", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const find = tool(({ q = "" }: { q?: string }) => `found ${q}`, {
        name: "look_up",
        description: "d",
        schema: z.object({ q: z.string().optional() }),
        returnDirect: true,
      });
      const calls = ["a", "b"].map((q) => ({ name: "look_up", args: { q }, id: q, type: "tool_call" as const }));
      const agent = createAgent({
        model: scriptedModel([new AIMessage({ content: "", tool_calls: calls })]),
        tools: [find as never],
        checkpointer: new MemorySaver(),
        middleware: [undefined, "Second"].map((name) =>
          guardrailsMiddleware(guardrails, { inputHook, name } as object),
        ),
      });
      const config = { configurable: { thread_id: "t" } };
      await agent.invoke({ messages: [new HumanMessage("hello")] } as never, config as never);
      const { values } = await agent.graph.getState(config);
      const { verdict } = (values as { _guardrails: { verdict: { decisions: RailDecision[] } } })._guardrails;
      const results = verdict.decisions.filter(({ metadata }) => metadata?.["checked"] === "result");
      expect(new Set(results.map(({ metadata }) => metadata?.["toolCallId"]))).toEqual(new Set(["a", "b"]));
      expect(verdict.decisions.map(({ stage }) => stage)).toContain("input");
    });

    it("has separate variants for input rails and for output rails", async () => {
      const guardrails = await toolGuardrails(RAILS);
      const run = async (middleware: AgentMiddleware, text: string): Promise<string | undefined> => {
        const agent = createAgent({ model: scriptedModel("a bad answer"), tools: [], middleware: [middleware] });
        const { messages } = (await agent.invoke({ messages: [new HumanMessage(text)] })) as {
          messages: BaseMessage[];
        };
        return messages.at(-1)?.text;
      };
      expect(await run(inputRailsMiddleware(guardrails, { inputHook }), "bad words")).toBe("REFUSED");
      expect(await run(inputRailsMiddleware(guardrails, { inputHook }), "hello")).toBe("a bad answer");
      expect(await run(outputRailsMiddleware(guardrails), "bad words")).toBe("REFUSED");
    });
  });

  describe("streams of a guarded agent", () => {
    const MODES = ["values", "updates", "messages", "custom"] as const;

    it.each<[string, Partial<Setup> & { replies: readonly ScriptedReply[] }, string]>([
      ["a blocked answer", { replies: ["a bad answer"] }, "REFUSED"],
      ["a blocked call", { replies: [asks({ q: "bad" }), "sorry"] }, "sorry"],
      ["a blocked result", { replies: [asks({ q: "x" }), "sorry"], answer: "bad words" }, "sorry"],
      [
        "a rewritten result",
        { replies: [asks({ q: "x" }), "sorry"], answer: "bad".replace("bad", "pin 4711") },
        "sorry",
      ],
    ])("never contain %s (D6)", async (_, setup, said) => {
      for (const streamMode of MODES) {
        const { agent, config } = await agentOf({ ...RAILS, ...setup });
        const chunks = await drain(
          await agent.stream({ messages: [new HumanMessage("hello")] } as never, { ...config, streamMode } as never),
        );
        const all = visibleJson(chunks);
        expect(all).not.toMatch(/\bbad\b|4711/);
        if (streamMode === "custom") expect(all).toContain('"type":"guardrails"');
        else if (streamMode !== "messages") expect(all).toContain(said);
        else expect((chunks as unknown as [BaseMessage][]).map(([message]) => message.text).join("")).toContain(said);
      }
      const { agent, config } = await agentOf({ ...RAILS, ...setup });
      const stream = agent.streamEvents(
        { messages: [new HumanMessage("hello")] } as never,
        { ...config, version: "v2" } as never,
      );
      const events = await drain(stream as unknown as AsyncIterable<{ event: string }>);
      expect(visibleJson(events)).not.toMatch(/\bbad\b|4711/);
    });

    it("show no text of a verdict as a response", async () => {
      const guardrails = await toolGuardrails({ ...RAILS });
      const agent = createAgent({
        model: scriptedModel("fine"),
        tools: [],
        middleware: [guardrailsMiddleware(guardrails, { inputHook })],
      });
      const stream = await agent.stream({ messages: [new HumanMessage("hello")] }, { streamMode: "messages" });
      const chunks = await drain(stream as unknown as AsyncIterable<[BaseMessage]>);
      const said = chunks.map(([message]) => message.text).join("");
      expect(said).toBe("fine");
    });
  });
});

describe.each(HOOKS)("the middleware of an agent with a dialog, input rails in %s", (inputHook) => {
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
    it("respond to known intents, and leave the rest and tool results to the agent", async () => {
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
        middleware: [guardrailsMiddleware(guardrails, { inputHook })],
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
});

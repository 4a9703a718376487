import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, humanInTheLoopMiddleware, toolStrategy } from "langchain";
import { z } from "zod/v4";
import { guardrailsMiddleware, outputRailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";
import { drain } from "../../support/langchain/real-guardrails.js";
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
    const { ask, reviewed } = await agentOf([new Error("down"), new AIMessage("fine")]);
    await expect(ask("hello", "m1")).rejects.toThrow("down");
    await ask("hello", "m1");
    expect(reviewed).toEqual(["hello", "hello"]);
  });

  describe("review each message once", () => {
    const looking = () => calling("look_up", "c1");
    const loop = () => [looking(), calling("look_up", "c2"), new AIMessage("done")];
    const lookUp = (work: () => string) => tool(work, { name: "look_up", description: "d", schema: z.object({}) });
    const resume = new Command({ resume: "yes" });
    const approve = new Command({ resume: { decisions: [{ type: "approve" }] } });

    /** An agent with two guards, and the texts that each of them has reviewed. */
    async function open(replies: readonly ScriptedReply[], more: object = {}, before: readonly unknown[] = []) {
      const seen: Record<"first" | "second", string[]> = { first: [], second: [] };
      const guardOf = async (name: keyof typeof seen, input: string[]) => {
        const onCheck = (text: string): void => void seen[name].push(text);
        return guardrailsMiddleware(await toolGuardrails({ input, onCheck }), { inputHook, name });
      };
      const guards = [await guardOf("first", ["check words", "hide digits"]), await guardOf("second", ["check words"])];
      const agent = createAgent({
        model: scriptedModel([...replies]),
        checkpointer: new MemorySaver(),
        tools: [lookUp(() => "found")],
        ...more,
        middleware: [...before, ...guards],
      } as never);
      const invoke = (input: unknown) => agent.invoke(input as never, { configurable: { thread_id: "t" } });
      return { agent, invoke, seen };
    }
    const asking = { messages: [new HumanMessage("cook 12")] };
    const once = { first: ["cook 12"], second: ["cook **"] };
    const usersOf = (seen: Record<"first" | "second", string[]>) => {
      const ofUser = (all: string[]): string[] => all.filter((text) => text.startsWith("cook"));
      return { first: ofUser(seen.first), second: ofUser(seen.second) };
    };

    it("with two guards, in a loop of tools", async () => {
      const { invoke, seen } = await open([...loop(), new AIMessage("again")]);
      await invoke(asking);
      expect(usersOf(seen)).toEqual(once);
      await invoke({ messages: [new HumanMessage("cook 3")] });
      expect(usersOf(seen)).toEqual({ first: ["cook 12", "cook 3"], second: ["cook **", "cook *"] });
    });

    it.each<[string, Command, object, readonly unknown[]]>([
      ["of a tool", resume, { tools: [lookUp(() => String(interrupt("ok?")))] }, []],
      ["for an approval", approve, {}, [humanInTheLoopMiddleware({ interruptOn: { look_up: true } } as never)]],
    ])("in a turn that continues after an interrupt %s", async (_, command, more, before) => {
      const { invoke, seen } = await open([looking(), new AIMessage("done")], more, before);
      await invoke(asking);
      expect(texts(((await invoke(command)) as { messages: BaseMessage[] }).messages).at(-1)).toBe("ai: done");
      expect(usersOf(seen)).toEqual(once);
    });

    it("if a middleware around them repeats the call of the model", async () => {
      const twice = createMiddleware({
        name: "twice",
        wrapModelCall: async (request, handler) => (await handler(request), handler(request)),
      });
      const { invoke, seen } = await open([new AIMessage("one"), new AIMessage("two")], {}, [twice]);
      await invoke(asking);
      expect(usersOf(seen)).toEqual(once);
    });

    it("and refuse a blocked one each time the call is repeated", async () => {
      const twice = createMiddleware({
        name: "twice",
        wrapModelCall: async (request, handler) => (await handler(request), handler(request)),
      });
      const { invoke } = await open([], {}, [twice]);
      const { messages } = (await invoke({ messages: [new HumanMessage("bad words")] })) as { messages: BaseMessage[] };
      expect(texts(messages)).toEqual(["human: (this message is hidden)", "ai: REFUSED"]);
    });
  });

  it.each(["text", "structured"])("show a rewritten message nowhere after them, with a %s response", async (form) => {
    const responseFormat = form === "text" ? undefined : toolStrategy(z.object({ dish: z.string() }));
    const [{ name }] = (responseFormat ?? [{ name: "" }]) as unknown as readonly [{ readonly name: string }];
    const seen: string[] = [];
    const inside = createMiddleware({
      name: "inside",
      wrapModelCall: (request, handler) => {
        seen.push(JSON.stringify([request.messages, request.state]));
        return handler(request);
      },
    });
    const guard = guardrailsMiddleware(await toolGuardrails({ input: ["hide digits"] }), { inputHook });
    const reply = form === "text" ? new AIMessage("fine") : calling(name, "c1");
    const agent = createAgent({
      model: scriptedModel([reply]),
      ...(responseFormat === undefined ? {} : { responseFormat }),
      middleware: [guard, inside],
    } as never);
    const streaming = agent.stream({ messages: [new HumanMessage("cook 12")] } as never, {
      streamMode: ["updates", "messages", "custom"],
    });
    expect(JSON.stringify(await drain((await streaming) as never))).not.toContain("cook 12");
    expect(seen.join("")).toContain("cook **");
    expect(seen.join("")).not.toContain("cook 12");
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

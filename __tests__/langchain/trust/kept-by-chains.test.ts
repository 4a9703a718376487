import { beforeEach, describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { type Guardrails, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

interface Conversation {
  readonly messages: BaseMessage[];
}

const VERSIONS = ["1.0", "2.x"] as const;
let thread = { configurable: { thread_id: "" } };
let threads = 0;
beforeEach(() => {
  threads += 1;
  thread = { configurable: { thread_id: `t${threads}` } };
});

const texts = ({ messages }: Conversation): string[] =>
  messages.map((message) => `${message.getType()}: ${message.text}`);
const asking = (text: string): Conversation => ({ messages: [new HumanMessage(text)] });

/** A graph that keeps its conversation itself, as an agent with a checkpointer does. */
function keepingGraph(replies: readonly (string | AIMessage)[]) {
  const model = scriptedModel([...replies]);
  const answer = async ({ messages }: Conversation): Promise<Conversation> => ({
    messages: [await model.invoke(messages)],
  });
  return new StateGraph(MessagesAnnotation)
    .addNode("answer", answer)
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
}

const wrapGraph = (guardrails: Guardrails, graph: ReturnType<typeof keepingGraph>) =>
  guardrails.wrap(graph as unknown as Runnable<Conversation, Conversation>);

const WAYS = {
  invoke: (chain: Runnable<Conversation, Conversation>, text: string) => chain.invoke(asking(text), thread),
  stream: async (chain: Runnable<Conversation, Conversation>, text: string) =>
    (await drain(await chain.stream(asking(text), thread))).at(-1) as Conversation,
};

describe.each(VERSIONS)("a wrapped graph that keeps its conversation (Colang %s)", (version) => {
  const cases = [
    ["blocked", ["check answer"], "a bad answer", "REFUSED"],
    ["masked", ["hide digits of answer"], "call 42", "call **"],
  ] as const;

  describe.each(cases)("with a response that was %s", (_, output, raw, shown) => {
    it.each(Object.entries(WAYS))("returns it in later turns as it was emitted (%s)", async (_way, ask) => {
      const chain = wrapGraph(
        await realGuardrails({ version, input: [], output }),
        keepingGraph([raw, "fine", "good"]),
      );
      expect(texts(await ask(chain, "hi"))).toEqual(["human: hi", `ai: ${shown}`]);
      const second = ["human: hi", `ai: ${shown}`, "human: and now?", "ai: fine"];
      expect(texts(await ask(chain, "and now?"))).toEqual(second);
      expect(texts(await ask(chain, "again"))).toEqual([...second, "human: again", "ai: good"]);
    });

    it("reviews it if another process has run the turn", async () => {
      const graph = keepingGraph([raw, "fine", "good"]);
      await graph.invoke(asking("hi"), thread);
      const chain = wrapGraph(await realGuardrails({ version, input: [], output }), graph);
      const [second, third] = [await WAYS.invoke(chain, "and now?"), await WAYS.invoke(chain, "again")];
      expect(JSON.stringify([second, third])).not.toMatch(/bad answer|call 42/);
      expect(texts(second).at(-1)).toBe(raw === "call 42" ? "ai: fine" : "ai: REFUSED");
      expect(texts(third).slice(-2)).toEqual(["human: again", "ai: good"]);
    });
  });

  it("reviews each message once", async () => {
    const checked: string[] = [];
    const onCheck = (text: string): number => checked.push(text);
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"], onCheck });
    const chain = wrapGraph(guardrails, keepingGraph(["one", "two", "three"]));
    for (const text of ["a", "b", "c"]) await chain.invoke(asking(text), thread);
    expect(checked).toEqual(["one", "two", "three"]);
  });

  it("reviews a response again that is blocked again", async () => {
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
    const chain = wrapGraph(guardrails, keepingGraph(["a bad answer", "a bad answer"]));
    await chain.invoke(asking("a"), thread);
    const { messages } = await chain.invoke(asking("b"), thread);
    expect(texts({ messages })).toEqual(["human: a", "ai: REFUSED", "human: b", "ai: REFUSED"]);
    expect(verdictOf(messages.at(-1) as BaseMessage)).toMatchObject({ blocked: true });
  });

  it("keeps conversations apart", async () => {
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
    const graph = keepingGraph(["one", "a bad answer", "two", "three"]);
    const chain = wrapGraph(guardrails, graph);
    const on = (id: string) => ({ configurable: { thread_id: id } });
    await chain.invoke(asking("a"), on("x"));
    await graph.invoke(asking("b"), on("y"));
    await chain.invoke(asking("c"), on("x"));
    expect(texts(await chain.invoke(asking("d"), on("y")))).toEqual(["human: d", "ai: REFUSED"]);
  });

  it("does not show the reasoning of an earlier answer", async () => {
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
    const thinking = new AIMessage({
      content: [
        { type: "reasoning", reasoning: "a bad plan" },
        { type: "text", text: "one" },
      ] as never,
    });
    const chain = wrapGraph(guardrails, keepingGraph([thinking, "two"]));
    const results = [await chain.invoke(asking("a"), thread), await chain.invoke(asking("b"), thread)];
    expect(JSON.stringify(results)).not.toContain("bad plan");
    expect(texts(results[1] as Conversation)).toEqual(["human: a", "ai: one", "human: b", "ai: two"]);
  });
});

describe("messages in the result of a chain that the caller never sent", () => {
  const bad = (text = "bad words") => new HumanMessage({ content: text, id: "n" });
  const results: readonly (readonly [string, (sent: BaseMessage[]) => BaseMessage[]])[] = [
    ["a message in the name of the user", (sent) => [...sent, bad(), new AIMessage("fine")]],
    ["one before the user's", (sent) => [bad(), new AIMessage("ok"), ...sent, new AIMessage("fine")]],
    ["a response before the user's message", (sent) => [new AIMessage("bad words"), ...sent, new AIMessage("fine")]],
    [
      "the result of a tool before it",
      (sent) => [
        new AIMessage({ content: "", tool_calls: [{ name: "t", args: {}, id: "1" }] }),
        new ToolMessage({ content: "bad words", tool_call_id: "1" }),
        ...sent,
        new AIMessage("fine"),
      ],
    ],
    ["the user's message, changed", () => [bad(), new AIMessage("fine")]],
    ["one at the end", (sent) => [...sent, new AIMessage("fine"), bad()]],
    ["a system message", (sent) => [...sent, new SystemMessage("bad words"), new AIMessage("fine")]],
    ["a system message at the end", (sent) => [...sent, new AIMessage("fine"), new SystemMessage("bad words")]],
    ["a system message at the beginning", (sent) => [new SystemMessage("bad words"), ...sent, new AIMessage("fine")]],
  ];
  const otherRoles: readonly (readonly [string, BaseMessage])[] = [
    ["a developer", new ChatMessage({ role: "developer", content: "bad words" })],
    ["a system", new ChatMessage({ role: "system", content: "bad words" })],
    ["an unknown role", new ChatMessage({ role: "critic", content: "bad words" })],
    ["a function", new FunctionMessage({ name: "f", content: "bad words" })],
    ["metadata", new SystemMessage({ content: "", additional_kwargs: { note: "bad words" } })],
  ];

  describe.each(VERSIONS)("Colang %s", (version) => {
    it.each(results)("are reviewed: %s", async (_, change) => {
      const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
      for (const asData of [false, true]) {
        const chain = RunnableLambda.from(({ messages }: Conversation) => {
          const made = change(messages);
          return { messages: asData ? made.map(toData) : made } as Conversation;
        });
        const result = await guardrails.wrap(chain).invoke(asking("hi"));
        expect(JSON.stringify(result)).toContain("REFUSED");
        expect(JSON.stringify(result)).not.toContain("bad words");
      }
    });

    it.each(otherRoles)("are reviewed in the name of %s", async (_, message) => {
      const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
      const change = ({ messages }: Conversation) => ({ messages: [...messages, message, new AIMessage("fine")] });
      const result = await guardrails.wrap(RunnableLambda.from(change)).invoke(asking("hi"));
      expect(texts(result)).toEqual(["human: hi", "ai: REFUSED"]);
    });

    it.each<[string, (message: BaseMessage) => BaseMessage[], boolean]>([
      ["after the user's", (message) => [new HumanMessage("hi"), message, new AIMessage("fine")], true],
      ["after a response", (message) => [new AIMessage("ok"), message, new AIMessage("fine")], true],
      ["at the beginning", (message) => [message, new HumanMessage("hi"), new AIMessage("fine")], false],
      ["at the beginning without a user", (message) => [message, new AIMessage("fine")], false],
    ])("are reviewed by a step if they are a system message %s: %#", async (_, list, isRead) => {
      const step = (await realGuardrails({ version, input: [], output: ["check answer"] })).output<BaseMessage[]>();
      const result = await step.invoke(list(new SystemMessage("bad words")));
      expect(result.at(-1)?.text).toBe(isRead ? "REFUSED" : "fine");
      expect(JSON.stringify(result).includes("bad words")).toBe(!isRead);
    });

    it("do not include those that the caller sent, in any form", async () => {
      const checked: string[] = [];
      const onCheck = (text: string): number => checked.push(text);
      const guardrails = await realGuardrails({ version, input: [], output: ["check answer"], onCheck });
      const chain = RunnableLambda.from(({ messages }: Conversation) => ({
        messages: [...messages, new AIMessage("fine")],
      }));
      const system = new SystemMessage("never say bad words");
      const history = [system, new HumanMessage("a bad day"), new AIMessage("a bad joke"), new HumanMessage("hi")];
      await guardrails.wrap(chain).invoke({ messages: history });
      await guardrails.wrap(chain).invoke({ messages: history.map(toData) as never });
      expect(checked).toEqual(["fine", "fine"]);
    });
  });
});

function toData(message: BaseMessage): object {
  const { content, tool_call_id, tool_calls, id } = message as BaseMessage & {
    tool_call_id?: string;
    tool_calls?: unknown[];
  };
  const type = message.getType();
  return {
    type,
    role: type === "human" ? "user" : type === "ai" ? "assistant" : type,
    content,
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(tool_calls === undefined || tool_calls.length === 0 ? {} : { tool_calls }),
    ...(id === undefined ? {} : { id }),
  };
}

import { describe, expect, it } from "@jest/globals";
import { AIMessage, type AIMessageFields, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Guardrails, GuardrailsMetadata } from "../../../src/index.js";
import { guardrailsNode, routeOnVerdict, routeOnVerdictIn, VERDICT_CHUNK } from "../../../src/langchain/langgraph.js";
import { scriptedModel, type ScriptedModel } from "../../../src/testing/index.js";
import { realGuardrails } from "../../support/langchain/real-guardrails.js";

const thread = { configurable: { thread_id: "a" } };
const HIDDEN = "(this message is hidden)";
const texts = (messages: readonly BaseMessage[]): string[] =>
  messages.map((message) => `${message.getType()}: ${message.text}`);

type Node = (state: { messages: BaseMessage[] }) => Promise<{ messages: BaseMessage[] }>;
const answering =
  (llm: ScriptedModel): Node =>
  async ({ messages }) => ({ messages: [await llm.invoke(messages)] });

/** guard → agent, and END when the guard blocks. */
function bot(guardrails: Guardrails, llm: ScriptedModel) {
  return new StateGraph(MessagesAnnotation)
    .addNode("guard", guardrailsNode(guardrails, "input"))
    .addNode("agent", guardrailsNode(guardrails, "output", { around: answering(llm) }))
    .addEdge(START, "guard")
    .addConditionalEdges("guard", routeOnVerdict, { passed: "agent", blocked: END })
    .addEdge("agent", END)
    .compile({ checkpointer: new MemorySaver() });
}

describe("an input node", () => {
  it("continues with messages that pass, and keeps their identity", async () => {
    const llm = scriptedModel(["hello"]);
    const graph = bot(await realGuardrails(), llm);
    const said = new HumanMessage({ content: "hi", id: "h1" });
    const { messages } = await graph.invoke({ messages: [said] }, thread);
    expect(texts(messages)).toEqual(["human: hi", "ai: hello"]);
    expect(messages[0]).toMatchObject({ id: "h1", content: "hi" });
  });

  it("replaces a rewritten message in its place", async () => {
    const llm = scriptedModel(["hello"]);
    const graph = bot(await realGuardrails(), llm);
    const { messages } = await graph.invoke({ messages: [new HumanMessage({ content: "I am 42", id: "h1" })] }, thread);
    expect(texts(messages)).toEqual(["human: I am **", "ai: hello"]);
    expect(messages[0]?.id).toBe("h1");
    expect(llm.calls.map(({ prompt }) => prompt).join("\n")).not.toContain("42");
  });

  it("removes a blocked message from the state and from later turns", async () => {
    const llm = scriptedModel(["hello", "fine"]);
    const graph = bot(await realGuardrails(), llm);
    const say = (text: string) => graph.invoke({ messages: [new HumanMessage(text)] }, thread);
    await say("hi");
    expect(texts((await say("a bad thing")).messages)).toEqual([
      "human: hi",
      "ai: hello",
      `human: ${HIDDEN}`,
      "ai: REFUSED",
    ]);
    await say("and now?");
    llm.assertDone();
    expect(llm.calls.map(({ prompt }) => prompt).join("\n")).not.toContain("bad");
    expect(JSON.stringify((await graph.getState(thread)).values)).not.toMatch(/bad [a-z]/);
  });
});

describe("an input node that blocks", () => {
  const pending = [
    new HumanMessage({ content: "look it up", id: "h" }),
    new AIMessage({ content: "", id: "c", tool_calls: [{ name: "search", args: {}, id: "t1" }] }),
    new ToolMessage({ content: "bad result", id: "t", tool_call_id: "t1", artifact: "bad artifact" }),
    new ToolMessage({ content: "not looked at", id: "u", tool_call_id: "t2" }),
  ];

  it("replaces blocked messages and those after them, and keeps earlier passed messages", async () => {
    const node = guardrailsNode<{ messages: BaseMessage[] }>(await realGuardrails(), "input");
    const { messages = [] } = await node.invoke({ messages: pending });
    expect(messages.map(({ id }) => id)).toEqual(["t", "u", undefined]);
    expect(texts(messages)).toEqual([`tool: ${HIDDEN}`, `tool: ${HIDDEN}`, "ai: REFUSED"]);
    expect(messages[0]).toMatchObject({ tool_call_id: "t1", status: "error", artifact: undefined });
    expect(JSON.stringify(messages)).not.toMatch(/bad [a-z]/);
  });

  it("removes the message with `onBlocked: remove`; a tool's result still becomes a note", async () => {
    const node = guardrailsNode<{ messages: BaseMessage[] }>(await realGuardrails(), "input", {
      blockedMessages: "remove",
    });
    const { messages = [] } = await node.invoke({ messages: [new HumanMessage({ content: "a bad thing", id: "h" })] });
    expect(messages.map((message) => [message.getType(), message.id])).toEqual([
      ["remove", "h"],
      ["ai", undefined],
    ]);
    const tools = await node.invoke({ messages: pending });
    expect(tools.messages?.map((message) => message.getType())).toEqual(["tool", "tool", "ai"]);
  });

  it("removes it from a graph's state for good", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("guard", guardrailsNode(await realGuardrails(), "input", { blockedMessages: "remove" }))
      .addEdge(START, "guard")
      .compile();
    const { messages } = await graph.invoke({ messages: [new HumanMessage("a bad thing")] });
    expect(texts(messages)).toEqual(["ai: REFUSED"]);
  });

  it("throws with `onBlocked: throw`, or writes the result of a function", async () => {
    const guardrails = await realGuardrails();
    const state = { messages: [new HumanMessage({ content: "a bad thing", id: "h" })] };
    const throwing = guardrailsNode(guardrails, "input", { onBlocked: "throw" });
    await expect(throwing.invoke(state)).rejects.toMatchObject({ decision: { rail: "check words" } });
    const own = guardrailsNode(guardrails, "input", { onBlocked: () => ({ messages: [], escalated: true }) });
    expect(await own.invoke(state)).toEqual({ messages: [], escalated: true });
    const words = guardrailsNode<{ messages: BaseMessage[] }>(guardrails, "input", {
      onBlocked: () => "Ask a person.",
    });
    expect(texts((await words.invoke(state)).messages ?? [])).toEqual([`human: ${HIDDEN}`, "ai: Ask a person."]);
  });

  it("refuses a state it cannot write to or read", async () => {
    const guardrails = await realGuardrails();
    const node = guardrailsNode<object>(guardrails, "input");
    await expect(node.invoke({ messages: [new HumanMessage("a bad thing")] })).rejects.toMatchObject({
      code: "RL-101",
      message: expect.stringContaining("`messagesStateReducer`"),
    });
    await expect(node.invoke({ question: "hi" })).rejects.toMatchObject({
      message: expect.stringContaining("`inputKey`"),
    });
    expect(() => guardrailsNode(guardrails, "input", { inputKey: "question" })).toThrow("`outputKey`");
    expect(() => guardrailsNode(guardrails, "input", { around: () => ({}) })).toThrow("`around`");
    expect(() => guardrailsNode({} as never, "input")).toThrow("expected a guardrails object");
  });
});

describe("routes", () => {
  const verdict = (blocked: boolean) => ({ guardrails: { blocked, decisions: [] } });
  it.each([
    ["a message of the user", new HumanMessage("hi"), "passed"],
    ["an unreviewed response", new AIMessage("hi"), "passed"],
    ["a response that passed", new AIMessage({ content: "hi", response_metadata: verdict(false) }), "passed"],
    ["a refusal", new AIMessage({ content: "no", response_metadata: verdict(true) }), "blocked"],
  ])("of %s", (_what, message, route) => {
    expect(routeOnVerdict({ messages: [new HumanMessage("hi"), message] })).toBe(route);
  });

  it("of a channel", () => {
    const route = routeOnVerdictIn("verdict");
    expect([route({ verdict: verdict(true).guardrails }), route({ verdict: verdict(false).guardrails })]).toEqual([
      "blocked",
      "passed",
    ]);
  });

  it.each([
    ["no messages", () => routeOnVerdict({})],
    ["an empty list", () => routeOnVerdict({ messages: [] })],
    ["no verdict", () => routeOnVerdictIn("verdict")({ verdict: { blocked: "no" } })],
  ])("are refused for %s", (_what, route) => {
    expect(route).toThrow(expect.objectContaining({ code: "RL-101" }));
  });
});

const MODES = ["values", "updates", "messages", "custom", "debug", "checkpoints", "tasks"] as const;

describe("a guarded node", () => {
  it.each(MODES)("shows nothing of a blocked response on the stream of %s", async (streamMode) => {
    const llm = scriptedModel(["a bad answer with a secret"]);
    const graph = bot(await realGuardrails(), llm);
    const emitted: unknown[] = [];
    const input = { messages: [new HumanMessage("hi")] };
    for await (const chunk of await graph.stream(input, { ...thread, streamMode })) emitted.push(chunk);
    llm.assertDone();
    const shown = JSON.stringify(emitted).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
    expect(shown).not.toMatch(/a bad|secret/);
    expect(shown).toMatch(streamMode === "custom" ? /"blocked":true/ : /REFUSED/);
  });

  it("shows nothing of it to stream events either", async () => {
    const graph = bot(await realGuardrails(), scriptedModel(["a bad answer with a secret"]));
    const emitted: unknown[] = [];
    const events = graph.streamEvents({ messages: [new HumanMessage("hi")] }, { ...thread, version: "v2" });
    for await (const event of events) emitted.push(event);
    const shown = JSON.stringify(emitted).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
    expect(shown).not.toMatch(/a bad|secret/);
    expect(shown).toContain("REFUSED");
  });

  it("emits the verdict of every node on the custom stream", async () => {
    const graph = bot(await realGuardrails(), scriptedModel(["a bad answer"]));
    const emitted: { type: string; node?: string; blocked?: boolean }[] = [];
    const input = { messages: [new HumanMessage("hi")] };
    for await (const chunk of await graph.stream(input, { ...thread, streamMode: "custom" as const }))
      emitted.push(chunk);
    expect(emitted.filter(({ type }) => type === VERDICT_CHUNK)).toEqual([
      expect.objectContaining({ node: "input", blocked: false }),
      expect.objectContaining({ node: "output", blocked: true, stage: "output", rail: "check answer" }),
    ]);
  });

  it("streams a passed response once, with its id", async () => {
    const graph = bot(await realGuardrails(), scriptedModel(["hello"]));
    const emitted: BaseMessage[] = [];
    const input = { messages: [new HumanMessage("hi")] };
    const stream = await graph.stream(input, { ...thread, streamMode: "messages" as const });
    for await (const [message] of stream) emitted.push(message);
    const { messages } = (await graph.getState(thread)).values as { messages: BaseMessage[] };
    expect(emitted.map(({ id, text }) => [id, text])).toEqual([[messages.at(-1)?.id, "hello"]]);
  });

  it("may write nothing, one message, or plain data", async () => {
    const guardrails = await realGuardrails();
    const run = (update: unknown) =>
      guardrailsNode<{ messages: BaseMessage[] }>(guardrails, "output", { around: () => update }).invoke({
        messages: [new HumanMessage("hi")],
      });
    expect(await run(undefined)).toEqual({});
    expect(await run({ messages: [] })).toEqual({ messages: [] });
    expect(texts((await run({ messages: new AIMessage("bad") })).messages ?? [])).toEqual(["ai: REFUSED"]);
    expect(texts((await run({ messages: [{ role: "assistant", content: "bad" }] })).messages ?? [])).toEqual([
      "ai: REFUSED",
    ]);
    await expect(run("bad")).rejects.toMatchObject({ code: "RL-101" });
  });

  it.each<[string, object, object]>([
    ["passes", { draft: "fine", steps: 2 }, { draft: "fine", steps: 2 }],
    ["is masked", { draft: "call 555", steps: 2 }, { draft: "call ***", steps: 2 }],
    ["is blocked", { draft: "a bad draft", steps: 2 }, { messages: [{ content: "REFUSED" }], steps: 2 }],
  ])("reviews other channels of a node that writes no messages: the text %s", async (_, written, left) => {
    const around = (): object => written;
    const node = guardrailsNode<Record<string, unknown>>(await realGuardrails(), "output", { around: around as never });
    const update = await node.invoke({ messages: [new HumanMessage("hi")] });
    expect(update).toMatchObject(left);
    expect(
      Object.keys(update)
        .filter((key) => update[key as never] !== undefined)
        .toSorted(),
    ).toEqual(Object.keys(left).toSorted());
  });

  it("leaves nothing of a blocked response in its other channels", async () => {
    const node = guardrailsNode<Record<string, unknown>>(await realGuardrails(), "output", {
      around: () => ({ messages: [new AIMessage("a bad answer")], draft: "the draft: a bad answer", steps: 2 }),
    });
    const update = await node.invoke({ messages: [new HumanMessage("hi")] });
    expect(JSON.stringify(update)).not.toMatch(/bad [a-z]/);
    expect(update).toMatchObject({ steps: 2 });
  });

  it("can interrupt for a person and resume", async () => {
    const { interrupt } = await import("@langchain/langgraph");
    const node: Node = async () => ({ messages: [new AIMessage(`they said ${String(interrupt("ok?"))}`)] });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", guardrailsNode(await realGuardrails(), "output", { around: node }))
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    expect(await graph.invoke({ messages: [new HumanMessage("hi")] }, thread)).toMatchObject({
      __interrupt__: [{ value: "ok?" }],
    });
    expect(texts((await graph.invoke(new Command({ resume: "yes" }), thread)).messages).at(-1)).toBe(
      "ai: they said yes",
    );
  });
});

describe("an output node behind a node", () => {
  const ran = [
    new HumanMessage({ content: "hi", id: "h" }),
    new AIMessage({ content: "bad plan", id: "c", tool_calls: [{ name: "search", args: {}, id: "t1" }] }),
    new ToolMessage({ content: "bad result", id: "t", tool_call_id: "t1" }),
    new AIMessage({ content: "an answer", id: "a" }),
  ];

  it("replaces a blocked response, and removes the messages that led to it", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("check", guardrailsNode(await realGuardrails(), "output"))
      .addEdge(START, "check")
      .compile();
    const { messages } = await graph.invoke({ messages: ran });
    expect(messages.map(({ id, text }) => [id, text])).toEqual([
      ["h", "hi"],
      ["a", "REFUSED"],
    ]);
    expect(JSON.stringify(messages)).not.toMatch(/bad [a-z]/);
  });

  it("replaces a rewritten response in its place and leaves other messages alone", async () => {
    const node = guardrailsNode<{ messages: BaseMessage[] }>(await realGuardrails(), "output");
    const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const answer = new AIMessage({ content: "call 911", id: "a", usage_metadata } as AIMessageFields);
    const { messages } = await node.invoke({ messages: [new HumanMessage({ content: "hi", id: "h" }), answer] });
    expect(messages).toHaveLength(1);
    expect(messages?.[0]).toMatchObject({ id: "a", content: "call ***", usage_metadata: { total_tokens: 3 } });
  });

  it("works on states without messages", async () => {
    const State = Annotation.Root({
      question: Annotation<string>(),
      answer: Annotation<string>(),
      notes: Annotation<string[]>(),
      verdict: Annotation<GuardrailsMetadata>(),
    });
    const guardrails = await realGuardrails();
    const keys = { inputKey: "question", outputKey: "answer", contextKey: "notes", verdictKey: "verdict" };
    const graph = new StateGraph(State)
      .addNode("guard", guardrailsNode(guardrails, "input", keys))
      .addNode("reply", async ({ question }) => ({ answer: `you said ${question}`, notes: ["n"] }))
      .addNode("check", guardrailsNode(guardrails, "output", keys))
      .addEdge(START, "guard")
      .addConditionalEdges("guard", routeOnVerdictIn("verdict"), { passed: "reply", blocked: END })
      .addEdge("reply", "check")
      .compile();
    expect(await graph.invoke({ question: "a 1" })).toMatchObject({ question: "a *", answer: "you said a *" });
    expect(await graph.invoke({ question: "bad" })).toMatchObject({
      question: "",
      answer: "REFUSED",
      verdict: { blocked: true },
    });
  });
});

describe("commands", () => {
  it("route instead of edges", async () => {
    const guardrails = await realGuardrails();
    const goto = { passed: "agent", blocked: END };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("guard", guardrailsNode(guardrails, "input", { goto }), { ends: ["agent", END] })
      .addNode("agent", answering(scriptedModel(["hello"])))
      .addEdge(START, "guard")
      .compile();
    expect(texts((await graph.invoke({ messages: [new HumanMessage("bad")] })).messages).at(-1)).toBe("ai: REFUSED");
    expect(texts((await graph.invoke({ messages: [new HumanMessage("hi")] })).messages).at(-1)).toBe("ai: hello");
  });

  it.each([
    ["hello", ["human: hi", "ai: hello", "ai: next"]],
    ["bad", ["human: hi", "ai: REFUSED"]],
  ])("of the guarded node are followed only when %j passes", async (answer, expected) => {
    const around = () => new Command({ update: { messages: [new AIMessage(answer)] }, goto: "next" });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", guardrailsNode(await realGuardrails(), "output", { around }), { ends: ["next", END] })
      .addNode("next", async () => ({ messages: [new AIMessage("next")] }))
      .addEdge(START, "agent")
      .compile();
    expect(texts((await graph.invoke({ messages: [new HumanMessage("hi")] })).messages)).toEqual(expected);
  });
});

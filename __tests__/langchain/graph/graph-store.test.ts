import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { InMemoryStore, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { DECISION_EVENT, Guardrails } from "../../../src/index.js";
import { MemoryThreadStore } from "../../../src/langchain/threads.js";
import { forgetWarnings } from "../../../src/langchain/one-time-warning.js";
import { realGuardrails } from "../../support/langchain/real-guardrails.js";
import { scriptedModel } from "../../../src/testing/index.js";

const COLANG = `
define flow count
  event UserMessage
  $count = execute next
  bot $count

define subflow look
  $seen = execute see
`;
const actions = {
  next: (_params: unknown, { context }: { context: Readonly<Record<string, unknown>> }): number =>
    Number(context["count"] ?? 0) + 1,
  see: (): boolean => true,
};
const config = { rails: { input: { flows: ["look"] } } };
const thread = (thread_id: string) => ({ configurable: { thread_id } });

/** A graph of one node, which passes its config on or relies on LangGraph for that. */
function bot(guardrails: Guardrails, { store, passes }: { store?: InMemoryStore; passes: boolean }) {
  const model = guardrails.wrap(scriptedModel([]));
  return new StateGraph(MessagesAnnotation)
    .addNode("bot", async ({ messages }, given) => ({
      messages: [passes ? await model.invoke(messages, given) : await model.invoke(messages)],
    }))
    .addEdge(START, "bot")
    .compile({ checkpointer: new MemorySaver(), ...(store === undefined ? {} : { store }) });
}

const ask = async (graph: ReturnType<typeof bot>, id: string): Promise<string | undefined> => {
  const { messages } = await graph.invoke({ messages: [new HumanMessage("hi")] }, thread(id));
  return messages.at(-1)?.text;
};

afterEach(() => {
  jest.restoreAllMocks();
  forgetWarnings();
});

describe("a guarded model in a graph with a store", () => {
  it.each([true, false])("keeps its conversations there (node passes its config: %s)", async (passes) => {
    const store = new InMemoryStore();
    const load = () => Guardrails.fromConfig({ colang: COLANG, config }, { actions });
    const first = bot(await load(), { store, passes });
    expect([await ask(first, "a"), await ask(first, "a"), await ask(first, "b")]).toEqual(["1", "2", "1"]);
    // A new process has a new runtime and finds the same store.
    expect(await ask(bot(await load(), { store, passes }), "a")).toBe("3");
    expect(await store.get(["guardrails", "threads"], "id.a")).toMatchObject({ value: { state: {} } });
  });

  it("keeps them under the given namespace, whatever the graph has", async () => {
    const store = new InMemoryStore();
    const threads = new MemoryThreadStore();
    const graph = bot(await Guardrails.fromConfig({ colang: COLANG, config }, { actions, threads }), {
      store,
      passes: true,
    });
    await ask(graph, "a");
    expect(threads.get("a")).toBeDefined();
    expect(await store.get(["guardrails", "threads"], "id.a")).toBeNull();
  });

  it("keeps them in memory without a store", async () => {
    const graph = bot(await Guardrails.fromConfig({ colang: COLANG, config }, { actions }), { passes: true });
    expect([await ask(graph, "a"), await ask(graph, "a")]).toEqual(["1", "2"]);
  });

  it("warns when two configurations would mix their conversations", async () => {
    const given: string[] = [];
    jest.spyOn(console, "warn").mockImplementation((text: string) => void given.push(text));
    const store = new InMemoryStore();
    for (const colang of [
      COLANG,
      `${COLANG}\ndefine bot greet\n  "hi"\n\ndefine flow greet\n  user greet\n  bot greet\n`,
    ]) {
      await ask(bot(await Guardrails.fromConfig({ colang, config }, { actions }), { store, passes: true }), "a");
    }
    expect(given).toEqual([expect.stringContaining("several configurations keep conversations")]);
  });

  it("emits its decisions on the custom stream", async () => {
    const graph = bot(await Guardrails.fromConfig({ colang: COLANG, config }, { actions }), { passes: true });
    const emitted: unknown[] = [];
    const stream = await graph.stream(
      { messages: [new HumanMessage("hi")] },
      { ...thread("a"), streamMode: "custom" as const },
    );
    for await (const chunk of stream) emitted.push(chunk);
    expect(emitted).toEqual([
      expect.objectContaining({ type: DECISION_EVENT, stage: "input", rail: "look", status: "passed" }),
    ]);
  });
});

it("a guarded graph with a guarded model inside does not wait for itself", async () => {
  const guardrails = await realGuardrails();
  const model = guardrails.wrap(scriptedModel(["one", "a bad two", "three"]));
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("bot", async ({ messages }, given) => ({ messages: [await model.invoke(messages, given)] }))
    .addEdge(START, "bot")
    .compile({ checkpointer: new MemorySaver() });
  const guarded = guardrails.wrap(graph);
  const say = async (text: string) =>
    (await guarded.invoke({ messages: [new HumanMessage(text)] }, thread("a"))).messages.at(-1)?.text;
  expect([await say("hi"), await say("hi"), await say("a bad hi"), await say("hi")]).toEqual([
    "one",
    "REFUSED",
    "REFUSED",
    "three",
  ]);
  expect(JSON.stringify((await graph.getState(thread("a"))).values)).not.toMatch(/bad [a-z]/);
});

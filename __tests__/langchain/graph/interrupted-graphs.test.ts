import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import {
  Annotation,
  Command,
  entrypoint,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { z } from "zod/v4";
import { InputShapeError } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

const config = { configurable: { thread_id: "t" } };
const resume = (value: unknown): Command => new Command({ resume: value });
const seen: string[] = [];

/** A graph that asks a person before it responds. */
const asking = (question: unknown) =>
  new StateGraph(MessagesAnnotation)
    .addNode("a", ({ messages }) => {
      seen.push(messages.map(({ text }) => text).join());
      return { messages: [new AIMessage(`got ${String(interrupt(question))}`)] };
    })
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver() });

const Draft = Annotation.Root({ question: Annotation<string>(), answer: Annotation<string>() });

interface Row {
  readonly graph: (question: unknown) => object;
  readonly options?: object;
  readonly input?: unknown;
  /** Other entries of the result at the interrupt. */
  readonly waits: object;
  /** Result of a block. */
  readonly refused: object;
  /** Result after the person has responded with `yes 1`. */
  readonly done: unknown;
}

const withTexts = (...texts: string[]): object => ({
  messages: texts.map((text) => expect.objectContaining({ content: text })),
});

/** Graphs that wait at an interrupt before they have responded. */
const GRAPHS: Readonly<Record<string, Row>> = {
  "a graph with messages": {
    graph: asking,
    waits: withTexts("hi *"),
    refused: withTexts("hi *", "REFUSED"),
    done: withTexts("hi *", "got yes *"),
  },
  "a graph with other channels": {
    graph: (question) =>
      new StateGraph(Draft)
        .addNode("a", () => ({ answer: `got ${String(interrupt(question))}` }))
        .addEdge(START, "a")
        .compile({ checkpointer: new MemorySaver() }),
    options: { outputKey: "answer" },
    input: { question: "hi 1" },
    waits: { question: "hi *" },
    refused: { question: "hi *", answer: "REFUSED" },
    done: { question: "hi *", answer: "got yes *" },
  },
  "an entry point": {
    graph: (question) =>
      entrypoint(
        { name: "e", checkpointer: new MemorySaver() },
        async (text: string) => `${text} got ${String(interrupt(question))}`,
      ),
    input: "hi 1",
    waits: {},
    refused: { answer: "REFUSED" },
    done: "hi * got yes *",
  },
};

interface Graph {
  invoke(value: unknown, config: object): Promise<unknown>;
  stream(value: unknown, config: object): Promise<AsyncIterable<unknown>>;
}

const open = async (row: Row, question: unknown, version: "1.0" | "2.x" = "1.0") => {
  const guardrails = await realGuardrails({ version });
  const graph = guardrails.wrap(row.graph(question) as never, row.options) as unknown as Graph;
  return { graph, input: row.input ?? { messages: [new HumanMessage("hi 1")] } };
};

describe.each(Object.entries(GRAPHS))("%s behind the rails", (_, row) => {
  it.each(["1.0", "2.x"] as const)("returns its state at an interrupt, and resumes (Colang %s)", async (version) => {
    const { graph, input } = await open(row, { ask: "sure, 12?" }, version);
    const waiting = {
      ...row.waits,
      __interrupt__: [{ id: expect.stringMatching(/^[\da-f]{32}$/), value: { ask: "sure, **?" } }],
    };
    expect(await graph.invoke(input, config)).toEqual(waiting);
    expect(await graph.invoke(resume("yes 1"), config)).toEqual(row.done);
  });

  it.each([["bad?"], [{ ask: ["ok", "bad"] }]])("refuses the question %j", async (question) => {
    const { graph, input } = await open(row, question);
    const result = await graph.invoke(input, config);
    expect(result).toEqual(row.refused);
    expect(result).not.toHaveProperty("__interrupt__");
  });

  it("refuses what it says after it was resumed", async () => {
    const { graph, input } = await open(row, "sure?");
    await graph.invoke(input, config);
    expect(JSON.stringify(await graph.invoke(resume("bad"), config))).toMatch(/^(?!.*bad).*REFUSED/);
  });

  it("streams the same", async () => {
    const { graph, input } = await open(row, "sure?");
    const stream = async (value: unknown): Promise<unknown[]> => drain(await graph.stream(value, config));
    expect(await stream(input)).toEqual([
      { ...row.waits, __interrupt__: [expect.objectContaining({ value: "sure?" })] },
    ]);
    expect(await stream(resume("yes 1"))).toEqual([row.done]);
  });
});

it("returns the state of a graph that stops before a node, and continues it without an input", async () => {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("a", () => ({ messages: [new AIMessage("got 1")] }))
    .addEdge(START, "a")
    .compile({ checkpointer: new MemorySaver(), interruptBefore: ["a"] });
  const graph = (await realGuardrails()).wrap(inner as never) as unknown as typeof inner;
  const input = { messages: [new HumanMessage("hi 1")] };
  expect(await graph.invoke(input, config)).toEqual({ ...withTexts("hi *"), __interrupt__: [] });
  expect(await graph.invoke(null, config)).toEqual(withTexts("hi *", "got *"));
});

it("resumes in another process, which reviews all that it does not know", async () => {
  const inner = asking("sure?");
  const wrapped = async (shared: object) => (await realGuardrails(shared)).wrap(inner as never);
  await (await wrapped({ onCheck: () => undefined })).invoke({ messages: [new HumanMessage("hi 1")] } as never, config);
  const result = await (await wrapped({ onCheck: () => undefined })).invoke(resume("yes 1") as never, config);
  expect(result).toEqual(withTexts("hi *", "got yes *"));
});

it("reviews what a command writes to the state as input", async () => {
  const guardrails = await realGuardrails();
  const graph = guardrails.wrap(asking("sure?") as never) as unknown as Graph;
  await graph.invoke({ messages: [new HumanMessage("hi")] }, config);
  seen.length = 0;
  const command = (text: string) => new Command({ resume: "yes", update: { messages: [new HumanMessage(text)] } });
  expect(await graph.invoke(command("bad"), config)).toEqual(withTexts("(this message is hidden)", "REFUSED"));
  expect(seen).toEqual([]);
  expect(await graph.invoke(command("and 1"), config)).toEqual(withTexts("hi", "and *", "got yes"));
});

it.each([
  ["a command with arguments for a node", () => new Command({ goto: new Send("a", { messages: ["bad"] }) })],
  ["a command with other data", () => new Command({ update: { notes: "bad" } })],
  ["a command that responds", () => new Command({ update: { messages: [new AIMessage("bad")] } })],
])("does not accept %s", async (_, command) => {
  const graph = (await realGuardrails()).wrap(asking("sure?") as never);
  seen.length = 0;
  await expect(graph.invoke(command() as never, config)).rejects.toThrow(InputShapeError);
  expect(seen).toEqual([]);
});

it("does not take the absence of an input for a graph's continuation elsewhere", async () => {
  const chain = (await realGuardrails()).wrap(RunnableLambda.from(() => "fine"));
  await expect(chain.invoke(null)).rejects.toThrow(InputShapeError);
});

describe("an agent that a person approves, behind the rails", () => {
  const open = async (city: string) => {
    const ran: string[] = [];
    const call = { name: "find", args: { city }, id: "c1", type: "tool_call" as const };
    const model = scriptedModel([new AIMessage({ content: "", tool_calls: [call] }), "found 1"]);
    const find = tool(({ city: given }) => (ran.push(given), "rain"), {
      name: "find",
      description: "d",
      schema: z.object({ city: z.string() }),
    });
    const agent = createAgent({
      model,
      tools: [find],
      checkpointer: new MemorySaver(),
      middleware: [humanInTheLoopMiddleware({ interruptOn: { find: true } } as never)] as never,
    });
    return { ran, agent: (await realGuardrails()).wrap(agent.graph as never), model };
  };
  const hello = { messages: [new HumanMessage("hi")] } as never;
  const approve = resume({ decisions: [{ type: "approve" }] }) as never;

  it("asks the person, and continues", async () => {
    const { agent, ran } = await open("Rome");
    const { __interrupt__: asked } = (await agent.invoke(hello, config)) as unknown as { __interrupt__: unknown };
    expect(asked).toMatchObject([{ value: { actionRequests: [{ name: "find", args: { city: "Rome" } }] } }]);
    expect(ran).toEqual([]);
    const { messages } = (await agent.invoke(approve, config)) as unknown as { messages: BaseMessage[] };
    expect(messages.at(-1)?.text).toBe("found *");
    expect(ran).toEqual(["Rome"]);
  });

  it("does not show a question that rails block", async () => {
    const { agent } = await open("bad town");
    const result = await agent.invoke(hello, config);
    expect(result).not.toHaveProperty("__interrupt__");
    expect(JSON.stringify(result)).toMatch(/^(?!.*bad).*REFUSED/);
  });
});

describe("a wrapped graph whose caller asks for its steps", () => {
  it.each(["updates", "messages", "custom", "debug", ["values"], ["updates", "values"]])(
    "with the stream mode %j is refused before the graph runs",
    async (streamMode) => {
      seen.length = 0;
      const guarded = (await realGuardrails()).wrap(asking("which 1?") as never);
      const input = { messages: [new HumanMessage("hi")] } as never;
      const asked = { ...config, streamMode } as never;
      const streaming = (async () => drain(await guarded.stream(input, asked)))();
      await expect(streaming).rejects.toThrow('expected `streamMode: "values"`');
      await expect(guarded.invoke(input, asked)).rejects.toThrow(InputShapeError);
      expect(seen).toEqual([]);
    },
  );

  it("streams its state once with the mode `values`", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("a", () => ({ messages: [new AIMessage("found 1")] }))
      .addEdge(START, "a")
      .compile();
    const guarded = (await realGuardrails()).wrap(graph as never);
    const input = { messages: [new HumanMessage("hi")] } as never;
    const chunks = await drain(await guarded.stream(input, { streamMode: "values" } as never));
    expect(chunks).toEqual([withTexts("hi", "found *")]);
  });
});

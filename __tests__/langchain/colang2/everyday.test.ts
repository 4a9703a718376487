import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { InMemoryChatMessageHistory } from "@langchain/core/chat_history";
import { Document } from "@langchain/core/documents";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { BaseRetriever } from "@langchain/core/retrievers";
import { RunnableLambda, RunnableWithMessageHistory } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Annotation, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "@jest/globals";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import type { RailDecision } from "../../../src/index.js";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { guardrails2 } from "./guardrails-2x.js";

const ECHO = `
flow main
  activate echo

flow echo
  global $count
  user said something as $heard
  $count = 7
  bot say "You said {$heard.transcript}"
`;

const WEATHER = `
flow main
  activate weather
  activate chat

flow weather
  user said "weather in Rome"
  start GetWeatherAction(city="Rome") as $call
  match $call.Finished() as $done
  bot say "It is {$done.return_value}."

flow chat
  user said "chat"
  $answer = await AnswerUserAction()
  bot say $answer
`;

const getWeather = tool(({ city }) => `sunny in ${city}`, {
  name: "get_weather",
  description: "the weather of a place",
  schema: z.object({ city: z.string() }),
});

describe("a dialog of Colang 2.x", () => {
  it("responds to batches in order, and keeps parallel calls apart", async () => {
    const guardrails = await guardrails2({ colang: ECHO });
    const texts = Array.from({ length: 20 }, (_, index) => `text ${"x".repeat(index)}`);
    const answers = (await guardrails.batch(texts.map((text) => [new HumanMessage(text)]))) as AIMessage[];
    expect(answers.map(({ content }) => content)).toEqual(texts.map((text) => `You said ${text}`));
    const blocked = (await guardrails.batch(
      [[new HumanMessage("bad")], [new HumanMessage("ok")]],
      {},
      { returnExceptions: true },
    )) as AIMessage[];
    expect(blocked.map(({ content }) => content)).toEqual(["REFUSED", "You said ok"]);
  });

  it("has the same result however it is called", async () => {
    const model = (await guardrails2({ colang: ECHO })).wrap(scriptedModel([]));
    const expected = "You said hello *";
    expect((await model.invoke("hello 1")).text).toBe(expected);
    const joined = (chunks: readonly { readonly content: unknown }[]): string =>
      chunks.map(({ content }) => String(content)).join("");
    expect(joined(await drain(await model.stream("hello 1")))).toBe(expected);
    for (const version of ["v1", "v2"] as const) {
      const events = await drain(model.streamEvents("hello 1", { version }));
      const pieces = events.filter(
        ({ event }) => event === (version === "v2" ? "on_chat_model_stream" : "on_llm_stream"),
      );
      expect(joined(pieces.map(({ data }) => data.chunk as { content: unknown }))).toBe(expected);
    }
    const log = await drain(model.streamLog("hello 1"));
    expect(JSON.stringify(log)).toContain("You said ");
    const tokens: string[] = [];
    await drain(
      await model.stream("hello 1", { callbacks: [{ handleLLMNewToken: (token) => void tokens.push(token) }] }),
    );
    expect(tokens.join("")).toBe(expected);
  });

  it("reports decisions, rails that ran, and variables", async () => {
    const decisions: RailDecision[] = [];
    const guardrails = await guardrails2({ colang: ECHO, onDecision: (decision) => void decisions.push(decision) });
    const { outputData, log, explain } = await guardrails.generate("hello", {
      outputVars: ["count", "nothing"],
      log: { activatedRails: true, internalEvents: true, colangHistory: true },
    });
    expect(outputData).toEqual({ count: 7, nothing: null });
    const rails = ["check words", "hide digits", "check answer", "hide digits of answer"];
    expect(decisions.map(({ rail }) => rail)).toEqual(rails);
    expect(
      log.activatedRails?.filter(({ type }) => type === "input" || type === "output").map(({ name }) => name),
    ).toEqual(rails);
    expect(log.internalEvents?.map(({ type }) => type)).toContain("UtteranceBotActionFinished");
    expect([log.colangHistory, explain.colangHistory].every((text) => text?.includes("You said hello"))).toBe(true);
    expect(explain.why("echo").outcome).toBe("decided");
  });

  it.each([
    [{ input: false }, "bad 1", "REFUSED"],
    [{ input: false, output: false }, "bad 1", "You said bad 1"],
    [{ input: ["hide digits"], output: false }, "bad 1", "You said bad *"],
    [{ output: ["check answer"] }, "good 1", "You said good *"],
  ])("obeys the options %j of a call", async (rails, text, expected) => {
    const guardrails = await guardrails2({ colang: ECHO });
    expect((await guardrails.generate(text, { rails })).response).toBe(expected);
    const answer = (await guardrails.invoke([new HumanMessage(text)], { rails })) as AIMessage;
    expect(answer.content).toBe(expected);
  });

  it("responds with graph messages, and keeps the user's message", async () => {
    const guardrails = await guardrails2({ colang: ECHO });
    const state = (await guardrails.invoke({ messages: [new HumanMessage("hello 1")] })) as { messages: BaseMessage[] };
    expect(state.messages.map(({ text }) => text)).toEqual(["hello *", "You said hello *"]);
    const refused = (await guardrails.invoke({ messages: [new HumanMessage("so bad")] })) as {
      messages: BaseMessage[];
    };
    expect(refused.messages.at(-1)?.text).toBe("REFUSED");
    expect(JSON.stringify(refused)).not.toContain("so bad");
  });

  it("has no structured output if a flow responds, and the model's if it is called", async () => {
    const colang = `
flow main
  activate asking
  activate greeting

flow greeting
  user said "hello"
  bot say "Hi!"

flow asking
  user said something unexpected
  $answer = await AnswerUserAction()
  bot say $answer
`;
    const call = { name: "extract", args: { city: "Rome" }, id: "1" };
    const inner = scriptedModel([new AIMessage({ content: "", tool_calls: [call] })]);
    const schema = z.object({ city: z.string() });
    const model = (await guardrails2({ colang, input: [], output: [] })).wrap(inner);
    const structured = model.withStructuredOutput(schema, { name: "extract", method: "functionCalling" });
    expect(await structured.invoke("where?")).toEqual({ city: "Rome" });
    await expect(structured.invoke("hello")).rejects.toThrow(/expected a structured answer, got the text of a flow/);
  });
});

describe("an agent", () => {
  const agentOf = async (replies: readonly string[], colang = WEATHER) => {
    const guardrails = await guardrails2({ colang, input: [], output: ["check answer"] });
    const inner = scriptedModel(replies);
    const agent = createAgent({
      model: inner,
      tools: [getWeather],
      middleware: [guardrailsMiddleware(guardrails)],
      checkpointer: new MemorySaver(),
    });
    return { agent, inner };
  };

  it("runs tools that flows request, and the flow continues with the result", async () => {
    const { agent, inner } = await agentOf(["small talk"]);
    const config = { configurable: { thread_id: "a" } };
    const { messages } = await agent.invoke({ messages: [new HumanMessage("weather in Rome")] }, config);
    expect(messages.map((message) => [message.getType(), message.text])).toEqual([
      ["human", "weather in Rome"],
      ["ai", ""],
      ["tool", "sunny in Rome"],
      ["ai", "It is sunny in Rome."],
    ]);
    expect(inner.calls).toHaveLength(0);
    const next = await agent.invoke({ messages: [new HumanMessage("chat")] }, config);
    expect(next.messages.at(-1)?.text).toBe("small talk");
  });
});

describe("a graph", () => {
  it("lets flows request its tools, in a turn node with the dialog in a channel", async () => {
    const guardrails = await guardrails2({ colang: WEATHER, input: [], output: [] });
    const State = Annotation.Root({
      ...MessagesAnnotation.spec,
      dialog: Annotation<Record<string, unknown>>(),
    });
    const asks = ({ messages }: typeof State.State): boolean =>
      ((messages.at(-1) as AIMessage).tool_calls?.length ?? 0) > 0;
    const graph = new StateGraph(State)
      .addNode("turn", guardrailsNode(guardrails, "turn", { stateKey: "dialog", tools: [getWeather] }))
      .addNode("run", new ToolNode([getWeather]))
      .addEdge("__start__", "turn")
      .addConditionalEdges("turn", (state) => (asks(state) ? "run" : "__end__"))
      .addEdge("run", "turn")
      .compile();
    const { messages } = await graph.invoke({ messages: [new HumanMessage("weather in Rome")] });
    expect(messages.map(({ text }) => text)).toEqual(["weather in Rome", "", "sunny in Rome", "It is sunny in Rome."]);
  });
});

describe("evidence", () => {
  it("of a wrapped chain passes the retrieval rails and is visible to output rails", async () => {
    const seen: unknown[] = [];
    const colang = `
flow see evidence
  global $relevant_chunks
  await NoteAction(text=$relevant_chunks)
`;
    const guardrails = await guardrails2({
      colang,
      input: [],
      output: ["see evidence"],
      actions: { note: ({ text }: { text: string }) => void seen.push(text) },
    });
    const chain = RunnableLambda.from(({ question }: { question: string }) => ({
      answer: `about ${question}`,
      context: ["It costs 5."],
    }));
    expect(await guardrails.wrap(chain).invoke({ question: "fares" })).toEqual({
      answer: "about fares",
      context: ["It costs 5."],
    });
    expect(seen).toEqual(["It costs 5."]);
  });
});

describe("knowledge", () => {
  it("of a retriever passes the retrieval rails and reaches the model", async () => {
    class Shelf extends BaseRetriever {
      lc_namespace = ["test"];
      override async _getRelevantDocuments(): Promise<Document[]> {
        return [new Document({ pageContent: "The shop opens at 9." })];
      }
    }
    const llm = scriptedModel(["Later."]);
    const colang = `
flow hide digits of chunks
  global $relevant_chunks
  $relevant_chunks = await HideDigitsAction(text=$relevant_chunks)
`;
    const settings = { rails: { retrieval: { flows: ["hide digits of chunks"] } } };
    const guardrails = await guardrails2({ colang, settings, llm, retriever: new Shelf() });
    expect((await guardrails.generate("when?")).response).toBe("Later.");
    expect(llm.calls[0]?.prompt).toContain("The shop opens at *.");
  });
});

describe("an action server", () => {
  it("runs actions that flows request", async () => {
    const calls: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      calls.push(`${request.url} ${body}`);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(body === "" ? ["stock"] : { status: "success", result: 4 }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const colang = `
flow main
  user said "tubes?"
  $left = await StockAction(item="tube")
  bot say "There are {$left}."
  match Never()
`;
      const settings = { actions_server_url: url };
      const guardrails = await guardrails2({ colang, settings, input: [], output: [] });
      expect((await guardrails.generate("tubes?")).response).toBe("There are 4.");
      expect(calls.at(-1)).toBe('/v1/actions/run {"action_name":"stock","action_parameters":{"item":"tube"}}');
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe("a message history", () => {
  it("keeps the messages, and the flows continue in their thread", async () => {
    const colang = `
flow main
  user said "order"
  bot say "How many?"
  user said something as $count
  bot say "{$count.transcript} it is"
  match Never()
`;
    const guardrails = await guardrails2({ colang, output: [] });
    const history = new InMemoryChatMessageHistory();
    const chain = new RunnableWithMessageHistory({
      runnable: guardrails.wrap(scriptedModel([])),
      getMessageHistory: () => history,
    });
    const config = { configurable: { sessionId: "s", thread_id: "s" } };
    for (const text of ["order", "so bad", "seven"]) await chain.invoke([new HumanMessage(text)], config);
    const kept = (await history.getMessages()).map(({ text }) => text);
    expect(kept).toEqual(["order", "How many?", "so bad", "REFUSED", "seven", "seven it is"]);
  });
});

import { describe, expect, it } from "@jest/globals";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { Guardrails } from "langchain-guardrails";
import { type ScriptedServer, scriptedServer } from "langchain-guardrails/testing";

const COLANG = `
define user ask price
  "how much is it"
define user say goodbye
  "see you tomorrow"

define bot say goodbye
  "Bye!"

define flow
  user ask price
  $topic = "money"
  bot give price
define flow
  user say goodbye
  bot say goodbye
`;

const clientOf = (server: ScriptedServer): ChatOpenAI =>
  new ChatOpenAI({ model: "m", apiKey: "none", maxRetries: 0, configuration: { baseURL: server.url } });

describe("a turn with all its details, with a model over HTTP", () => {
  it("reports log, calls, tokens, history and variables, and continues from its state", async () => {
    await using server = await scriptedServer([
      { text: "Ten euros.", usage: { prompt: 40, completion: 4 } },
      { text: "Still ten.", usage: { prompt: 50, completion: 3 } },
    ]);
    const guardrails = await Guardrails.fromConfig({ colang: COLANG }, { llm: clientOf(server) });
    const first = await guardrails.generate("how much is it", {
      state: {},
      outputVars: ["topic"],
      llmOutput: true,
      llmParams: { temperature: 0.4 },
      log: { activatedRails: true, llmCalls: true, internalEvents: true, colangHistory: true },
    });
    expect(first).toMatchObject({
      response: "Ten euros.",
      outputData: { topic: "money" },
      log: {
        llmCalls: [{ task: "generate_bot_message", usage: { input_tokens: 40, output_tokens: 4 } }],
        stats: { llmCallsCount: 1 },
        errors: [],
      },
      explain: { usage: { total_tokens: 44 } },
    });
    expect(first.log.colangHistory).toContain("ask price\nbot give price");
    expect(first.log.activatedRails?.map(({ type }) => type)).toContain("dialog");
    expect(first.explain.summary()).toContain("1 model call");
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.4 });

    // State is plain JSON: it is the same after a round trip.
    const state = JSON.parse(JSON.stringify(first.state)) as NonNullable<typeof first.state>;
    const second = await guardrails.generate("how much is it", { state, outputVars: true });
    expect(second.response).toBe("Still ten.");
    expect(second.outputData).toMatchObject({ topic: "money" });
    expect(JSON.stringify(server.requests[1]?.body["messages"])).toContain("Ten euros.");
    server.assertDone();
  });

  it("runs only the requested stages", async () => {
    await using server = await scriptedServer(["No", "Yes"]);
    const yaml = "rails: {input: {flows: [self check input]}, output: {flows: [self check output]}}";
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml }, { llm: clientOf(server) });
    expect((await guardrails.generate("hello", { rails: ["input"] })).response).toBe("hello");
    const judged = [
      { role: "user", content: "hello" },
      { role: "assistant", content: "something rude" },
    ];
    const { response, guardrails: verdict } = await guardrails.generate(judged, { rails: ["output"] });
    expect(verdict).toMatchObject({ blocked: true, stage: "output", rail: "self check output" });
    expect(JSON.stringify(response)).not.toContain("rude");
    server.assertDone();
  });
});

describe("a vector store over embeddings over HTTP", () => {
  const vectorOf = (text: string): number[] => [
    /much|price/.test(text) ? 1 : 0,
    /see|tomorrow/.test(text) ? 1 : 0,
    0.1,
  ];

  it("finds intents with no model call, from a store that the configuration's embeddings fill", async () => {
    await using server = await scriptedServer([], { embeddings: (texts) => ({ vectors: texts.map(vectorOf) }) });
    const embeddings = new OpenAIEmbeddings({ apiKey: "none", configuration: { baseURL: server.url } });
    const stores: MemoryVectorStore[] = [];
    const vectorStore = (given: ConstructorParameters<typeof MemoryVectorStore>[0]) => {
      const store = new MemoryVectorStore(given);
      stores.push(store);
      return store;
    };
    const yaml = "rails: {dialog: {user_messages: {embeddings_only: true}}}";
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml }, { embeddings, vectorStore });
    expect((await guardrails.generate("until tomorrow then")).response).toBe("Bye!");
    expect(stores.map(({ memoryVectors }) => memoryVectors.map(({ content }) => content))).toEqual([
      ["how much is it", "see you tomorrow"],
    ]);
    expect(server.embeddingRequests.map(({ body }) => body["input"])).toEqual([
      ["how much is it", "see you tomorrow"],
      "until tomorrow then",
    ]);
    expect(server.requests).toEqual([]);
  });
});

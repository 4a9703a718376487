import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { OpenAIEmbeddings } from "@langchain/openai";
import { Guardrails, ModelError } from "langchain-guardrails";
import { type EmbeddingReply, type ScriptedServer, scriptedServer } from "langchain-guardrails/testing";

const COLANG = `
define user ask price
  "how much is it"
define user ask hours
  "when do you open"

define bot give price
  "Ten euros."
define bot tell hours
  "From nine to six."

define flow
  user ask price
  bot give price
define flow
  user ask hours
  bot tell hours
`;

const MONEY = ["how much", "price", "cost", "bell"];
const TIME = ["when", "open", "hours"];

/** A model that knows two topics. */
const vectorOf = (text: string): number[] => {
  const weigh = (words: readonly string[]): number => words.filter((word) => text.includes(word)).length;
  return [weigh(MONEY), weigh(TIME), 0.1];
};
const knowing = (texts: readonly string[]): EmbeddingReply => ({ vectors: texts.map(vectorOf) });

const inputsOf = (server: ScriptedServer): readonly unknown[] =>
  server.embeddingRequests.map(({ body }) => body["input"]);

const modelsOf = (server: ScriptedServer): string => `
models:
  - type: embeddings
    engine: openai
    model: scripted-embedder
    parameters: {base_url: ${JSON.stringify(server.url)}, api_key: k, max_retries: 0}
  - type: main
    engine: openai
    model: scripted
    parameters: {base_url: ${JSON.stringify(server.url)}, api_key: k, max_retries: 0}
`;
const ONLY = "rails: {dialog: {user_messages: {embeddings_only: true}}}\n";

describe("intents found by embeddings over HTTP", () => {
  it("of a configuration: examples are embedded once, and no model is called", async () => {
    await using server = await scriptedServer([], { embeddings: knowing });
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml: modelsOf(server) + ONLY });
    expect(server.embeddingRequests).toEqual([]);
    expect((await guardrails.generate("what is the price?")).response).toBe("Ten euros.");
    expect((await guardrails.generate("are you open?")).response).toBe("From nine to six.");
    expect((await guardrails.generate("are you open?")).response).toBe("From nine to six.");
    expect(inputsOf(server)).toEqual([["how much is it", "when do you open"], "what is the price?", "are you open?"]);
    expect(server.embeddingRequests[0]).toMatchObject({
      body: { model: "scripted-embedder" },
      headers: { authorization: "Bearer k" },
    });
    expect(server.requests).toEqual([]);
  });

  it("given as an object, with a threshold in the angular score", async () => {
    await using server = await scriptedServer([], { embeddings: knowing });
    const embeddings = new OpenAIEmbeddings({ apiKey: "none", configuration: { baseURL: server.url } });
    const yaml =
      "rails: {dialog: {user_messages: {embeddings_only: true, embeddings_only_similarity_threshold: 0.7, " +
      "embeddings_only_fallback_intent: ask hours}}}";
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml }, { embeddings });
    expect(await guardrails.canonicalForm().invoke("tell me the cost")).toMatchObject({
      intent: "ask price",
      score: expect.closeTo(1, 5),
      source: "embeddings",
    });
    expect(await guardrails.canonicalForm().invoke("price when open")).toMatchObject({ intent: "ask hours" });
    expect(await guardrails.canonicalForm().invoke("la la la")).toMatchObject({ intent: "ask hours" });
  });

  it("`use_batching`: queries of concurrent turns share a request", async () => {
    await using server = await scriptedServer([], { embeddings: knowing });
    // An hour never passes here: the batch goes when it is full.
    const batching = "{use_batching: true, max_batch_size: 3, max_batch_hold: 3600}";
    const yaml = `${modelsOf(server)}${ONLY}core: {embedding_search_provider: {parameters: ${batching}}}`;
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml });
    const texts = ["your price?", "open today?", "what does it cost?"];
    const results = await Promise.all(texts.map((text) => guardrails.generate(text)));
    expect(results.map(({ response }) => response)).toEqual(["Ten euros.", "From nine to six.", "Ten euros."]);
    expect(inputsOf(server)).toEqual([["how much is it", "when do you open"], texts]);
  });

  it("`use_batching`: of a batch that fails, words and letters find all intents, and the next one is sent", async () => {
    let isAway = false;
    await using server = await scriptedServer([], {
      embeddings: (texts) => (isAway ? { status: 500, error: { message: "overloaded" } } : knowing(texts)),
    });
    const batching = "{use_batching: true, max_batch_size: 2, max_batch_hold: 3600}";
    const yaml = `${modelsOf(server)}${ONLY}core: {embedding_search_provider: {parameters: ${batching}}}`;
    const warnings: string[] = [];
    const logger = { warn: (message: string) => void warnings.push(message), error: () => {} };
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml }, { logger });
    const ask = async (...texts: string[]) => {
      const found = await Promise.all(texts.map((text) => guardrails.canonicalForm().invoke(text)));
      return found.map(({ intent }) => intent);
    };
    expect(await ask("a price", "your hours")).toEqual(["ask price", "ask hours"]);
    expect(warnings).toEqual([]);
    isAway = true;
    expect(await ask("my price", "my hours")).toEqual(["ask price", "ask hours"]);
    expect(await ask("how much", "you open")).toEqual(["ask price", "ask hours"]);
    expect(warnings).toEqual([
      "the embeddings failed; intents are found by words and letters alone until the embeddings work again",
    ]);
    isAway = false;
    expect(await ask("what cost", "what hours")).toEqual(["ask price", "ask hours"]);
    expect(server.embeddingRequests).toHaveLength(5);
  });

  it("the cache on disk saves the next process every request", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cache-"));
    const ask = async (): Promise<number> => {
      await using server = await scriptedServer([], { embeddings: knowing });
      const cache = `{enabled: true, store: filesystem, store_config: {cache_dir: ${JSON.stringify(folder)}}}`;
      const yaml = `${modelsOf(server)}${ONLY}core: {embedding_search_provider: {cache: ${cache}}}`;
      const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml });
      expect((await guardrails.generate("what is the price?")).response).toBe("Ten euros.");
      return server.embeddingRequests.length;
    };
    try {
      expect([await ask(), await ask()]).toEqual([2, 0]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a knowledge base over embeddings over HTTP", () => {
  const FILES = {
    "kb/bells.md": "# Bells\n\nA bell costs 4711 crowns.",
    "kb/hours.md": "# Opening hours\n\nWe open at nine.",
    "rails.co": "define subflow hide digits\n  $relevant_chunks = execute hide_digits(text=$relevant_chunks)\n",
  };
  const actions = { hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*") };

  it("passes chunks through the retrieval rails to the prompt, and sources to the result", async () => {
    await using server = await scriptedServer(["It costs ****."], { embeddings: knowing });
    const yaml = `${modelsOf(server)}rails: {retrieval: {flows: [hide digits]}}\n`;
    const search = "knowledge_base: {embedding_search_provider: {parameters: {top_k: 1}}}\n";
    const files = { ...FILES, "config.yml": yaml + search };
    const guardrails = await Guardrails.fromConfig({ files }, { actions });
    const { response, sources, outputData } = await guardrails.generate("what does a bell cost?", {
      outputVars: ["relevant_chunks"],
    });
    expect(response).toBe("It costs ****.");
    expect(sources).toEqual([{ title: "Bells", file: "kb/bells.md", score: expect.closeTo(1, 2) }]);
    expect(outputData).toEqual({ relevant_chunks: "A bell costs **** crowns." });
    expect(JSON.stringify(server.requests[0]?.body["messages"])).toContain("A bell costs **** crowns.");
    // The client takes line breaks out of what it embeds.
    expect(inputsOf(server)).toEqual([
      ["# Bells  A bell costs 4711 crowns.", "# Opening hours  We open at nine."],
      "what does a bell cost?",
    ]);
  });

  it("that fails is an error, like a model that fails", async () => {
    await using server = await scriptedServer([], { embeddings: () => ({ status: 500, error: { message: "down" } }) });
    const guardrails = await Guardrails.fromConfig({ files: { ...FILES, "config.yml": modelsOf(server) } });
    await expect(guardrails.generate("what does a bell cost?")).rejects.toThrow("the embeddings failed: 500 down");
  });
});

describe("embeddings over HTTP with invalid vectors", () => {
  const bad =
    (
      query: EmbeddingReply,
      documents: EmbeddingReply = {
        vectors: [
          [1, 0],
          [0, 1],
        ],
      },
    ) =>
    (texts: readonly string[]): EmbeddingReply =>
      texts.length === 1 ? query : documents;

  it.each<[string, (texts: readonly string[]) => EmbeddingReply, string]>([
    [
      "vectors of different lengths",
      bad({}, { vectors: [[1, 0], [1]] }),
      "expected vectors of 2 dimensions, got one of 1",
    ],
    [
      "numbers that are none",
      bad(
        {},
        {
          vectors: [
            [1, 0],
            [null, 1],
          ],
        },
      ),
      "expected vectors of finite numbers",
    ],
    ["empty vectors", bad({}, { vectors: [[], []] }), "got an empty one"],
  ])("%s of the examples are a `ModelError`, of a turn too", async (_title, embeddings, message) => {
    await using server = await scriptedServer([], { embeddings });
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml: modelsOf(server) + ONLY });
    for (const ask of [() => guardrails.canonicalForm().invoke("hello"), () => guardrails.generate("hello")]) {
      const error: unknown = await ask().catch((thrown: unknown) => thrown);
      expect(ModelError.isInstance(error) && error.message).toContain(message);
    }
    expect(server.requests).toEqual([]);
  });

  it.each<[string, (texts: readonly string[]) => EmbeddingReply, string]>([
    ["a server error", () => ({ status: 500, error: { message: "down" } }), "the embeddings failed: 500 down"],
    [
      "a key that is not accepted",
      () => ({ status: 401, error: { message: "who?" } }),
      "the embeddings failed: 401 who?",
    ],
    ["too few vectors", bad({}, { vectors: [[1, 0]] }), "the embeddings failed: "],
    ["a query of another length", bad({ vectors: [[1, 0, 0]] }), "expected vectors of 2 dimensions, got one of 3"],
    ["a query that is not a number", bad({ vectors: [[1, null]] }), "expected vectors of finite numbers"],
    ["no vector of the query", bad({ vectors: [] }), "the embeddings failed"],
  ])("%s is a warning, and words and letters find the intent", async (_title, embeddings, message) => {
    await using server = await scriptedServer([], { embeddings });
    const warnings: string[] = [];
    const logger = { warn: (text: string) => void warnings.push(text), error: () => {} };
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml: modelsOf(server) + ONLY }, { logger });
    expect(await guardrails.canonicalForm().invoke("how much")).toMatchObject({ intent: "ask price" });
    expect((await guardrails.generate("when open")).response).toBe("From nine to six.");
    expect(warnings).toEqual([expect.stringContaining(message)]);
    expect(server.requests).toEqual([]);
  });
});

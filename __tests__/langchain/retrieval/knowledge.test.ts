import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { Document } from "@langchain/core/documents";
import { type AIMessage, HumanMessage } from "@langchain/core/messages";
import { BaseRetriever } from "@langchain/core/retrievers";
import { type RunnableConfig, RunnableLambda } from "@langchain/core/runnables";
import { ChatOpenAI } from "@langchain/openai";
import {
  ConfigError,
  Guardrails,
  type GuardrailsMetadata,
  type GuardrailsOptions,
  LimitError,
  verdictOf,
} from "langchain-guardrails";
import { MatcherEmbeddings } from "langchain-guardrails/matcher";
import { type ScriptedServer, scriptedServer } from "langchain-guardrails/testing";

const clientOf = (server: ScriptedServer): ChatOpenAI =>
  new ChatOpenAI({ model: "m", apiKey: "none", maxRetries: 0, configuration: { baseURL: server.url } });

const BELLS = "# Bells\n\nA bicycle bell costs 4711 crowns.";
const TYRES = "# Tyres\n\nWinter tyres have spikes.";
const FILES = { "config.yml": "models: []", "kb/bells.md": BELLS, "kb/tyres.md": TYRES };
const QUESTION = "how much is a bicycle bell?";

class ListRetriever extends BaseRetriever {
  override lc_namespace = ["test"];
  readonly documents: readonly Document[];
  readonly seen: { readonly query: string; readonly signal: AbortSignal | undefined }[] = [];

  constructor(documents: readonly Document[]) {
    super();
    this.documents = documents;
  }

  override async invoke(query: string, options?: Partial<RunnableConfig>): Promise<Document[]> {
    this.seen.push({ query, signal: options?.signal });
    return super.invoke(query, options);
  }

  override async _getRelevantDocuments(): Promise<Document[]> {
    return [...this.documents];
  }
}

const promptsOf = (server: ScriptedServer): string =>
  JSON.stringify(server.requests.map(({ body }) => body["messages"]));

describe("a knowledge base, with a model over HTTP", () => {
  it.each<[string, GuardrailsOptions]>([
    ["in memory", {}],
    ["over LangChain embeddings", { embeddings: new MatcherEmbeddings() }],
    ["in a vector store", { vectorStore: new MemoryVectorStore(new MatcherEmbeddings()) }],
    ["in a vector store that is made", { vectorStore: { knowledgeBase: (given) => new MemoryVectorStore(given) } }],
  ])("of markdown %s adds chunks to the prompt and sources to the result", async (_title, options) => {
    await using server = await scriptedServer(["4711 crowns."]);
    const guardrails = await Guardrails.fromConfig({ files: FILES }, { llm: clientOf(server), ...options });
    const result = await guardrails.generate(QUESTION, { outputVars: ["relevant_chunks_sep", "retrieved_for"] });
    expect(result.response).toBe("4711 crowns.");
    expect(promptsOf(server)).toContain("A bicycle bell costs 4711 crowns.");
    expect(result.sources?.[0]).toEqual({ title: "Bells", file: "kb/bells.md", score: expect.any(Number) });
    expect(result.sources).toHaveLength(2);
    expect(result.sources?.[0]?.score).toBeGreaterThan(result.sources?.[1]?.score ?? 1);
    expect(result.outputData).toMatchObject({
      relevant_chunks_sep: ["A bicycle bell costs 4711 crowns.", "Winter tyres have spikes."],
      retrieved_for: QUESTION,
    });
  });

  it.each([
    ["top_k: 1", 1],
    ["top_k: 1.5", 1],
    ["{top_k: 0.2, chunk_size: 0.001}", 1],
    ["search_threshold: 0.4", 1],
    ["search_threshold: 0.99", 0],
  ])("finds as many chunks as `%s` says", async (parameters, count) => {
    await using server = await scriptedServer(["4711 crowns."]);
    const yaml = `knowledge_base: {embedding_search_provider: {parameters: ${parameters.startsWith("{") ? parameters : `{${parameters}}`}}}`;
    const files = { ...FILES, "config.yml": yaml };
    const guardrails = await Guardrails.fromConfig({ files }, { llm: clientOf(server) });
    expect((await guardrails.generate(QUESTION)).sources).toHaveLength(count);
  });

  it("of a store that is filled already needs no `kb/`", async () => {
    await using server = await scriptedServer(["In 1999."]);
    const store = new MemoryVectorStore(new MatcherEmbeddings());
    await store.addDocuments([
      new Document({ pageContent: "The shop opened in 1999.", metadata: { source: "history.pdf", title: "History" } }),
    ]);
    const options = { llm: clientOf(server), vectorStore: { knowledgeBase: store } };
    const guardrails = await Guardrails.fromConfig({ yaml: "models: []" }, options);
    const { sources } = await guardrails.generate("when did the shop open?");
    expect(sources).toEqual([{ title: "History", file: "history.pdf", score: expect.any(Number) }]);
    expect(promptsOf(server)).toContain("The shop opened in 1999.");
  });

  it("is a retriever, which runs as a child of the call with its signal", async () => {
    await using server = await scriptedServer(["Yes."]);
    const retriever = new ListRetriever([
      new Document({ pageContent: "Returns take 30 days.", metadata: { source: "returns.md", score: 0.9 } }),
      new Document({ pageContent: "Keep the receipt.", metadata: {} }),
    ]);
    const guardrails = await Guardrails.fromConfig({ files: FILES }, { llm: clientOf(server), retriever });
    const runs: (readonly [string, boolean])[] = [];
    const handler = BaseCallbackHandler.fromMethods({
      handleRetrieverStart: (_retriever, query, _run, parent) => void runs.push([query, parent !== undefined]),
    });
    const { sources } = await guardrails.generate("can I return it?", {}, { callbacks: [handler] });
    expect(retriever.seen).toEqual([{ query: "can I return it?", signal: expect.any(AbortSignal) }]);
    expect(runs).toEqual([["can I return it?", true]]);
    expect(sources).toEqual([
      { title: "", file: "returns.md", score: 0.9 },
      { title: "", file: "" },
    ]);
    expect(promptsOf(server)).toContain("Returns take 30 days.\\nKeep the receipt.");
    expect(promptsOf(server)).not.toContain("4711");
  });

  it("that fails ends the turn with the apology, and the log says why", async () => {
    await using server = await scriptedServer([]);
    const retriever = RunnableLambda.from(() => {
      throw new Error("database is away");
    }) as unknown as BaseRetriever;
    const guardrails = await Guardrails.fromConfig({ yaml: "models: []" }, { llm: clientOf(server), retriever });
    const { response, log } = await guardrails.generate("hello");
    expect(response).toBe(guardrails.config.settings.messages.internal_error);
    expect(JSON.stringify(log.errors)).toContain("database is away");
  });

  it("shows the model reviewed chunks, and no sources of a blocked turn", async () => {
    await using server = await scriptedServer(["It costs ****.", "bad"]);
    const guardrails = await Guardrails.fromConfig(
      {
        files: {
          ...FILES,
          "config.yml": "rails: {retrieval: {flows: [hide digits]}, output: {flows: [check answer]}}",
          "rails.co": [
            "define subflow hide digits",
            "  $relevant_chunks = execute hide_digits(text=$relevant_chunks)",
            "define subflow check answer",
            '  if $bot_message == "bad"',
            "    bot refuse",
            "    stop",
            "define bot refuse",
            '  "No."',
          ].join("\n"),
        },
      },
      {
        llm: clientOf(server),
        actions: { hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*") },
      },
    );
    expect((await guardrails.generate(QUESTION)).sources?.[0]?.title).toBe("Bells");
    expect(promptsOf(server)).toContain("costs **** crowns");
    const blocked = await guardrails.generate(QUESTION);
    expect([blocked.response, blocked.sources]).toEqual(["No.", undefined]);
  });

  it("reports only chunks of this turn", async () => {
    await using server = await scriptedServer(["4711 crowns."]);
    const files = {
      ...FILES,
      "config.yml": "rails: {dialog: {user_messages: {embeddings_only: true}}}",
      "main.co":
        'define user ask price\n  "how much is a bicycle bell?"\ndefine flow\n  user ask price\n  bot give price',
    };
    const guardrails = await Guardrails.fromConfig({ files }, { llm: clientOf(server) });
    const first = await guardrails.generate(QUESTION, { state: {} });
    expect(first.sources).toHaveLength(2);
    const supplied = [
      { role: "user", content: "thanks" },
      { role: "assistant", content: "welcome" },
    ];
    const next = await guardrails.generate(supplied, { state: first.state, rails: { dialog: false } });
    expect([next.response, next.sources]).toEqual([[{ role: "assistant", content: "welcome" }], undefined]);
  });
});

describe("documents of a wrapped chain are the evidence of `self check facts`", () => {
  it.each([
    ["yes", "30 days.", false],
    ["no", "I can't respond to that", true],
  ])("a verdict of %s", async (verdict, expected, isBlocked) => {
    await using server = await scriptedServer(["30 days.", verdict]);
    const llm = clientOf(server);
    const guardrails = await Guardrails.fromConfig({ yaml: "rails: {output: {flows: [self check facts]}}" }, { llm });
    const chain = RunnableLambda.from(async ({ question }: { question: string }) => ({
      context: [
        new Document({ pageContent: "Returns take 30 days.", metadata: { source: "returns.md", title: "Returns" } }),
        new Document({ pageContent: "Keep the receipt.", metadata: { source: "receipts.md", score: 0.5 } }),
        new Document({ pageContent: "Bring the bike.", metadata: { score: Number.NaN } }),
      ],
      answer: (await llm.invoke(question)).text,
    }));
    const guarded = guardrails.wrap(chain, { inputKey: "question", contextKey: "context", verdictKey: "guardrails" });
    const result = (await guarded.invoke({ question: "how long?" })) as Record<string, unknown>;
    expect(String(result["answer"])).toContain(expected);
    const sources = [
      { title: "Returns", file: "returns.md" },
      { title: "", file: "receipts.md", score: 0.5 },
    ];
    const verdictOfResult = result["guardrails"] as GuardrailsMetadata;
    expect([verdictOfResult.blocked, verdictOfResult.sources]).toEqual([isBlocked, isBlocked ? undefined : sources]);
    const asked = JSON.stringify(server.requests[1]?.body["messages"]);
    for (const text of ["Returns take 30 days.", "Keep the receipt.", "30 days."]) expect(asked).toContain(text);
    server.assertDone();
  });
});

it("rails see the sources of the documents of a wrapped chain", async () => {
  const seen: unknown[] = [];
  const colang = "define subflow note\n  execute note(sources=$relevant_chunks_sources, chunks=$relevant_chunks_sep)\n";
  const actions = {
    note: (given: { sources: unknown; chunks: unknown }) => void seen.push(given.sources, given.chunks),
  };
  const yaml = "rails: {output: {flows: [note]}}";
  const guardrails = await Guardrails.fromConfig({ colang, yaml }, { actions });
  const chain = RunnableLambda.from(({ context }: { question: string; context: unknown }) => ({
    answer: "x",
    context,
  }));
  const guarded = guardrails.wrap(chain, { inputKey: "question", contextKey: "context", verdictKey: "guardrails" });
  const document = new Document({ pageContent: "a", metadata: { source: "a.md" } });
  await guarded.invoke({ question: "q", context: [document, "b"] });
  const plain = (await guarded.invoke({ question: "q", context: "c" })) as Record<string, unknown>;
  expect(seen).toEqual([
    [
      { title: "", file: "a.md" },
      { title: "", file: "" },
    ],
    ["a", "b"],
    [{ title: "", file: "" }],
    ["c"],
  ]);
  expect(plain["guardrails"]).not.toHaveProperty("sources");
});

it("a response from the knowledge base lists its sources with its verdict", async () => {
  await using server = await scriptedServer(["4711 crowns."]);
  const guardrails = await Guardrails.fromConfig({ files: FILES }, { llm: clientOf(server) });
  const answer = await guardrails.invoke([new HumanMessage(QUESTION)]);
  expect(verdictOf(answer as AIMessage)?.sources?.map(({ file }) => file)).toEqual(["kb/bells.md", "kb/tyres.md"]);
});

describe("a vector store for the dialog", () => {
  const COLANG = `
define user ask price
  "how much is a bell?"
define user say goodbye
  "see you tomorrow"
define flow
  user ask price
  bot give price
define flow
  user say goodbye
  bot say goodbye
define bot give price
  "4711."
define bot say goodbye
  "Bye!"
`;

  it.each<[string, GuardrailsOptions]>([
    ["a store", { vectorStore: new MemoryVectorStore(new MatcherEmbeddings()) }],
    ["a factory", { vectorStore: (embeddings) => new MemoryVectorStore(embeddings) }],
  ])("%s finds intents with no model call", async (_title, options) => {
    const yaml = "rails: {dialog: {user_messages: {embeddings_only: true}}}";
    const guardrails = await Guardrails.fromConfig({ colang: COLANG, yaml }, options);
    expect((await guardrails.generate("how much is the bell please?")).response).toBe("4711.");
    expect((await guardrails.generate("well, see you tomorrow then")).response).toBe("Bye!");
  });
});

describe("diagnostics of a knowledge base", () => {
  const load = (files: Record<string, string>) => Guardrails.fromConfig({ files });

  it.each([
    ["a folder that is named and not there", { "config.yml": "knowledge_base: {folder: docs}" }, "docs/", "docs"],
    ["blank documents", { "config.yml": "models: []", "kb/a.md": " \n" }, "kb/", undefined],
    ["only other files", { "config.yml": "models: []", "kb/a.txt": "x" }, "kb/", undefined],
  ])("CF-205: %s", async (_title, files, folder, underlined) => {
    const { warnings } = await load(files as Record<string, string>);
    const found = warnings.find(({ code }) => code === "CF-205");
    expect(found).toMatchObject({
      severity: "warning",
      message: `the knowledge base \`${folder}\` has no documents, so nothing is looked up`,
    });
    expect(found?.span?.source.text.slice(found.span.start, found.span.end)).toBe(underlined);
  });

  it("CF-206: files that are not read are reported, hidden ones are not", async () => {
    const names = ["a.txt", "b/c.pdf", "d.docx", "e.html", ".gitkeep"];
    const { warnings } = await load({ ...FILES, ...Object.fromEntries(names.map((name) => [`kb/${name}`, "x"])) });
    expect(warnings.filter(({ code }) => code === "CF-206")).toMatchObject([
      {
        severity: "info",
        message: "only markdown is read from `kb/`; ignored: `kb/a.txt`, `kb/b/c.pdf`, `kb/d.docx` and 1 more",
      },
    ]);
    expect((await load(FILES)).warnings.filter(({ code }) => /^CF-20[56]$/.test(code))).toEqual([]);
  });

  it("a document that is too large is refused before it is read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kb-"));
    try {
      await mkdir(join(folder, "kb"));
      await writeFile(join(folder, "config.yml"), "models: []");
      await writeFile(join(folder, "kb/big.md"), "");
      await truncate(join(folder, "kb/big.md"), 50_000_000);
      const error = await Guardrails.fromPath(folder).catch((thrown: unknown) => thrown);
      if (!ConfigError.isInstance(error)) throw error;
      expect(error.diagnostics).toMatchObject([{ code: "CF-118", message: "`kb/big.md` is larger than 32 MiB" }]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("a document that cannot be split is a LimitError", async () => {
    const error = await load({ ...FILES, "kb/big.md": "a ".repeat(10_000_001) }).catch((thrown: unknown) => thrown);
    expect(LimitError.isInstance(error) && [error.limit, error.message]).toEqual([
      "knowledge_document_length",
      "document `kb/big.md` has 20000002 characters, more than the 20000000 a knowledge base takes",
    ]);
  });

  it("a value that is not a retriever is refused at once", async () => {
    const loading = Guardrails.fromConfig({ files: FILES }, { retriever: {} as unknown as BaseRetriever });
    await expect(loading).rejects.toThrow("`retriever` must be a LangChain retriever");
  });
});

describe("the cache of embeddings", () => {
  it("on disk saves the next process from embedding again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cache-"));
    class Counting extends MatcherEmbeddings {
      readonly model = "counting";
      readonly asked: string[] = [];
      override async embedDocuments(texts: string[]): Promise<number[][]> {
        this.asked.push(...texts);
        return super.embedDocuments(texts);
      }
    }
    const ask = async (): Promise<readonly string[]> => {
      await using server = await scriptedServer(["4711 crowns."]);
      const cache = `cache: {enabled: true, key_generator: md5, store_config: {cache_dir: ${JSON.stringify(folder)}}}`;
      const files = { ...FILES, "config.yml": `knowledge_base: {embedding_search_provider: {${cache}}}` };
      const embeddings = new Counting();
      const guardrails = await Guardrails.fromConfig({ files }, { llm: clientOf(server), embeddings });
      expect((await guardrails.generate(QUESTION)).sources?.[0]?.title).toBe("Bells");
      return embeddings.asked;
    };
    try {
      expect(await ask()).toEqual([BELLS, TYRES]);
      expect(await ask()).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each<[string, string, string, string]>([
    ["CF-121", "store: redis", "the embedding cache in Redis is not available yet", "redis"],
    ["CF-105", "store: filesystem", "expected a model name for the embedding cache on disk", "filesystem"],
  ])("%s: %s", async (code, store, message, underlined) => {
    const yaml = `core: {embedding_search_provider: {cache: {enabled: true, ${store}}}}`;
    const loading = Guardrails.fromConfig({ yaml }, { embeddings: new MatcherEmbeddings() });
    const error = await loading.catch((thrown: unknown) => thrown);
    if (!ConfigError.isInstance(error)) throw error;
    expect(error.diagnostics).toMatchObject([{ code, message }]);
    const span = error.diagnostics[0]?.span;
    expect(span?.source.text.slice(span.start, span.end)).toBe(underlined);
  });

  it("in memory, or over the embedded matcher, needs no folder", async () => {
    const yaml = (store: string) => `core: {embedding_search_provider: {cache: {enabled: true, store: ${store}}}}`;
    await Guardrails.fromConfig({ yaml: yaml("in_memory") }, { embeddings: new MatcherEmbeddings() });
    await Guardrails.fromConfig({ yaml: yaml("filesystem") });
  });
});

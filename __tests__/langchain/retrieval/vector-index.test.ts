import { describe, expect, it } from "@jest/globals";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Guardrails } from "langchain-guardrails";
import {
  createIntentMatcher,
  type IntentExample,
  type MatcherProgress,
  openFileMatcherCache,
} from "langchain-guardrails/matcher";
import { MatcherEmbeddings } from "../../../src/langchain/retrieval/matcher-embeddings.js";
import { createMemoryIndex, createVectorIndex, ITEM_KEY } from "../../../src/langchain/retrieval/vector-index.js";
import { createLookups, readVectorStores } from "../../../src/langchain/retrieval/knowledge-sources.js";
import type { IndexItem } from "../../../src/retrieval/embedding-index.js";
import { describeIndex, fixedEmbeddings, item, VECTORS } from "../../retrieval/index-contract.js";
import { ModelError } from "../../../src/diagnostics/errors.js";
import { embedTexts } from "../../../src/retrieval/embeddings.js";

describe("indexes over vector stores", () => {
  const memory = () => new MemoryVectorStore(fixedEmbeddings(VECTORS));

  describeIndex("an index over a vector store", ({ embeddings, ...options }) =>
    createVectorIndex({ ...options, store: new MemoryVectorStore(embeddings ?? fixedEmbeddings({})) }),
  );

  describe("a vector store shared by several indexes", () => {
    const metas = (hits: readonly { readonly item: IndexItem<string> }[]) => hits.map(({ item: { meta } }) => meta);

    it("each finds its own items, however many others are nearer", async () => {
      const store = memory();
      const near = createVectorIndex({
        store,
        items: Array.from({ length: 50 }, (_, at) => ({ text: "east", meta: `near ${at}` })),
      });
      const far = createVectorIndex({ store, items: [item("west"), item("north")] });
      await near.search("east");
      expect(metas(await far.search("east", 2))).toEqual(["north", "west"]);
    });

    it("accepts the same items again, and ignores items of an older configuration", async () => {
      const store = memory();
      await createVectorIndex({ store, items: [item("east"), item("north")] }).search("east");
      const next = createVectorIndex({ store, items: [item("east"), item("west")] });
      expect(metas(await next.search("east"))).toEqual(["east", "west"]);
    });

    it("gives every document an id derived from its content, for stores that replace known ids", async () => {
      const added: unknown[] = [];
      const spy = {
        addDocuments: (documents: readonly Document[], options: unknown) => {
          added.push(
            documents.map(({ id, metadata }) => [id, metadata]),
            options,
          );
          return Promise.resolve();
        },
        similaritySearchWithScore: () => Promise.resolve([]),
      } as unknown as VectorStoreInterface;
      await createVectorIndex({ store: spy, items: [item("east"), item("east")] }).search("east");
      const id = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
      expect(added).toEqual([[[id, { [ITEM_KEY]: id }]], { ids: [id] }]);
    });

    it("reads entries of others only with a converter for them", async () => {
      const store = memory();
      await store.addDocuments([new Document({ pageContent: "east" })]);
      expect(await createVectorIndex({ store, items: [item("north")] }).search("east")).toHaveLength(1);
      const adopting = createVectorIndex<IndexItem<string>>({ store, adopt: ({ pageContent }) => item(pageContent) });
      expect(metas(await adopting.search("east"))).toEqual(["east"]);
    });
  });

  describe("scores of stores", () => {
    const scored = (...scores: number[]): VectorStoreInterface =>
      ({
        addDocuments: () => Promise.resolve(),
        similaritySearchWithScore: () =>
          Promise.resolve(scores.map((score, at) => [new Document({ pageContent: String(at) }), score])),
      }) as unknown as VectorStoreInterface;
    const adopt = ({ pageContent }: { readonly pageContent: string }) => item(pageContent);

    it.each<[string, number[], ((score: number) => number) | undefined, number[]]>([
      ["cosines", [1, 0.5, 0], undefined, [1, 0.5, 0.2929]],
      ["cosines with rounding", [1.0000001, 0.9999999], undefined, [1, 1]],
      ["cosine distances", [0, 0.5, 1], (distance) => 1 - distance, [1, 0.5, 0.2929]],
      [
        "euclidean distances of unit vectors",
        [0, 1, Math.SQRT2],
        (distance) => 1 - distance ** 2 / 2,
        [1, 0.5, 0.2929],
      ],
    ])("%s", async (_title, scores, scoreToSimilarity, expected) => {
      const hits = await createVectorIndex({ store: scored(...scores), adopt, scoreToSimilarity }).search("x");
      expect(hits.map(({ score }) => Math.round(score * 1e4) / 1e4)).toEqual(expected);
    });

    it.each<[string, number, ((score: number) => number) | undefined]>([
      ["endless", Number.POSITIVE_INFINITY, undefined],
      ["translated into none", 1, () => Number.NaN],
    ])("that are %s are an error", async (_title, score, scoreToSimilarity) => {
      const index = createVectorIndex({ store: scored(score), adopt, scoreToSimilarity });
      await expect(index.search("x")).rejects.toThrow("expected a finite score from the vector store");
    });

    it("of a text with a zero vector are those of a right angle", async () => {
      const store = new MemoryVectorStore(new MatcherEmbeddings());
      const hits = await createVectorIndex({ store, items: [item("east"), item("north")] }).search("?!");
      expect(hits.map(({ score }) => Math.round(score * 1e4) / 1e4)).toEqual([0.2929, 0.2929]);
    });
  });

  describe("the option `vectorStore`", () => {
    it("a store alone serves the dialog and `kb/`, and its own documents are not knowledge", () => {
      const store = memory();
      expect(readVectorStores(store)).toMatchObject({ dialog: store, knowledgeBase: store, isKnowledge: false });
      expect(readVectorStores({ knowledgeBase: store })).toEqual({ knowledgeBase: store, isKnowledge: true });
    });

    it("a factory receives the embeddings, or the embedded matcher", async () => {
      const seen: number[] = [];
      const factory = async (embeddings: EmbeddingsInterface) => {
        seen.push((await embeddings.embedQuery("hello")).length);
        return new MemoryVectorStore(embeddings);
      };
      const { createIndex } = createLookups(factory, undefined, { dialog: false, knowledge: false });
      const items = ["lost card", "good morning"].map((text) => ({ text, meta: {} }));
      const index = createIndex?.({ items });
      expect((await index?.search("my card is lost", 1))?.[0]?.item.text).toBe("lost card");
      await index?.search("morning");
      expect(seen).toEqual([1024]);
    });

    it("a factory that fails is called again", async () => {
      let isAway = true;
      const store = async () => {
        if (isAway) throw new Error("away");
        return memory();
      };
      const index = createVectorIndex({ store, items: [item("east")] });
      await expect(index.search("east")).rejects.toThrow("away");
      isAway = false;
      expect(await index.search("east")).toHaveLength(1);
    });

    it.each([{}, 7, { dialog: {} }, { dialog: memory(), knowledgeBase: "x" }])("%j is refused", (value) => {
      expect(() => readVectorStores(value as never)).toThrow("`vectorStore` must be a LangChain vector store");
    });
  });
});

describe("the index in memory", () => {
  describeIndex("an index over `MemoryVectorStore`", createMemoryIndex);

  const metas = (hits: readonly { readonly item: IndexItem<string> }[]) => hits.map(({ item: { meta } }) => meta);

  describe("an index over embeddings", () => {
    it("compares words and letters without embeddings", async () => {
      const index = createMemoryIndex({ items: [item("lost card"), item("good morning")] });
      expect(metas(await index.search("my card is lost", 1))).toEqual(["lost card"]);
    });

    it("prefers earlier items among equals, however long the vectors are", async () => {
      const vectors = { a: [1, 0], b: [2e-200, 0], c: [3e200, 0], d: [1, 1], q: [1, 0] };
      const index = createMemoryIndex({ items: ["d", "b", "a", "c"].map(item), embeddings: fixedEmbeddings(vectors) });
      const hits = await index.search("q", 3);
      expect(metas(hits)).toEqual(["b", "a", "c"]);
      expect(hits.map(({ score }) => score)).toEqual([1, 1, 1]);
    });

    it("keeps the order of equal items", async () => {
      const texts = Array.from({ length: 60 }, (_, at) => `text ${at}`);
      const index = createMemoryIndex({ items: texts.map(item), embeddings: new FakeEmbeddings() });
      expect(metas(await index.search("x", 60))).toEqual(texts);
    });

    it("a text with a zero vector is at a right angle to all others", async () => {
      const embeddings = fixedEmbeddings({ ...VECTORS, none: [0, 0] });
      const index = createMemoryIndex({ items: ["none", "west", "east"].map(item), embeddings });
      const rounded = async (text: string) =>
        (await index.search(text)).map(({ item: { meta }, score }) => [meta, Math.round(score * 1e4) / 1e4]);
      expect(await rounded("none")).toEqual([
        ["none", 0.2929],
        ["west", 0.2929],
        ["east", 0.2929],
      ]);
      expect(await rounded("east")).toEqual([
        ["east", 1],
        ["none", 0.2929],
        ["west", 0],
      ]);
    });

    it("accepts items that are added while it is built", async () => {
      const index = createMemoryIndex({ items: [item("north")], embeddings: fixedEmbeddings(VECTORS) });
      const first = index.search("east");
      await index.addItems([item("east")]);
      await first;
      expect(await index.search("east")).toHaveLength(2);
    });

    it.each<[string, () => unknown, string]>([
      ["too few vectors", () => [[1, 0]], "expected 2 vectors from the embeddings, got 1"],
      ["too many vectors", () => [[1], [1], [1]], "expected 2 vectors from the embeddings, got 3"],
      ["no vectors", () => undefined, "expected the embeddings to return an array of vectors"],
      ["vectors of different lengths", () => [[1, 0], [1]], "expected vectors of 2 dimensions, got one of 1"],
      ["empty vectors", () => [[], []], "got an empty one"],
      ["texts", () => ["ab", "cd"], "expected the embeddings to return arrays of numbers"],
      [
        "NaN",
        () => [
          [1, Number.NaN],
          [1, 0],
        ],
        "expected vectors of finite numbers",
      ],
      ["a hole", () => [[1, 0], Object.assign([1], { length: 2 })], "expected vectors of finite numbers"],
    ])("refuses %s and stores none of them", async (_title, give, message) => {
      let isBad = true;
      const embeddings: EmbeddingsInterface = {
        embedQuery: () => Promise.resolve([1, 0]),
        embedDocuments: (texts) => Promise.resolve(isBad ? (give() as number[][]) : texts.map((_, at) => [1 - at, at])),
      };
      const index = createMemoryIndex({ items: ["a", "b"].map(item), embeddings });
      const error = await index.search("x").catch((thrown: unknown) => thrown);
      expect(ModelError.isInstance(error) && error.message).toContain(message);
      isBad = false;
      expect(metas(await index.search("x"))).toEqual(["a", "b"]);
    });

    it.each([
      ["a query of another length", { east: [1, 0], q: [1, 0, 0] }, "expected vectors of 2 dimensions, got one of 3"],
      ["a query without numbers", { east: [1, 0] }, "got an empty one"],
    ])("refuses %s", async (_title, vectors, message) => {
      const index = createMemoryIndex({ items: [item("east")], embeddings: fixedEmbeddings(vectors) });
      const error = await index.search("q").catch((thrown: unknown) => thrown);
      expect(ModelError.isInstance(error) && error.message).toContain(message);
    });

    it("refuses later items of another length, and keeps the first ones", async () => {
      const embeddings = fixedEmbeddings({ east: [1, 0], flat: [1] });
      const index = createMemoryIndex({ items: [item("east")], embeddings });
      await index.search("east");
      await index.addItems([item("flat")]);
      await expect(index.search("east")).rejects.toThrow("expected vectors of 2 dimensions, got one of 1");
    });

    it("reports the provider's error, as the cause too", async () => {
      const cause = new Error(`quota ${"x".repeat(2000)}`);
      const embeddings = { embedQuery: () => Promise.reject(cause), embedDocuments: () => Promise.reject(cause) };
      const error = await createMemoryIndex({ items: [item("a")], embeddings })
        .search("a")
        .catch((thrown: unknown) => thrown);
      if (!ModelError.isInstance(error)) throw error;
      expect(error.message).toMatch(/^the embeddings failed: quota x{494}…$/);
      expect(error.cause).toBe(cause);
    });
  });

  it("many texts are embedded in batches, a few at once", async () => {
    let running = 0;
    let most = 0;
    const sizes: number[] = [];
    const embeddings: EmbeddingsInterface = {
      embedQuery: () => Promise.resolve([1, 0]),
      embedDocuments: async (texts) => {
        sizes.push(texts.length);
        most = Math.max(most, (running += 1));
        await Promise.resolve();
        running -= 1;
        return texts.map((text) => [Number(text)]);
      },
    };
    const texts = Array.from({ length: 700 }, (_, at) => String(at));
    expect(await embedTexts(embeddings, texts)).toEqual(texts.map((text) => [Number(text)]));
    expect([sizes, most]).toEqual([[128, 128, 128, 128, 128, 60], 4]);
  });

  it("a batch that fails prevents the calls after it", async () => {
    const asked: (string | undefined)[] = [];
    const embeddings: EmbeddingsInterface = {
      embedQuery: () => Promise.resolve([1, 0]),
      embedDocuments: (texts) => {
        asked.push(texts[0]);
        return asked.length === 1 ? Promise.reject(new Error("away")) : new Promise(() => undefined);
      },
    };
    const texts = Array.from({ length: 700 }, (_, at) => String(at));
    await expect(embedTexts(embeddings, texts)).rejects.toThrow("away");
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(["0", "128", "256", "384"]);
  });
});

describe("the intent matcher", () => {
  const EXAMPLES: readonly IntentExample[] = [
    { text: "how much is it", intent: "ask price" },
    { text: "what does a saddle cost", intent: "ask price" },
    { text: "when do you open", intent: "ask hours" },
    { text: "until when are you open", intent: "ask hours" },
  ];

  describe("the matcher of the public package", () => {
    it("ranks, accepts and abstains, as documented", async () => {
      const seen: MatcherProgress[] = [];
      const matcher = createIntentMatcher({ examples: EXAMPLES, onProgress: (progress) => seen.push(progress) });
      await matcher.prepare();
      expect(seen.map(({ phase }) => phase)).toEqual(["reading", "training", "calibrating", "calibrating"]);
      expect(seen.at(-1)).toEqual({ phase: "calibrating", share: 1, total: 1 });
      const [best, second] = matcher.rank("what is the price", 2);
      expect([best?.intent, second?.intent]).toEqual(["ask price", "ask hours"]);
      expect(matcher.accept("how much is that")?.intent).toBe("ask price");
      expect(matcher.accept("tell me a joke")).toBeUndefined();
      expect(matcher.rank("tell me a joke", 1)[0]?.score).toBeLessThan(matcher.threshold);
    });

    it("stores its training in a folder", async () => {
      const folder = await mkdtemp(join(tmpdir(), "matcher-"));
      try {
        const cache = await openFileMatcherCache(folder);
        const ranked = createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today?");
        expect(await readdir(folder)).toHaveLength(1);
        expect(createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today?")).toEqual(ranked);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it("reports its progress to a configuration, when the first message needs it", async () => {
      const seen: MatcherProgress[] = [];
      const colang = `
define user ask price
  "how much is it"
  "what does a saddle cost"
define user ask hours
  "when do you open"
define bot give price
  "Ten euros."
define flow
  user ask price
  bot give price
`;
      const yaml = "rails: {dialog: {user_messages: {embeddings_only: true}}}";
      const options = { onLearning: (progress: MatcherProgress) => void seen.push(progress) };
      const guardrails = await Guardrails.fromConfig({ colang, yaml }, options);
      expect(seen).toEqual([]);
      expect((await guardrails.generate("what is the cost?")).response).toBe("Ten euros.");
      const learnt = seen.length;
      expect(seen[0]).toEqual({ phase: "reading", share: 0, total: 0 });
      await guardrails.generate("how much");
      expect(seen).toHaveLength(learnt);
    });
  });
});

import { describe, expect, it } from "@jest/globals";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { MatcherEmbeddings } from "../../../src/langchain/retrieval/matcher-embeddings.js";
import { createVectorIndex, ITEM_KEY } from "../../../src/langchain/retrieval/vector-index.js";
import { openSource, readVectorStores } from "../../../src/langchain/retrieval/knowledge-sources.js";
import type { IndexItem } from "../../../src/retrieval/embedding-index.js";
import { describeIndex, fixedEmbeddings, item, VECTORS } from "../../retrieval/index-contract.js";

const memory = () => new MemoryVectorStore(fixedEmbeddings(VECTORS));

describeIndex("an index over a vector store", ({ embeddings, ...options }) =>
  createVectorIndex({ ...options, store: new MemoryVectorStore(embeddings ?? fixedEmbeddings({})) }),
);

describe("a vector store behind several indexes", () => {
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

  it("takes the same items again, and leaves alone what an older configuration put there", async () => {
    const store = memory();
    await createVectorIndex({ store, items: [item("east"), item("north")] }).search("east");
    const next = createVectorIndex({ store, items: [item("east"), item("west")] });
    expect(metas(await next.search("east"))).toEqual(["east", "west"]);
  });

  it("gives every document an id made of its content, for stores that replace what they know", async () => {
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

  it("reads entries of others only with a reader for them", async () => {
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
    ["euclidean distances of unit vectors", [0, 1, Math.SQRT2], (distance) => 1 - distance ** 2 / 2, [1, 0.5, 0.2929]],
  ])("%s", async (_title, scores, scoreToSimilarity, expected) => {
    const hits = await createVectorIndex({ store: scored(...scores), adopt, scoreToSimilarity }).search("x");
    expect(hits.map(({ score }) => Math.round(score * 1e4) / 1e4)).toEqual(expected);
  });

  it.each<[string, number, ((score: number) => number) | undefined]>([
    ["endless", Number.POSITIVE_INFINITY, undefined],
    ["translated into none", 1, () => Number.NaN],
  ])("that are %s are an error", async (_title, score, scoreToSimilarity) => {
    const index = createVectorIndex({ store: scored(score), adopt, scoreToSimilarity });
    await expect(index.search("x")).rejects.toThrow("the score of a vector store is no finite number");
  });

  it("of a text without a direction are those of a right angle", async () => {
    const store = new MemoryVectorStore(new MatcherEmbeddings());
    const hits = await createVectorIndex({ store, items: [item("east"), item("north")] }).search("?!");
    expect(hits.map(({ score }) => Math.round(score * 1e4) / 1e4)).toEqual([0.2929, 0.2929]);
  });
});

describe("the option `vectorStore`", () => {
  it("a store alone serves the dialog and `kb/`, and what it holds is no knowledge", () => {
    const store = memory();
    expect(readVectorStores(store)).toMatchObject({ dialog: store, knowledgeBase: store, isKnowledge: false });
    expect(readVectorStores({ knowledgeBase: store })).toMatchObject({ dialog: undefined, isKnowledge: true });
  });

  it("a factory is given the embeddings, or the embedded matcher", async () => {
    const seen: number[] = [];
    const opened = openSource(async (embeddings) => {
      seen.push((await embeddings.embedQuery("hello")).length);
      return new MemoryVectorStore(embeddings);
    }, undefined);
    const index = createVectorIndex({ store: opened, items: [item("lost card"), item("good morning")] });
    expect((await index.search("my card is lost", 1))[0]?.item.text).toBe("lost card");
    await index.search("morning");
    expect(seen).toEqual([1024]);
  });

  it("a factory that fails is asked again", async () => {
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

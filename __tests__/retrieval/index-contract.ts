import { describe, expect, it } from "@jest/globals";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { CreateIndex, IndexItem } from "../../src/retrieval/embedding-index.js";

/** Embeddings with vectors for a few texts, which record their calls. */
export function fixedEmbeddings(
  vectors: Readonly<Record<string, number[]>>,
): EmbeddingsInterface & { readonly calls: string[][] } {
  const calls: string[][] = [];
  return {
    calls,
    embedQuery: (text) => Promise.resolve(vectors[text] ?? []),
    embedDocuments: (texts) => {
      calls.push([...texts]);
      return Promise.resolve(texts.map((text) => vectors[text] ?? []));
    },
  };
}

export const VECTORS = { east: [1, 0], north: [0, 2], diagonal: [1, 1], west: [-1, 0], third: [0.5, Math.sqrt(3) / 2] };

export const item = (text: string): IndexItem<string> => ({ text, meta: text });

/** The contract of every implementation of the index port. */
export function describeIndex(title: string, createIndex: CreateIndex<IndexItem<string>>): void {
  const open = (texts: readonly string[], options: { threshold?: number } = {}) => {
    const embeddings = fixedEmbeddings(VECTORS);
    return { embeddings, index: createIndex({ items: texts.map(item), embeddings, ...options }) };
  };

  describe(`${title} keeps the contract of an index`, () => {
    it("returns the best first, with the angular score", async () => {
      const { index } = open(["west", "north", "diagonal", "east", "third"]);
      const hits = await index.search("east");
      expect(hits.map(({ item: { meta } }) => meta)).toEqual(["east", "diagonal", "third", "north", "west"]);
      expect(hits.map(({ score }) => Math.round(score * 1e4) / 1e4)).toEqual([1, 0.6173, 0.5, 0.2929, 0]);
    });

    it.each([
      [0, 0],
      [1, 1],
      [2, 2],
      [99, 3],
    ])("returns at most %i", async (maximum, count) => {
      const { index } = open(["east", "diagonal", "north"]);
      expect(await index.search("east", maximum)).toHaveLength(count);
    });

    it.each([
      [undefined, 3],
      [Number.POSITIVE_INFINITY, 3],
      [0.6, 2],
      [0.99, 1],
      [1.1, 0],
    ])("a threshold of %s keeps %i", async (threshold, count) => {
      const { index } = open(["east", "diagonal", "north"]);
      expect(await index.search("east", 20, threshold)).toHaveLength(count);
    });

    it("uses its own threshold if a search has none", async () => {
      const { index } = open(["east", "diagonal", "north"], { threshold: 0.6 });
      expect(await index.search("east")).toHaveLength(2);
      expect(await index.search("east", 20, 0.9)).toHaveLength(1);
    });

    it("finds nothing in nothing", async () => {
      expect(await open([]).index.search("east")).toEqual([]);
    });

    it("is built by the first search, once", async () => {
      const { index, embeddings } = open(["east", "north"]);
      expect(embeddings.calls).toEqual([]);
      await Promise.all([index.search("east"), index.search("north"), index.search("west")]);
      expect(embeddings.calls).toEqual([["east", "north"]]);
    });

    it("accepts more items later and embeds only them", async () => {
      const { index, embeddings } = open(["north"]);
      await index.search("east");
      await index.addItems([item("east")]);
      expect((await index.search("east"))[0]?.item.meta).toBe("east");
      expect(embeddings.calls).toEqual([["north"], ["east"]]);
    });

    it("rejects all waiting searches if embedding fails, and recovers", async () => {
      const embeddings = fixedEmbeddings(VECTORS);
      let isAway = true;
      const index = createIndex({
        items: [item("east")],
        embeddings: {
          embedQuery: (text) => embeddings.embedQuery(text),
          embedDocuments: (texts) => (isAway ? Promise.reject(new Error("away")) : embeddings.embedDocuments(texts)),
        },
      });
      const results = await Promise.allSettled([index.search("east"), index.search("north")]);
      expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      isAway = false;
      expect(await index.search("east")).toHaveLength(1);
    });
  });
}

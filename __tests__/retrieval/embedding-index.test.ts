import { describe, expect, it } from "@jest/globals";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import * as fc from "fast-check";
import { createEmbeddingIndex, type IndexItem } from "../../src/retrieval/embedding-index.js";
import { embedText, NGRAM_DIMENSIONS, ngramEmbeddings } from "../../src/retrieval/matcher/ngram-embeddings.js";
import { angularScore } from "../../src/retrieval/vector-table.js";

/** Embeddings that know the vectors of a few texts. */
function fixed(vectors: Readonly<Record<string, number[]>>): EmbeddingsInterface & { readonly calls: string[][] } {
  const calls: string[][] = [];
  return {
    calls,
    embedQuery: (text) => Promise.resolve(vectors[text] ?? []),
    embedDocuments: (texts) => {
      calls.push(texts);
      return Promise.resolve(texts.map((text) => vectors[text] ?? []));
    },
  };
}

const VECTORS = { east: [1, 0], north: [0, 2], diagonal: [1, 1], west: [-1, 0], third: [0.5, Math.sqrt(3) / 2] };
const item = (text: string): IndexItem<string> => ({ text, meta: text });

describe("searching", () => {
  it.each([
    [1, 1],
    [0.5, 0.5],
    [0, 1 - Math.SQRT1_2],
    [-1, 0],
    [1.0000001, 1],
  ])("a cosine of %d has the score %d", (cosine, score) => {
    expect(angularScore(cosine)).toBeCloseTo(score, 6);
  });

  it("gives the best first, with scores", async () => {
    const index = createEmbeddingIndex({
      items: ["west", "north", "diagonal", "east"].map(item),
      embeddings: fixed(VECTORS),
    });
    const hits = await index.search("east");
    expect(hits.map(({ item: { meta } }) => meta)).toEqual(["east", "diagonal", "north", "west"]);
    expect(hits.map(({ score }) => Math.round(score * 1000) / 1000)).toEqual([1, 0.617, 0.293, 0]);
    expect(await index.search("east", 1)).toHaveLength(1);
    expect(await index.search("east", 0)).toEqual([]);
  });

  it.each([
    [undefined, 3],
    [Infinity, 3],
    [0.6, 2],
    [0.99, 1],
    [1.1, 0],
  ])("a threshold of %s keeps %i", async (threshold, count) => {
    const index = createEmbeddingIndex({ items: ["east", "diagonal", "north"].map(item), embeddings: fixed(VECTORS) });
    expect(await index.search("east", 20, threshold)).toHaveLength(count);
  });

  it("scores cosines when asked to", async () => {
    const index = createEmbeddingIndex({ items: [item("third")], embeddings: fixed(VECTORS), metric: "cosine" });
    expect((await index.search("east"))[0]?.score).toBeCloseTo(0.5, 6);
  });

  it("prefers earlier items among equals", async () => {
    const embeddings = fixed({ a: [1, 0], b: [2, 0], c: [3, 0], q: [1, 0] });
    const index = createEmbeddingIndex({ items: ["b", "a", "c"].map(item), embeddings });
    expect((await index.search("q", 2)).map(({ item: { meta } }) => meta)).toEqual(["b", "a"]);
  });

  it("finds nothing in nothing", async () => {
    expect(await createEmbeddingIndex().search("x")).toEqual([]);
  });
});

describe("building", () => {
  it("waits for the first search, and happens once", async () => {
    const embeddings = fixed(VECTORS);
    const index = createEmbeddingIndex({ items: ["east", "north"].map(item), embeddings });
    expect(embeddings.calls).toEqual([]);
    await Promise.all([index.search("east"), index.search("north"), index.search("west")]);
    expect(embeddings.calls).toEqual([["east", "north"]]);
  });

  it("takes more items later and embeds only them", async () => {
    const embeddings = fixed(VECTORS);
    const index = createEmbeddingIndex({ items: [item("north")], embeddings });
    await index.search("east");
    await index.addItems([item("east")]);
    expect((await index.search("east"))[0]?.item.meta).toBe("east");
    expect(embeddings.calls).toEqual([["north"], ["east"]]);
  });

  it("takes items that come while it is built", async () => {
    const index = createEmbeddingIndex({ items: [item("north")], embeddings: fixed(VECTORS) });
    const first = index.search("east");
    await index.addItems([item("east")]);
    await first;
    expect(await index.search("east")).toHaveLength(2);
  });

  it("works in batches, a few at once", async () => {
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
        return texts.map((_, index) => [1, index]);
      },
    };
    const items = Array.from({ length: 25 }, (_, index) => item(String(index)));
    const index = createEmbeddingIndex({ items, embeddings, batchSize: 4, concurrency: 2 });
    expect(await index.search("x", 100)).toHaveLength(25);
    expect([sizes, most]).toEqual([[4, 4, 4, 4, 4, 4, 1], 2]);
  });

  it("rejects everybody who waits when it fails, and recovers", async () => {
    const embeddings = fixed(VECTORS);
    let isAway = true;
    const flaky: EmbeddingsInterface = {
      embedQuery: (text) => embeddings.embedQuery(text),
      embedDocuments: (texts) => (isAway ? Promise.reject(new Error("away")) : embeddings.embedDocuments(texts)),
    };
    const index = createEmbeddingIndex({ items: [item("east")], embeddings: flaky });
    const results = await Promise.allSettled([index.search("east"), index.search("north")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isAway = false;
    expect(await index.search("east")).toHaveLength(1);
  });

  it.each([
    ["too few vectors", () => [[1, 0]]],
    ["vectors of different lengths", () => [[1, 0], [1]]],
    ["empty vectors", () => [[], []]],
    [
      "numbers that are none",
      () => [
        [1, 0],
        [Number.NaN, 1],
      ],
    ],
  ])("refuses %s and keeps nothing of them", async (_title, give) => {
    let isBad = true;
    const embeddings: EmbeddingsInterface = {
      embedQuery: () => Promise.resolve([1, 0]),
      embedDocuments: () =>
        Promise.resolve(
          isBad
            ? give()
            : [
                [1, 0],
                [0, 1],
              ],
        ),
    };
    const index = createEmbeddingIndex({ items: ["a", "b"].map(item), embeddings });
    await expect(index.search("x")).rejects.toThrow(RangeError);
    isBad = false;
    expect(await index.search("x")).toHaveLength(2);
  });

  it("refuses a query of another length", async () => {
    const index = createEmbeddingIndex({ items: [item("east")], embeddings: fixed({ east: [1, 0], q: [1, 0, 0] }) });
    await expect(index.search("q")).rejects.toThrow("a vector has 3 dimensions, the others have 2");
  });
});

describe("the n-gram embedder", () => {
  it("needs no model to tell related texts from others", async () => {
    const examples = ["how do I open an account?", "what is the weather like?", "I lost my card", "good morning"];
    const index = createEmbeddingIndex({ items: examples.map(item) });
    const best = async (text: string): Promise<string | undefined> => (await index.search(text, 1))[0]?.item.meta;
    expect(await best("I want to open a new account")).toBe(examples[0]);
    expect(await best("weather tomorrow?")).toBe(examples[1]);
    expect(await best("my cards are lost")).toBe(examples[2]);
    expect(await best("Good Morning!")).toBe(examples[3]);
    expect((await index.search("good morning", 1))[0]?.score).toBeCloseTo(1, 5);
  });

  it.each(["", " ", "???", "日本語のテキスト", "Grüße aus Köln", "🎉", "a".repeat(100_000)])("takes %j", (text) => {
    const vector = embedText(text);
    expect(vector).toHaveLength(NGRAM_DIMENSIONS);
    const length = Math.hypot(...vector);
    expect(length === 0 || Math.abs(length - 1) < 1e-4).toBe(true);
  });

  it("is the same everywhere", () => {
    const vector = embedText("hello");
    const places = Array.from(vector.entries()).filter(([, value]) => value !== 0);
    expect(places.map(([place, value]) => [place, Math.round(value * 1000) / 1000])).toMatchInlineSnapshot(`
[
  [
    28,
    0.247,
  ],
  [
    111,
    0.323,
  ],
  [
    140,
    0.247,
  ],
  [
    220,
    0.247,
  ],
  [
    250,
    -0.247,
  ],
  [
    373,
    0.247,
  ],
  [
    438,
    -0.247,
  ],
  [
    525,
    -0.228,
  ],
  [
    553,
    0.417,
  ],
  [
    828,
    -0.247,
  ],
  [
    841,
    -0.247,
  ],
  [
    878,
    -0.247,
  ],
  [
    932,
    0.349,
  ],
]
`);
  });

  it("gives unit vectors, the same ones twice, in LangChain's shape too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 60 }), async (text) => {
        const vector = embedText(text);
        expect(embedText(text)).toEqual(vector);
        expect(await ngramEmbeddings.embedQuery(text)).toEqual(Array.from(vector));
        expect(await ngramEmbeddings.embedDocuments([text])).toEqual([Array.from(vector)]);
      }),
      { numRuns: 50 },
    );
  });
});

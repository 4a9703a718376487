import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { angularScore } from "../../src/retrieval/angular-score.js";
import type { IndexItem } from "../../src/retrieval/embedding-index.js";
import { embedText, NGRAM_DIMENSIONS, ngramEmbeddings } from "../../src/retrieval/matcher/ngram-embeddings.js";
import { createNgramIndex } from "../../src/retrieval/matcher/ngram-index.js";
import { fixedEmbeddings } from "./index-contract.js";

const item = (text: string): IndexItem<string> => ({ text, meta: text });

it.each([
  [1, 1],
  [0.5, 0.5],
  [0, 1 - Math.SQRT1_2],
  [-1, 0],
  [1.0000001, 1],
])("a cosine of %d has the score %d", (cosine, score) => {
  expect(angularScore(cosine)).toBeCloseTo(score, 6);
});

describe("an index of words and letters", () => {
  const TEXTS = ["what is the weather like?", "I lost my card", "my card is lost", "good morning"];
  const metas = async (query: string, ...limits: [number?, number?]): Promise<readonly string[]> =>
    (await createNgramIndex({ items: TEXTS.map(item) }).search(query, ...limits)).map(({ item: { meta } }) => meta);

  it("gives the best first, with scores, as many as are wanted", async () => {
    expect((await metas("my card is lost"))[0]).toBe("my card is lost");
    expect(await metas("weather", 1)).toEqual([TEXTS[0]]);
    expect(await metas("weather", 0)).toEqual([]);
    const hits = await createNgramIndex({ items: TEXTS.map(item) }).search("good morning");
    expect(hits).toHaveLength(4);
    expect(hits[0]?.score).toBe(1);
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it.each([
    [undefined, 4],
    [Number.POSITIVE_INFINITY, 4],
    [Number.NaN, 4],
    [0.999, 1],
    [1.1, 0],
  ])("a threshold of %s keeps %i", async (threshold, count) => {
    expect(await metas("good morning", 20, threshold)).toHaveLength(count);
    const index = createNgramIndex({ items: TEXTS.map(item), threshold });
    expect(await index.search("good morning")).toHaveLength(count);
  });

  it("prefers earlier items among equals, and knows no difference without words", async () => {
    const items = ["hello", "Hello!", "HELLO"].map(item);
    const hits = await createNgramIndex({ items }).search("hello", 2);
    expect(hits.map(({ item: { meta } }) => meta)).toEqual(["hello", "Hello!"]);
    const none = await createNgramIndex({ items: [item("?"), ...items] }).search("...");
    expect(none.map(({ item: { meta }, score }) => [meta, score])).toEqual(
      ["?", "hello", "Hello!", "HELLO"].map((text) => [text, angularScore(0)]),
    );
  });

  it("takes more items later, and finds nothing in nothing", async () => {
    const index = createNgramIndex<IndexItem<string>>();
    expect(await index.search("x")).toEqual([]);
    await index.addItems(Array.from({ length: 100 }, (_, at) => item(`number ${at}`)));
    expect((await index.search("number 77", 1))[0]?.item.meta).toBe("number 77");
    await index.addItems([item("a late bird")]);
    expect((await index.search("late birds", 1))[0]?.item.meta).toBe("a late bird");
  });

  it("reads large collections once, with searches meanwhile", async () => {
    let read = 0;
    const items = Array.from({ length: 4100 }, (_, at) => ({
      get text() {
        read += 1;
        return `text ${at}`;
      },
      meta: at,
    }));
    const index = createNgramIndex({ items });
    const found = await Promise.all(["text 5", "text 4099"].map((text) => index.search(text, 1)));
    expect(found.map(([hit]) => hit?.item.meta)).toEqual([5, 4099]);
    expect(read).toBe(4100);
  });

  it("is no place for embeddings", () => {
    expect(() => createNgramIndex({ embeddings: fixedEmbeddings({}) })).toThrow(TypeError);
  });
});

describe("the n-gram embedder", () => {
  it("separates related texts from others without a model", async () => {
    const examples = ["how do I open an account?", "what is the weather like?", "I lost my card", "good morning"];
    const index = createNgramIndex({ items: examples.map(item) });
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

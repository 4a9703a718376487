import { describe, expect, it } from "@jest/globals";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { ModelError } from "../../../src/diagnostics/errors.js";
import { createMemoryIndex } from "../../../src/langchain/retrieval/vector-index.js";
import type { IndexItem } from "../../../src/retrieval/embedding-index.js";
import { embedTexts } from "../../../src/retrieval/embed-texts.js";
import { describeIndex, fixedEmbeddings, item, VECTORS } from "../../retrieval/index-contract.js";

describeIndex("an index over `MemoryVectorStore`", createMemoryIndex);

const metas = (hits: readonly { readonly item: IndexItem<string> }[]) => hits.map(({ item: { meta } }) => meta);

describe("an index over embeddings", () => {
  it("compares words and letters where there are none", async () => {
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

  it("keeps the order of what is all the same", async () => {
    const texts = Array.from({ length: 60 }, (_, at) => `text ${at}`);
    const index = createMemoryIndex({ items: texts.map(item), embeddings: new FakeEmbeddings() });
    expect(metas(await index.search("x", 60))).toEqual(texts);
  });

  it("a text without a direction is at a right angle to all others", async () => {
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

  it("takes items that come while it is built", async () => {
    const index = createMemoryIndex({ items: [item("north")], embeddings: fixedEmbeddings(VECTORS) });
    const first = index.search("east");
    await index.addItems([item("east")]);
    await first;
    expect(await index.search("east")).toHaveLength(2);
  });

  it.each<[string, () => unknown, string]>([
    ["too few vectors", () => [[1, 0]], "the embeddings gave 1 vectors for 2 texts"],
    ["too many vectors", () => [[1], [1], [1]], "the embeddings gave 3 vectors for 2 texts"],
    ["no vectors", () => undefined, "expected the embeddings to return an array of vectors"],
    ["vectors of different lengths", () => [[1, 0], [1]], "has 1 dimensions, the others have 2"],
    ["empty vectors", () => [[], []], "an empty vector"],
    ["texts", () => ["ab", "cd"], "expected the embeddings to return arrays of numbers"],
    [
      "NaN",
      () => [
        [1, Number.NaN],
        [1, 0],
      ],
      "not a finite number",
    ],
    ["a hole", () => [[1, 0], Object.assign([1], { length: 2 })], "not a finite number"],
  ])("refuses %s and keeps nothing of them", async (_title, give, message) => {
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
    ["a query of another length", { east: [1, 0], q: [1, 0, 0] }, "has 3 dimensions, the others have 2"],
    ["a query without numbers", { east: [1, 0] }, "an empty vector"],
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
    await expect(index.search("east")).rejects.toThrow("has 1 dimensions, the others have 2");
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
  const texts = Array.from({ length: 25 }, (_, at) => String(at));
  expect(await embedTexts(embeddings, texts, { batchSize: 4, concurrency: 2 })).toEqual(
    texts.map((text) => [Number(text)]),
  );
  expect([sizes, most]).toEqual([[4, 4, 4, 4, 4, 4, 1], 2]);
});

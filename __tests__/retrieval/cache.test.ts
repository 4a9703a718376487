import { describe, expect, it } from "@jest/globals";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { cacheEmbeddings } from "../../src/retrieval/cache.js";

function counting(): EmbeddingsInterface & { readonly asked: string[][] } {
  const asked: string[][] = [];
  return {
    asked,
    embedQuery: (text) => {
      asked.push([`query ${text}`]);
      return Promise.resolve([0, text.length]);
    },
    embedDocuments: (texts) => {
      asked.push([...texts]);
      return Promise.resolve(texts.map((text) => [text.length]));
    },
  };
}

describe("cached embeddings", () => {
  it("embed only what is missing, each text once, in one call, and answer in order", async () => {
    const inner = counting();
    const cached = cacheEmbeddings(inner, { engine: "e", model: "m" });
    expect(await cached.embedDocuments(["aa", "b", "aa"])).toEqual([[2], [1], [2]]);
    expect(await cached.embedDocuments(["ccc", "b", "dddd"])).toEqual([[3], [1], [4]]);
    expect(await cached.embedDocuments(["b"])).toEqual([[1]]);
    expect(inner.asked).toEqual([
      ["aa", "b"],
      ["ccc", "dddd"],
    ]);
  });

  it("keep queries apart from documents", async () => {
    const inner = counting();
    const cached = cacheEmbeddings(inner, { engine: "e", model: "m" });
    expect([await cached.embedQuery("a"), await cached.embedQuery("a"), await cached.embedDocuments(["a"])]).toEqual([
      [0, 1],
      [0, 1],
      [[1]],
    ]);
    expect(inner.asked).toEqual([["query a"], ["a"]]);
  });

  it("keep models apart in a common store", async () => {
    const store = new Map<string, readonly number[]>();
    const inner = counting();
    await cacheEmbeddings(inner, { engine: "e", model: "m", store }).embedDocuments(["a"]);
    await cacheEmbeddings(inner, { engine: "e", model: "n", store }).embedDocuments(["a"]);
    await cacheEmbeddings(inner, { engine: "e", model: "m", store }).embedDocuments(["a"]);
    expect(inner.asked).toEqual([["a"], ["a"]]);
  });

  it("are bounded, and return copies", async () => {
    const inner = counting();
    const cached = cacheEmbeddings(inner, { engine: "e", model: "m", maxEntries: 2 });
    const [vector] = await cached.embedDocuments(["a"]);
    vector?.push(99);
    expect(await cached.embedDocuments(["a"])).toEqual([[1]]);
    await cached.embedDocuments(["b", "c"]);
    await cached.embedDocuments(["a"]);
    expect(inner.asked).toEqual([["a"], ["b", "c"], ["a"]]);
  });

  it("pass failures on and store nothing", async () => {
    const inner = counting();
    const short: EmbeddingsInterface = { ...inner, embedDocuments: () => Promise.resolve([]) };
    const cached = cacheEmbeddings(short, { engine: "e", model: "m" });
    await expect(cached.embedDocuments(["a"])).rejects.toThrow("the embeddings gave 0 vectors for 1 texts");
  });
});

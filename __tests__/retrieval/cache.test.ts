import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { cacheEmbeddings } from "../../src/retrieval/cache.js";
import { openFileVectorStore } from "../../src/retrieval/file-vector-store.js";

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

  it("are bounded, and hand out copies", async () => {
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

describe("vectors in a folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "vectors-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(["sha256", "md5"] as const)("outlive the process, named by %s", async (digest) => {
    const store = await openFileVectorStore(join(folder, "deep"), digest);
    store.set("../a", [0.1, -2, 1e-300]);
    store.set("b", [3]);
    const later = await openFileVectorStore(join(folder, "deep"), digest);
    expect([later.get("../a"), later.get("b"), later.get("c")]).toEqual([[0.1, -2, 1e-300], [3], undefined]);
    expect(readdirSync(folder)).toEqual(["deep"]);
  });

  it.each([
    ["nothing", new Uint8Array(0)],
    ["a part", new Uint8Array(13)],
    ["what is no number", new Uint8Array(8).fill(255)],
  ])("are embedded again when a file holds %s", async (_, bytes) => {
    const store = await openFileVectorStore(folder);
    store.set("a", [1]);
    writeFileSync(join(folder, readdirSync(folder)[0] as string), bytes);
    expect(store.get("a")).toBeUndefined();
  });

  it("are only not kept when the folder cannot be used", async () => {
    writeFileSync(join(folder, "file"), "");
    const errors: unknown[] = [];
    const store = await openFileVectorStore(join(folder, "file"), "sha256", (error) => errors.push(error));
    store.set("a", [1]);
    expect([store.get("a"), errors.length]).toEqual([undefined, 1]);
  });
});

import { mkdtemp, readdir, rename, rm, symlink, writeFile, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, afterEach, beforeEach } from "@jest/globals";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { batchEmbeddings, type StartTimer } from "../../src/retrieval/embeddings.js";
import { cacheEmbeddings } from "../../src/retrieval/cache.js";
import { openVectorFolder } from "../../src/retrieval/vector-folder.js";
import { fixedEmbeddings, VECTORS } from "./index-contract.js";

/** A timer under control of the test. */
function handTimer(): { readonly start: StartTimer; ring(): void; readonly holds: number[] } {
  const holds: number[] = [];
  let pending: (() => void) | undefined;
  return {
    holds,
    start: (milliseconds, run) => {
      holds.push(milliseconds);
      pending = run;
      return () => {
        pending = undefined;
      };
    },
    ring: () => {
      const run = pending;
      pending = undefined;
      run?.();
    },
  };
}

/** Embeddings that embed a text of digits as its number, and fail a query that is not batched. */
function numbers(embedDocuments: EmbeddingsInterface["embedDocuments"]): EmbeddingsInterface & {
  readonly asked: string[][];
} {
  const asked: string[][] = [];
  return {
    asked,
    embedQuery: () => Promise.reject(new Error("not used")),
    embedDocuments: (texts) => {
      asked.push(texts);
      return embedDocuments(texts);
    },
  };
}

const toNumbers = (texts: readonly string[]): Promise<number[][]> =>
  Promise.resolve(texts.map((text) => [Number(text)]));

describe("batched embeddings", () => {
  it("send queries together when the first has waited long enough, 10 milliseconds by default", async () => {
    const timer = handTimer();
    const inner = numbers(toNumbers);
    const embeddings = batchEmbeddings(inner, { startTimer: timer.start });
    const both = Promise.all([embeddings.embedQuery("1"), embeddings.embedQuery("2")]);
    expect(inner.asked).toEqual([]);
    timer.ring();
    expect(await both).toEqual([[1], [2]]);
    expect(await embeddings.embedDocuments(["3"])).toEqual([[3]]);
    expect([inner.asked, timer.holds]).toEqual([[["1", "2"], ["3"]], [10]]);
  });

  it("wait as long as configured", () => {
    const timer = handTimer();
    const embeddings = batchEmbeddings(numbers(toNumbers), { maxBatchHold: 25, startTimer: timer.start });
    void embeddings.embedQuery("1");
    expect(timer.holds).toEqual([25]);
  });

  it("run a full batch at once and cancel its timer", async () => {
    const timer = handTimer();
    const inner = numbers(toNumbers);
    const embeddings = batchEmbeddings(inner, { maxBatchSize: 2, startTimer: timer.start });
    const all = ["1", "2", "3"].map((text) => embeddings.embedQuery(text));
    timer.ring();
    timer.ring();
    expect(await Promise.all(all)).toEqual([[1], [2], [3]]);
    expect(inner.asked).toEqual([["1", "2"], ["3"]]);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("away"))],
    [
      "throws",
      () => {
        throw new Error("away");
      },
    ],
    ["gives too few vectors", () => Promise.resolve([])],
  ])("reject every query of a batch whose embedding %s, and only these", async (_title, fail) => {
    let isAway = true;
    const inner = numbers((texts) => (isAway ? fail() : toNumbers(texts)));
    const embeddings = batchEmbeddings(inner, { maxBatchSize: 2, startTimer: handTimer().start });
    const first = await Promise.allSettled([embeddings.embedQuery("1"), embeddings.embedQuery("2")]);
    expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isAway = false;
    expect(await Promise.all([embeddings.embedQuery("3"), embeddings.embedQuery("4")])).toEqual([[3], [4]]);
  });
});

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
  it("embed only what is missing, each text once, in one call, and return vectors in order", async () => {
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

  it("keep queries separate from documents", async () => {
    const inner = counting();
    const cached = cacheEmbeddings(inner, { engine: "e", model: "m" });
    expect([await cached.embedQuery("a"), await cached.embedQuery("a"), await cached.embedDocuments(["a"])]).toEqual([
      [0, 1],
      [0, 1],
      [[1]],
    ]);
    expect(inner.asked).toEqual([["query a"], ["a"]]);
  });

  it("keep models separate in a common store", async () => {
    const store = new Map<string, readonly number[]>();
    const inner = counting();
    await cacheEmbeddings(inner, { engine: "e", model: "m", store }).embedDocuments(["a"]);
    await cacheEmbeddings(inner, { engine: "e", model: "n", store }).embedDocuments(["a"]);
    await cacheEmbeddings(inner, { engine: "e", model: "m", store }).embedDocuments(["a"]);
    expect(inner.asked).toEqual([["a"], ["a"]]);
  });

  it("are bounded, and return copies", async () => {
    const inner = counting();
    const cached = cacheEmbeddings(inner, { engine: "e", model: "m" });
    const [vector] = await cached.embedDocuments(["a"]);
    vector?.push(99);
    expect(await cached.embedDocuments(["a"])).toEqual([[1]]);
    const others = Array.from({ length: 10_000 }, (_, at) => `b${at}`);
    await cached.embedDocuments(others);
    await cached.embedDocuments(["a"]);
    expect(inner.asked).toEqual([["a"], others, ["a"]]);
  });

  it("pass failures on and store nothing", async () => {
    const inner = counting();
    const short: EmbeddingsInterface = { ...inner, embedDocuments: () => Promise.resolve([]) };
    const cached = cacheEmbeddings(short, { engine: "e", model: "m" });
    await expect(cached.embedDocuments(["a"])).rejects.toThrow("expected 1 vectors from the embeddings, got 0");
  });
});

describe("a folder", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vectors-"));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const files = async (): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".vector"));

  describe("a folder of vectors", () => {
    it.each(["sha256", "md5"] as const)("returns exactly what the last process stored (%s)", async (hash) => {
      const vector = [0.1, -1e-300, 12345.678, 0];
      await (await openVectorFolder(folder, hash)).set("key", vector);
      const again = await openVectorFolder(folder, hash);
      expect([await again.get("key"), await again.get("other")]).toEqual([vector, undefined]);
      expect(await files()).toHaveLength(1);
    });

    it("follows no link out of it, neither to read nor to write", async () => {
      const outside = await mkdtemp(join(tmpdir(), "outside-"));
      const store = await openVectorFolder(folder);
      await store.set("key", [1, 2]);
      const [file = ""] = await files();
      const prefix = join(folder, dirname(file));
      await rename(prefix, join(outside, "moved"));
      await symlink(join(outside, "moved"), prefix);
      expect(await store.get("key")).toBeUndefined();
      await rm(join(outside, "moved", basename(file)));
      await store.set("key", [3, 4]);
      expect(await readdir(join(outside, "moved"))).toEqual([]);
      await rm(outside, { recursive: true });
    });

    it("saves embeddings across processes, and keeps models separate", async () => {
      const embed = async (model: string): Promise<readonly string[][]> => {
        const embeddings = fixedEmbeddings(VECTORS);
        const cached = cacheEmbeddings(embeddings, { engine: "e", model, store: await openVectorFolder(folder) });
        expect(await cached.embedDocuments(["east", "north"])).toEqual([VECTORS.east, VECTORS.north]);
        return embeddings.calls;
      };
      expect([await embed("m"), await embed("m"), await embed("n")]).toEqual([
        [["east", "north"]],
        [],
        [["east", "north"]],
      ]);
    });

    it.each([
      ["nothing", new Uint8Array()],
      ["half a number", new Uint8Array(12)],
      ["no numbers", new Uint8Array(16).fill(255)],
      ["numbers of an older format", new Uint8Array(16)],
    ])("treats a file with %s as missing", async (_title, content) => {
      const store = await openVectorFolder(folder);
      await store.set("key", [1, 2]);
      await writeFile(join(folder, (await files())[0] ?? ""), content);
      expect(await store.get("key")).toBeUndefined();
      await store.set("key", [3]);
      expect(await store.get("key")).toEqual([3]);
    });

    it("treats a changed or renamed file as missing", async () => {
      const store = await openVectorFolder(folder, "md5");
      await store.set("one", [1, 2]);
      const [first = ""] = await files();
      const content = await readFile(join(folder, first));
      await store.set("two", [3, 4]);
      const second = (await files()).find((name) => name !== first) ?? "";
      await writeFile(join(folder, second), content);
      expect(await store.get("two")).toBeUndefined();
      content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
      await writeFile(join(folder, first), content);
      expect(await store.get("one")).toBeUndefined();
    });

    it("leaves no incomplete file after concurrent writes", async () => {
      const store = await openVectorFolder(folder);
      await Promise.all(Array.from({ length: 100 }, (_, at) => store.set(`key ${at % 10}`, [at % 10, 1])));
      expect(await Promise.all([0, 9].map((at) => store.get(`key ${at}`)))).toEqual([
        [0, 1],
        [9, 1],
      ]);
      expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".draft"))).toEqual([]);
    });

    it("reports that it cannot be made", async () => {
      await writeFile(join(folder, "file"), "");
      await expect(openVectorFolder(join(folder, "file", "below"))).rejects.toThrow(/ENOTDIR|EEXIST/);
    });

    it("does not affect a message if it cannot be written", async () => {
      const store = await openVectorFolder(join(folder, "gone"));
      await rm(join(folder, "gone"), { recursive: true });
      await writeFile(join(folder, "gone"), "");
      await store.set("key", [1]);
      expect(await store.get("key")).toBeUndefined();
    });
  });
});

import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalFileStore } from "@langchain/classic/storage/file_system";
import { SyntheticEmbeddings } from "@langchain/core/utils/testing";
import { InMemoryStore as KeyValueMemory } from "@langchain/core/stores";
import { AsyncBatchedStore, InMemoryStore as GraphMemory } from "@langchain/langgraph";
import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";
import {
  fromKeyValueStore,
  fromLangGraphStore,
  MemoryThreadStore,
  type StoredThread,
  type ThreadStore,
  ThreadStoreError,
} from "../../../src/langchain/threads.js";
import { forgetWarnings } from "../../../src/langchain/one-time-warning.js";
import { propertyRuns } from "../../support/property-runs.js";
import { threadStoreContract } from "../../../src/testing/index.js";

const COUNTER = {
  colang: "define flow count\n  event UserMessage\n  $count = execute next\n  bot $count\n",
  yaml: "models: []",
};
const next = (_params: unknown, { context }: { context: Readonly<Record<string, unknown>> }): number =>
  Number(context["count"] ?? 0) + 1;
const counter = (threads?: ThreadStore, options: GuardrailsOptions = {}): Promise<Guardrails> =>
  Guardrails.fromConfig(COUNTER, { actions: { next }, ...options, ...(threads === undefined ? {} : { threads }) });
const say = async (guardrails: Guardrails, thread_id: string): Promise<unknown> =>
  (await guardrails.generate("hi", {}, { configurable: { thread_id } })).response;

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "threads-"));
  folders.push(made);
  return made;
};

afterEach(() => {
  jest.restoreAllMocks();
  forgetWarnings();
  for (const made of folders.splice(0)) rmSync(made, { recursive: true });
});

const files = async (): Promise<ThreadStore> =>
  fromKeyValueStore(await LocalFileStore.fromPath(folder()), { singleProcess: true });

const STORES: readonly (readonly [string, () => ThreadStore | Promise<ThreadStore>])[] = [
  ["MemoryThreadStore", () => new MemoryThreadStore()],
  ["a key-value store of bytes", () => fromKeyValueStore(new KeyValueMemory<Uint8Array>())],
  ["a key-value store of text", () => fromKeyValueStore(new KeyValueMemory<string>(), { values: "text" })],
  ["a key-value store of objects", () => fromKeyValueStore(new KeyValueMemory<StoredThread>(), { values: "objects" })],
  ["LocalFileStore", files],
  ["LangGraph's InMemoryStore", () => fromLangGraphStore(new GraphMemory())],
  ["the batching shell of a graph", () => fromLangGraphStore(new AsyncBatchedStore(new GraphMemory()))],
];

describe.each(STORES)("%s", (_name, open) => {
  it.each(threadStoreContract(open))("$name", ({ run }) => run());

  it("continues a conversation in another process", async () => {
    const threads = await open();
    expect(await say(await counter(threads), "a")).toBe("1");
    // Another runtime finds only what was stored.
    expect([await say(await counter(threads), "a"), await say(await counter(threads), "b")]).toEqual(["2", "1"]);
  });
});

describe("stored conversations", () => {
  it.each<[string, unknown]>([
    ["a text", "hello"],
    ["a number", 7],
    ["no version", { state: {} }],
    ["a version that is invalid", { version: "1", state: {} }],
    ["a version of nothing", { version: 0, state: {} }],
    ["an inherited state", Object.create({ version: 1, state: {} })],
    ["no state", { version: 1, state: null }],
    ["a state of another version", { version: 1, state: { version: 99, engine: {}, history: {} } }],
    ["a state that was tampered with", { version: 1, state: { version: 1, engine: { version: 1 }, history: [] } }],
  ])("is refused when it is %s", async (_what, found) => {
    const set = jest.fn(() => true);
    const guardrails = await counter({ get: () => found as StoredThread, set, delete: () => undefined });
    const error: unknown = await say(guardrails, "a").catch((reason: unknown) => reason);
    expect(ThreadStoreError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: "RL-402",
      thread: "a",
      message: expect.stringContaining("another `thread_id`"),
    });
    expect(set).not.toHaveBeenCalled();
  });

  it.each(["{", '"text"', "null", "[]"])("is refused when its bytes are %s", async (text) => {
    const store = new KeyValueMemory<Uint8Array>();
    await store.mset([["guardrails.thread.id.a", new TextEncoder().encode(text)]]);
    const error: unknown = await say(await counter(fromKeyValueStore(store)), "a").catch((reason: unknown) => reason);
    const isNothing = text === "null";
    expect(isNothing ? error : (error as ThreadStoreError).code).toBe(isNothing ? "1" : "RL-402");
  });

  it("brings no prototype and no variable named like one", async () => {
    const store = new KeyValueMemory<string>();
    const threads = fromKeyValueStore(store, { values: "text" });
    const guardrails = await counter(threads);
    await say(guardrails, "a");
    const [kept] = await store.mget(["guardrails.thread.id.a"]);
    const poisoned = String(kept).replace('"context":{', '"context":{"__proto__":{"polluted":1},');
    expect(poisoned).not.toBe(kept);
    await store.mset([["guardrails.thread.id.a", poisoned]]);
    await expect(say(guardrails, "a")).rejects.toMatchObject({ code: "RL-402" });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("keys", () => {
  it("are readable for usual ids, and safe for all others", async () => {
    const root = folder();
    const threads = fromKeyValueStore(await LocalFileStore.fromPath(root), { singleProcess: true });
    const uuid = "0b0c7f2e-6f0a-4f3c-9a54-1f6c1d6f0e55";
    for (const id of [uuid, "../../etc/passwd", "ANN"]) await threads.set(id, { version: 1, state: {} });
    const hashed = expect.stringMatching(/^guardrails\.thread\.sha256\.[0-9a-f]{64}\.txt$/);
    expect(readdirSync(root).toSorted()).toEqual([`guardrails.thread.id.${uuid}.txt`, hashed, hashed]);
  });

  it("have the prefix and the namespace of the caller, which separate conversations", async () => {
    const graph = new GraphMemory();
    const bytes = new KeyValueMemory<Uint8Array>();
    await fromKeyValueStore(bytes, { prefix: "bakery." }).set("a", { version: 1, state: {} });
    await fromLangGraphStore(graph, ["bakery", "talks"]).set("a", { version: 1, state: {} });
    expect(await bytes.yieldKeys().next()).toEqual({ value: "bakery.id.a", done: false });
    expect(await graph.get(["bakery", "talks"], "id.a")).toMatchObject({ value: { version: 1 } });
    expect([await fromKeyValueStore(bytes).get("a"), await fromLangGraphStore(graph).get("a")]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("and states are not embedded by a store that embeds its items", async () => {
    const embeddings = new SyntheticEmbeddings({ vectorSize: 3 });
    const embed = jest.spyOn(embeddings, "embedDocuments");
    const store = new AsyncBatchedStore(new GraphMemory({ index: { dims: 3, embeddings } }));
    await fromLangGraphStore(store).set("a", { version: 1, state: { said: "secret" } });
    expect(embed).not.toHaveBeenCalled();
  });
});

describe("a store that cannot compare and set", () => {
  const warnings = (): string[] => {
    const given: string[] = [];
    jest.spyOn(console, "warn").mockImplementation((text: string) => void given.push(text));
    return given;
  };

  it("warns once", async () => {
    const given = warnings();
    const threads = fromKeyValueStore(await LocalFileStore.fromPath(folder()));
    for (const version of [1, 2]) await threads.set("a", { version, state: {} });
    expect(given).toEqual([expect.stringContaining("`LocalFileStore`, which cannot compare and set")]);
  });

  it.each<[string, () => Promise<ThreadStore> | ThreadStore]>([
    ["a file store", async () => fromKeyValueStore(await LocalFileStore.fromPath(folder()))],
    ["a graph store", () => fromLangGraphStore(new (class RemoteStore extends GraphMemory {})())],
    [
      "a store inside of another",
      async () => {
        const inner = fromKeyValueStore(await LocalFileStore.fromPath(folder()));
        return { get: inner.get, delete: inner.delete, set: (...call) => inner.set(...call) };
      },
    ],
  ])("warns through the logger of the guardrails, and never with `logger: false`: %s", async (_name, open) => {
    const onConsole = warnings();
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const threads = await open();
    await say(await counter(threads, { logger: false }), "a");
    expect([lines, onConsole]).toEqual([[], []]);
    await say(await counter(threads, { logger: { warn: write, error: write } }), "a");
    expect([lines, onConsole]).toEqual([[expect.stringContaining("which cannot compare and set")], []]);
  });

  it("of a graph warns through the logger of the guardrails", async () => {
    const onConsole = warnings();
    const store = new (class RemoteStore extends GraphMemory {})();
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    for (const logger of [false, { warn: write, error: write }] as const) {
      const guardrails = await counter(undefined, { logger });
      await guardrails.generate("hi", {}, { configurable: { thread_id: "a" }, store } as never);
    }
    expect([lines, onConsole]).toEqual([[expect.stringContaining("`RemoteStore`, which cannot compare")], []]);
  });

  it.each([
    ["is used by one process", files],
    ["lives in the process", () => fromLangGraphStore(new GraphMemory())],
  ])("does not warn if it %s", async (_why, open) => {
    const given = warnings();
    await (await open()).set("a", { version: 1, state: {} });
    expect(given).toEqual([]);
  });
});

describe("MemoryThreadStore", () => {
  it("removes conversations that were not used for their time, by the given clock", () => {
    let time = 1000;
    const store = new MemoryThreadStore({ ttlMs: 60, clock: { now: () => time } });
    store.set("a", { version: 1, state: {} });
    time += 59;
    expect(store.get("a")?.version).toBe(1);
    // Reading counts as use.
    time += 59;
    expect(store.get("a")?.version).toBe(1);
    time += 61;
    expect(store.get("a")).toBeUndefined();
    expect(store.set("a", { version: 1, state: {} }, { expectedVersion: 0 })).toBe(true);
  });

  it("stays below its size limit, whatever the conversations contain", () => {
    const store = new MemoryThreadStore({ max: 50 });
    for (let index = 0; index < 5000; index += 1) store.set(`thread ${index}`, { version: 1, state: {} });
    const kept = Array.from({ length: 5000 }, (_, index) => store.get(`thread ${index}`)).filter(Boolean);
    expect(kept).toHaveLength(50);
  });
});

it("many calls at once, two on each thread, keep to their own thread (D3)", async () => {
  const ids = Array.from({ length: propertyRuns(100) }, (_, index) => `thread ${index}`);
  const guardrails = await counter(new MemoryThreadStore({ max: ids.length }));
  const replies = await Promise.all([...ids, ...ids].map((id) => say(guardrails, id)));
  expect([new Set(replies.slice(0, ids.length)), new Set(replies.slice(ids.length))]).toEqual([
    new Set(["1"]),
    new Set(["2"]),
  ]);
});

describe("one store shared by several guards", () => {
  it("makes turns of a conversation wait for each other", async () => {
    const threads = fromKeyValueStore(new KeyValueMemory<Uint8Array>());
    const guards = await Promise.all([counter(threads), counter(threads), counter(threads)]);
    const replies = await Promise.all([...guards, ...guards].map((guardrails) => say(guardrails, "a")));
    expect(replies.toSorted()).toEqual(["1", "2", "3", "4", "5", "6"]);
  });

  it("never makes a turn wait for itself", async () => {
    const threads = new MemoryThreadStore();
    const inside = await counter(threads);
    const outside = await Guardrails.fromConfig(
      { colang: "define flow ask\n  event UserMessage\n  $said = execute ask\n  bot $said\n", yaml: "models: []" },
      {
        threads,
        actions: {
          ask: async (_params: unknown, { runnableConfig }: { runnableConfig: object }) =>
            `inside: ${String((await inside.generate("hi", {}, runnableConfig)).response)}`,
        },
      },
    );
    const versions: (number | undefined)[] = [];
    for (const reply of ["inside: 1", "inside: 1"]) {
      expect(await say(outside, "a")).toBe(reply);
      versions.push(threads.get("a")?.version);
    }
    expect(versions[1]).toBe((versions[0] ?? 0) + 1);
  });
});

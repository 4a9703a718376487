import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { Guardrails } from "../../../src/index.js";
import {
  fromKeyValueStore,
  type KeyValueStore,
  MemoryThreadStore,
  type ThreadStore,
  ThreadStoreError,
} from "../../../src/langchain/threads.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";

const LIMIT = 50;
const thread = { configurable: { thread_id: "t" } };

beforeEach(() => void jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] }));
afterEach(() => void jest.useRealTimers());

/** A store in memory whose single calls can be delayed before they take effect. */
function holdingStore() {
  const inner = new MemoryThreadStore();
  const begun: {
    readonly name: "get" | "set";
    readonly signal: AbortSignal | undefined;
    readonly letGo: () => void;
  }[] = [];
  let held: "get" | "set" | undefined;
  const hold = (name: "get" | "set", signal: AbortSignal | undefined): Promise<void> | undefined => {
    if (held !== name) return undefined;
    held = undefined;
    return new Promise((letGo) => begun.push({ name, signal, letGo }));
  };
  let first: number | undefined;
  const store: ThreadStore = {
    get: async (id, options) => (await hold("get", options?.signal), inner.get(id)),
    set: async (id, next, options) => {
      await hold("set", options?.signal);
      first ??= next.version;
      return inner.set(id, next, options);
    },
    delete: (id) => inner.delete(id),
  };
  /** Stored turns of the conversation. */
  const turns = (): number => (first === undefined ? 0 : (inner.get("t")?.version ?? 0) - first + 1);
  return { store, inner, turns, begun, hold: (name: "get" | "set") => void (held = name) };
}

type Take = (guardrails: Guardrails, signal?: AbortSignal) => Promise<unknown>;
const takes: [string, Take][] = [
  [
    "invoke",
    (guardrails, signal) =>
      guardrails.wrap(scriptedModel(["hello"])).invoke("hi", { ...thread, ...(signal && { signal }) }),
  ],
  [
    "stream",
    async (guardrails, signal) =>
      drain(await guardrails.wrap(scriptedModel(["hello"])).stream("hi", { ...thread, ...(signal && { signal }) })),
  ],
  [
    "generate",
    (guardrails, signal) => guardrails.generate("hi", { rails: ["input"] }, { ...thread, ...(signal && { signal }) }),
  ],
];
const versions: Version[] = ["1.0", "2.x"];
const cells = versions.flatMap((version) =>
  takes.flatMap(([surface, take]) =>
    (["get", "set"] as const).map((name) => ({
      version,
      surface,
      take,
      name,
      title: `${surface}, ${name}, ${version}`,
    })),
  ),
);
const open = (version: Version, threads: ThreadStore): Promise<Guardrails> =>
  realGuardrails({ version, threads, timeoutMs: LIMIT, input: ["check words"], output: ["check answer"] });
/** Continues everything that does not wait for a timer. */
const idle = async (): Promise<void> => {
  for (let index = 0; index < 12; index += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("a thread store that does not respond", () => {
  it.each(cells)("ends $title after `timeoutMs`, and the thread continues", async ({ version, take, name }) => {
    const { store, inner, turns, begun, hold } = holdingStore();
    const guardrails = await open(version, store);
    await take(guardrails);
    expect(turns()).toBe(1);
    hold(name);
    const failed = take(guardrails).catch((error: unknown) => error);
    await idle();
    expect(begun).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(LIMIT);
    const error = (await failed) as ThreadStoreError;
    expect(ThreadStoreError.isInstance(error)).toBe(true);
    expect(error.code).toBe("RL-404");
    expect(error.message).toContain(`no response within ${LIMIT} ms`);
    expect(error.result === undefined).toBe(name === "get");
    expect(begun[0]?.signal?.aborted).toBe(true);
    await take(guardrails);
    expect(turns()).toBe(2);
    const kept = inner.get("t");
    begun[0]?.letGo();
    await idle();
    expect(inner.get("t")).toBe(kept);
    await take(guardrails);
    expect(turns()).toBe(3);
  });

  it.each(cells)("ends $title with the caller's signal", async ({ version, take, name }) => {
    const { store, turns, begun, hold } = holdingStore();
    const guardrails = await open(version, store);
    hold(name);
    const caller = new AbortController();
    const failed = expect(take(guardrails, caller.signal)).rejects.toThrow(/enough|abort/i);
    await idle();
    expect(begun).toHaveLength(1);
    caller.abort(new Error("enough"));
    await failed;
    const next = take(guardrails);
    await idle();
    // A write in progress is the earlier turn: the next one waits for it.
    begun[0]?.letGo();
    await next;
    expect(turns()).toBe(name === "set" ? 2 : 1);
  });

  it("ends a read of the history too", async () => {
    const { store, hold } = holdingStore();
    const guardrails = await open("1.0", store);
    hold("get");
    const failed = guardrails.generate("hi", { log: { colangHistory: true } }, thread).catch((error: unknown) => error);
    await idle();
    await jest.advanceTimersByTimeAsync(LIMIT);
    expect(await failed).toMatchObject({ code: "RL-404" });
  });
});

describe("a key-value store that does not respond", () => {
  function holdingKeyValues() {
    const values = new Map<string, Uint8Array>();
    const held: (() => void)[] = [];
    let holds: "mget" | "mset" | "mdelete" | undefined;
    const hold = async (name: "mget" | "mset" | "mdelete"): Promise<void> => {
      if (holds !== name) return;
      holds = undefined;
      await new Promise<void>((letGo) => held.push(letGo));
    };
    const store: KeyValueStore<Uint8Array> = {
      mget: async (keys) => (await hold("mget"), keys.map((key) => values.get(key))),
      mset: async (pairs) => (await hold("mset"), pairs.forEach(([key, value]) => values.set(key, value))),
      mdelete: async (keys) => (await hold("mdelete"), keys.forEach((key) => values.delete(key))),
    };
    return {
      threads: fromKeyValueStore(store, { singleProcess: true }),
      hold: (name: "mget" | "mset" | "mdelete") => void (holds = name),
      letGo: () => held.splice(0).forEach((each) => each()),
    };
  }
  const stored = (version: number) => ({ version, state: { turn: version } });

  it.each<[string, "mget" | "mset"]>([
    ["reading before a write", "mget"],
    ["writing", "mset"],
  ])("%s is cancelled by its signal, and its late response replaces nothing newer", async (_title, name) => {
    const { threads, hold, letGo } = holdingKeyValues();
    await threads.set("t", stored(1), { expectedVersion: 0 });
    hold(name);
    const limit = new AbortController();
    const given = { version: 2, state: { turn: "late" } };
    const late = threads.set("t", given, { expectedVersion: 1, signal: limit.signal });
    const failed = expect(late).rejects.toThrow("enough");
    await idle();
    limit.abort(new Error("enough"));
    await failed;
    expect(await threads.set("t", stored(2), { expectedVersion: 1 })).toBe(true);
    expect(await threads.set("t", stored(3), { expectedVersion: 2 })).toBe(true);
    letGo();
    await idle();
    expect(await threads.get("t")).toEqual(stored(3));
  });

  it("writing keeps a conversation deleted that was deleted meanwhile", async () => {
    const { threads, hold, letGo } = holdingKeyValues();
    hold("mset");
    const limit = new AbortController();
    const failed = expect(threads.set("t", stored(1), { signal: limit.signal })).rejects.toThrow();
    await idle();
    limit.abort();
    await failed;
    await threads.delete("t");
    letGo();
    await idle();
    expect(await threads.get("t")).toBeUndefined();
  });

  it("a delete does not block later writes for ever", async () => {
    const { threads, hold } = holdingKeyValues();
    hold("mdelete");
    const failed = expect(threads.delete("t")).rejects.toThrow("no response within 30000 ms");
    const next = threads.set("t", stored(1));
    await idle();
    await jest.advanceTimersByTimeAsync(30_000);
    await failed;
    expect(await next).toBe(true);
  });
});

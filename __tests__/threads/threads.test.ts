import { describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import {
  MemoryThreadStore,
  ThreadQueue,
  type StoredThread,
  type ThreadStore,
  ThreadStoreError,
} from "../../src/threads/thread-store.js";
import { gate, openBench } from "../runtime/bench.js";

const COUNTER = `
define flow count
  event UserMessage
  $count = execute next
  bot $count
`;
const next = (_params: unknown, { context }: ActionContext): number => Number(context["count"] ?? 0) + 1;
const openCounter = (work: (params: unknown, context: ActionContext) => unknown) =>
  openBench({ colang: COUNTER, actions: { next: work } });
const user = (content: string) => [{ role: "user" as const, content }];
const onThread = (thread_id: unknown, signal?: AbortSignal) => ({
  config: { configurable: { thread_id }, ...(signal === undefined ? {} : { signal }) },
});
const ticks = async (count = 20): Promise<void> => {
  for (let tick = 0; tick < count; tick += 1) await Promise.resolve();
};

describe("a conversation by its thread", () => {
  it("keeps its variables, and hides them from other threads and stateless calls", async () => {
    const { runtime } = await openCounter(next);
    const say = async (thread?: unknown) => (await runtime.turn(user("hi"), onThread(thread))).text;
    expect([await say("a"), await say("a"), await say("b"), await say(), await say(), await say("a")]).toEqual([
      "1",
      "2",
      "1",
      "1",
      "1",
      "3",
    ]);
  });

  it.each(["__proto__", "constructor", "toString", "a/b\u0000c", "😀".repeat(50)])("may be named %j", async (id) => {
    const { runtime } = await openCounter(next);
    await runtime.turn(user("hi"), onThread(id));
    expect((await runtime.turn(user("hi"), onThread(id))).text).toBe("2");
    expect(({} as Record<string, unknown>)["version"]).toBeUndefined();
  });

  it("treats a number as its text", async () => {
    const { runtime } = await openCounter(next);
    await runtime.turn(user("hi"), onThread(7));
    expect((await runtime.turn(user("hi"), onThread("7"))).text).toBe("2");
  });

  it.each([
    ["", "got an empty text"],
    [true, "got a value of type boolean"],
    [{}, "got a value of type object"],
    [Number.NaN, "got NaN"],
  ])("is refused when its name is %j", async (id, words) => {
    const { runtime } = await openCounter(next);
    await expect(runtime.turn(user("hi"), onThread(id))).rejects.toMatchObject({
      code: "RL-101",
      message: expect.stringContaining(words),
    });
  });

  it("is not used by a call with its own state", async () => {
    const { runtime } = await openCounter(next);
    await runtime.turn(user("hi"), onThread("a"));
    const result = await runtime.turn(user("hi"), { ...onThread("a"), state: {} });
    expect([result.text, result.state === undefined]).toEqual(["1", false]);
    expect((await runtime.turn(user("hi"), onThread("a"))).text).toBe("2");
  });
});

describe("two calls at once", () => {
  it("queue on one thread, and the second one sees the state of the first one", async () => {
    const first = gate();
    const order: string[] = [];
    const { runtime } = await openCounter(async (params, context) => {
      const count = next(params, context);
      order.push(`begin ${count}`);
      if (count === 1) await first.promise;
      order.push(`end ${count}`);
      return count;
    });
    const calls = [1, 2, 3].map(() => runtime.turn(user("hi"), onThread("a")));
    await ticks(200);
    expect(order).toEqual(["begin 1"]);
    first.open();
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["1", "2", "3"]);
    expect(order).toEqual(["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
  });

  it("never wait for each other on different threads", async () => {
    const held = gate();
    const { runtime } = await openCounter(async (params, context) => {
      if (context.context["user_message"] === "slow") await held.promise;
      return next(params, context);
    });
    const slow = runtime.turn(user("slow"), onThread("a"));
    expect((await runtime.turn(user("hi"), onThread("b"))).text).toBe("1");
    held.open();
    expect((await slow).text).toBe("1");
  });

  it("keep their order when one that waits is aborted", async () => {
    const first = gate();
    const order: string[] = [];
    const { runtime } = await openCounter(async (params, context) => {
      const text = String(context.context["user_message"]);
      order.push(`begin ${text}`);
      if (text === "one") await first.promise;
      order.push(`end ${text}`);
      return next(params, context);
    });
    const caller = new AbortController();
    const one = runtime.turn(user("one"), onThread("a"));
    const two = runtime.turn(user("two"), onThread("a", caller.signal));
    await ticks();
    caller.abort(new Error("never mind"));
    await expect(two).rejects.toThrow("never mind");
    // The cancelled turn was the last: a new one must still wait for the running one.
    const three = runtime.turn(user("three"), onThread("a"));
    await ticks(200);
    expect(order).toEqual(["begin one"]);
    first.open();
    expect([(await one).text, (await three).text]).toEqual(["1", "2"]);
    expect(order).toEqual(["begin one", "end one", "begin three", "end three"]);
  });

  it("leave nothing in the queue", async () => {
    const queue = new ThreadQueue();
    const caller = new AbortController();
    const held = gate();
    const works = [
      queue.run("a", undefined, () => held.promise),
      queue.run("a", caller.signal, async () => undefined),
      queue.run("b", undefined, async () => {
        throw new Error("broken");
      }),
    ].map((work) => work.catch((error: unknown) => error));
    caller.abort(new Error("gone"));
    expect(queue.size).toBe(2);
    held.open();
    await Promise.all(works);
    await ticks();
    expect(queue.size).toBe(0);
    await expect(queue.run("c", AbortSignal.abort(new Error("before")), async () => 1)).rejects.toThrow("before");
    expect(queue.size).toBe(0);
  });
});

describe("a turn that fails", () => {
  const colang = `
define flow count
  event UserMessage
  $count = execute next
  if $last_user_message == "break"
    execute explode
  bot $count
`;
  const explode = (): never => {
    throw new Error("boom");
  };

  it("restores flows and variables if it fails", async () => {
    const { runtime } = await openBench({ colang, actions: { next, explode } });
    const say = (text: string) => runtime.turn(user(text), { ...onThread("a"), outputVars: ["count"] });
    await say("hi");
    expect((await say("break")).status).toBe("failed");
    expect((await say("hi")).outputData).toEqual({ count: 2 });
  });

  it("does not write to the store if it throws", async () => {
    const store = new MemoryThreadStore();
    const { runtime, model } = await openBench({ answers: ["hello", new Error("no network")], threads: store });
    await runtime.turn(user("hi"), onThread("a"));
    const before = store.get("a");
    await expect(runtime.turn(user("hi"), onThread("a"))).rejects.toThrow("no network");
    expect([store.get("a"), model.left]).toEqual([before, 0]);
  });
});

/** The methods of a store: another process would have a separate object for the same conversations. */
const bound = (store: MemoryThreadStore): ThreadStore => ({
  get: (id) => store.get(id),
  set: (...write) => store.set(...write),
  delete: (id) => store.delete(id),
});

describe("the store", () => {
  const storing = (overrides: Partial<ThreadStore>): ThreadStore => ({
    get: () => undefined,
    set: () => true,
    delete: () => undefined,
    ...overrides,
  });

  it("may refuse a write; the message is not lost, and neither is the other write", async () => {
    const store = new MemoryThreadStore();
    const other: StoredThread = { version: 1, state: {} };
    const { runtime } = await openBench({
      colang: COUNTER,
      threads: store,
      actions: {
        next: (params: unknown, context: ActionContext) => {
          store.set("a", other);
          return next(params, context);
        },
      },
    });
    const error: unknown = await runtime.turn(user("hi"), onThread("a")).catch((reason: unknown) => reason);
    expect(ThreadStoreError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: "RL-403", thread: "a", result: { status: "answered", text: "1" } });
    expect(store.get("a")).toBe(other);
  });

  it.each<[string, (store: MemoryThreadStore, clock: { ms: number }) => unknown, string]>([
    ["expires", (_, clock) => (clock.ms += 1001), "expired or was deleted during this turn"],
    ["is deleted", (store) => store.delete("a"), "expired or was deleted during this turn"],
    ["is changed", (store) => store.set("a", { version: 1, state: {} }), "was changed concurrently"],
  ])("names the reason if a conversation %s during a turn", async (_, change, reason) => {
    const clock = { ms: 1 };
    const store = new MemoryThreadStore({ ttlMs: 1000, clock: { now: () => clock.ms } });
    const { runtime } = await openBench({
      colang: COUNTER,
      threads: store,
      actions: {
        next: (params: unknown, context: ActionContext) => {
          if (context.context["user_message"] === "slow") change(store, clock);
          return next(params, context);
        },
      },
    });
    await runtime.turn(user("hi"), onThread("a"));
    await expect(runtime.turn(user("slow"), onThread("a"))).rejects.toMatchObject({
      code: "RL-403",
      message: expect.stringContaining(reason),
      result: { text: "2" },
    });
  });

  it("refuses a write to a conversation that was removed and began again meanwhile", async () => {
    const store = new MemoryThreadStore();
    const forgotten = gate();
    const { runtime } = await openBench({
      colang: COUNTER,
      threads: store,
      actions: {
        next: async (params: unknown, context: ActionContext) => {
          if (context.context["user_message"] === "slow") await forgotten.promise;
          return next(params, context);
        },
      },
    });
    const other = (await openBench({ colang: COUNTER, threads: bound(store), actions: { next } })).runtime;
    const replies = async (count: number): Promise<void> => {
      for (let turn = 1; turn <= count; turn += 1) {
        expect((await other.turn(user("hi"), onThread("a"))).text).toBe(String(turn));
      }
    };
    await replies(3);
    const outdated = runtime.turn(user("slow"), onThread("a")).catch((reason: unknown) => reason);
    await ticks();
    store.delete("a");
    await replies(3);
    forgotten.open();
    expect(await outdated).toMatchObject({ code: "RL-403", thread: "a", result: { text: "4" } });
    expect((await other.turn(user("hi"), onThread("a"))).text).toBe("4");
  });

  it.each([
    ["read", { get: () => Promise.reject(new Error("no disk")) }, undefined],
    [
      "kept",
      {
        set: () => {
          throw new Error("no disk");
        },
      },
      { text: "1" },
    ],
  ])("that fails while a conversation is %s is reported, with its cause", async (word, overrides, result) => {
    const { runtime } = await openBench({ colang: COUNTER, actions: { next }, threads: storing(overrides) });
    const error: unknown = await runtime.turn(user("hi"), onThread("a")).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "RL-404",
      message: expect.stringContaining(`could not be ${word}`),
      cause: new Error("no disk"),
    });
    expect((error as ThreadStoreError).result?.text).toBe(result?.text);
  });

  it("in memory removes the least recently used conversation", () => {
    const store = new MemoryThreadStore({ max: 2 });
    for (const id of ["a", "b"]) store.set(id, { version: 1, state: id });
    store.get("a");
    store.set("c", { version: 1, state: "c" });
    expect([store.get("a")?.state, store.get("b"), store.get("c")?.state]).toEqual(["a", undefined, "c"]);
    store.delete("a");
    expect(store.get("a")).toBeUndefined();
  });

  it.each([
    [undefined, true],
    [1, true],
    [0, false],
    [2, false],
  ])("in memory accepts a write that expects version %p of 1: %p", (expectedVersion, kept) => {
    const store = new MemoryThreadStore();
    store.set("a", { version: 1, state: "old" }, { expectedVersion: 0 });
    const options = expectedVersion === undefined ? {} : { expectedVersion };
    expect(store.set("a", { version: 2, state: "new" }, options)).toBe(kept);
    expect(store.get("a")?.state).toBe(kept ? "new" : "old");
  });
});

import { getEventListeners } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, jest } from "@jest/globals";
import { Cancellation, onAbortOf, untilAborted } from "../../src/engine/async.js";
import { createWatch } from "../../src/engine/events.js";

const reason = new Error("the caller left");

/** A cancellation over a caller's signal, and how many listeners the signal has. */
function followed() {
  const caller = new AbortController();
  return {
    caller,
    own: Cancellation.following(caller.signal),
    listeners: () => getEventListeners(caller.signal, "abort").length,
  };
}

describe("a cancellation", () => {
  it.each<[string, (own: Cancellation, caller: AbortController) => void]>([
    ["release", (own) => own.release()],
    ["an abort of its own", (own) => own.abort(reason)],
    ["an abort of the caller", (_own, caller) => caller.abort(reason)],
  ])("keeps no listener on the caller's signal after %s", (_name, end) => {
    const { caller, own, listeners } = followed();
    for (let index = 0; index < 10; index += 1) void own.child().signal;
    expect(listeners()).toBe(1);
    end(own, caller);
    expect(listeners()).toBe(0);
  });

  it("ends with each source it follows, platform signal or cancellation", () => {
    const [first, second] = [new AbortController(), new Cancellation()];
    const own = Cancellation.following(first.signal, undefined, second);
    second.abort(reason);
    expect(own.reason).toBe(reason);
    expect(own.signal.reason).toBe(reason);
    expect(getEventListeners(first.signal, "abort")).toHaveLength(0);
  });

  it("begins aborted if a source is aborted already, without a listener", () => {
    const own = Cancellation.following(AbortSignal.abort(reason), new AbortController().signal);
    expect([own.aborted, own.reason, own.child().reason]).toEqual([true, reason, reason]);
    expect(() => own.throwIfAborted()).toThrow(reason);
  });

  it("keeps no listener on a signal that is only queried, and still ends with it", () => {
    const { caller, own, listeners } = followed();
    const child = own.child();
    expect([own.aborted, child.aborted, listeners()]).toEqual([false, false, 0]);
    expect(() => child.throwIfAborted()).not.toThrow();
    caller.abort(reason);
    expect([child.reason, own.reason]).toEqual([reason, reason]);
    expect(() => own.throwIfAborted()).toThrow(reason);
  });

  it("ends if its signal aborts before the release, and not after it", () => {
    const [before, after] = [followed(), followed()];
    before.caller.abort(reason);
    for (const { own } of [before, after]) own.release();
    after.caller.abort(reason);
    expect([before.own.reason, after.own.reason]).toEqual([reason, undefined]);
  });

  it("listens to a source that it follows later, once it has a listener itself", () => {
    const own = new Cancellation();
    const seen: unknown[] = [];
    own.onAbort(() => seen.push(own.reason));
    const late = new AbortController();
    own.follow(late.signal);
    late.abort(reason);
    expect(seen).toEqual([reason]);
  });

  it("ends its children and calls its listeners once, also after release", () => {
    const { caller, own } = followed();
    const child = own.child();
    const seen: unknown[] = [];
    own.onAbort(() => seen.push("own"));
    own.onAbort(() => seen.push("removed"))();
    child.onAbort(() => seen.push("child"));
    own.release();
    caller.abort(reason);
    expect(seen).toEqual([]);
    own.abort("later");
    own.abort("again");
    expect(seen).toEqual(["own", "child"]);
    expect([own.reason, child.reason]).toEqual(["later", "later"]);
  });

  it("no longer ends a released child", () => {
    const own = new Cancellation();
    const child = own.child();
    child.release();
    own.abort(reason);
    expect([own.aborted, child.aborted]).toEqual([true, false]);
  });

  it("aborts with an AbortError if no reason is given", () => {
    const own = new Cancellation();
    own.abort();
    expect(own.reason).toMatchObject({ name: "AbortError" });
    expect(own.signal.reason).toBe(own.reason);
  });
});

describe("untilAborted", () => {
  it.each([
    ["the platform's signal", () => followed().caller],
    ["a cancellation", () => new Cancellation()],
  ])("rejects with the reason of %s, whatever the promise settles to later", async (_name, create) => {
    const source = create();
    const signal = source instanceof Cancellation ? source : source.signal;
    let fail = (_error: Error): void => undefined;
    const promise = new Promise<never>((_, reject) => (fail = reject));
    const waiting = untilAborted(promise, signal);
    source.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    fail(new Error("late"));
    await expect(untilAborted(promise, signal)).rejects.toBe(reason);
  });

  it("removes its listener when the promise settles", async () => {
    const { caller, own, listeners } = followed();
    own.release();
    await expect(untilAborted(Promise.resolve(1), caller.signal)).resolves.toBe(1);
    await expect(untilAborted(Promise.reject(reason), caller.signal)).rejects.toBe(reason);
    expect(listeners()).toBe(0);
    onAbortOf(caller.signal, () => undefined)();
    expect(listeners()).toBe(0);
  });
});

describe("the source files of this package", () => {
  it("use no other primitive for cancellation", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const others = files.filter((name) => {
      if (name === join("engine", "async.ts")) return false;
      return /AbortSignal\.any|EventListener\(\s*["'`]abort/.test(readFileSync(join("src", name), "utf8"));
    });
    expect(files.length).toBeGreaterThan(300);
    expect(others).toEqual([]);
  });
});

describe("a watchdog", () => {
  /** A watchdog of 100 ms, and a function that advances its clock and the platform's timers. */
  function open() {
    jest.useFakeTimers();
    let now = 0;
    let fired = 0;
    const watch = createWatch(100, () => (fired += 1), { now: () => now });
    const pass = (milliseconds: number): number => {
      for (let step = 0; step < milliseconds; step += 1) {
        now += 1;
        jest.advanceTimersByTime(1);
      }
      return fired;
    };
    return { watch, pass };
  }

  it("expires when it was not restarted for its time, counted from the last restart", () => {
    const { watch, pass } = open();
    watch.restart();
    expect(pass(60)).toBe(0);
    watch.restart();
    expect(pass(99)).toBe(0);
    expect(pass(1)).toBe(1);
    jest.useRealTimers();
  });

  it("does not expire while it is paused, and leaves no timer after its end", () => {
    const { watch, pass } = open();
    watch.restart();
    watch.pause();
    expect(pass(300)).toBe(0);
    watch.restart();
    expect(pass(50)).toBe(0);
    watch.end();
    expect(jest.getTimerCount()).toBe(0);
    expect(pass(300)).toBe(0);
    jest.useRealTimers();
  });
});

import { describe, expect, it, jest } from "@jest/globals";
import { createWatch } from "../../src/engine/clock.js";

describe("a watch", () => {
  /** A watch of 100 ms and what moves its clock together with the platform's timers. */
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

  it("runs out when nothing began it anew for that long, and counts from the last time", () => {
    const { watch, pass } = open();
    watch.restart();
    expect(pass(60)).toBe(0);
    watch.restart();
    expect(pass(99)).toBe(0);
    expect(pass(1)).toBe(1);
    jest.useRealTimers();
  });

  it("does not run out while it pauses, and leaves no timer behind its end", () => {
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

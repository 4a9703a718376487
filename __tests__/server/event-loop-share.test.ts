import { beforeEach, describe, expect, it } from "@jest/globals";
import { EventLoopShare } from "../../src/server/event-loop-share.js";

let now: number;
let tasks: (() => void)[];
let done: string[];
let share: EventLoopShare;

beforeEach(() => {
  now = 0;
  tasks = [];
  done = [];
  share = new EventLoopShare({
    clock: { now: () => now },
    startTask: (task) => {
      tasks.push(task);
      return () => undefined;
    },
  });
});

/** One turn of the event loop, whose connections take some milliseconds: runs the tasks of the turn, not those that they add. */
function turn(milliseconds = 0): string[] {
  now += milliseconds;
  done = [];
  for (const task of tasks.splice(0)) task();
  return done;
}

/** Work that records its name and takes some milliseconds. */
function work(name: string, milliseconds = 0): () => void {
  return () => {
    done.push(name);
    now += milliseconds;
  };
}

function begin(count: number, milliseconds?: number): void {
  for (let at = 1; at <= count; at += 1) share.begin(work(`begin ${at}`, milliseconds));
}

describe("work of a turn of the event loop", () => {
  it("starts at once while there is little of it", () => {
    begin(8);
    share.accepted();
    expect(done).toHaveLength(8);
  });

  it("starts at once again in the next turn", () => {
    begin(8);
    turn();
    begin(1);
    expect(done).toEqual(["begin 1"]);
  });

  it("waits beyond that, and starts in order", () => {
    begin(11);
    expect(done).toHaveLength(8);
    expect(turn()).toEqual(["begin 9", "begin 10", "begin 11"]);
  });

  it("waits after earlier waiting work", () => {
    begin(9);
    done = [];
    for (const task of tasks.slice(0, 1)) task();
    share.begin(work("late"));
    expect(done).toEqual([]);
    expect(turn()).toEqual(["begin 9", "late"]);
  });

  it("takes two milliseconds if little else happens", () => {
    begin(14, 1);
    expect([turn(), turn(), turn()]).toEqual([
      ["begin 9", "begin 10"],
      ["begin 11", "begin 12"],
      ["begin 13", "begin 14"],
    ]);
  });

  it("takes as long as everything else in the turn", () => {
    begin(20, 1);
    turn();
    expect(turn(5)).toHaveLength(5);
  });

  it("begins no request before those in progress have continued", () => {
    begin(10);
    share.resume(work("resume 1"));
    share.resume(work("resume 2"));
    expect(turn()).toEqual(["resume 1", "resume 2", "begin 9", "begin 10"]);
  });

  it("schedules nothing after all of it has started", () => {
    begin(20);
    expect([turn().length, turn().length, tasks.length]).toEqual([12, 0, 0]);
  });
});

describe("work while connections come", () => {
  it("waits for the end of the turn", () => {
    share.accepted();
    begin(1);
    expect(done).toEqual([]);
    turn(1);
    expect(turn(1)).toEqual(["begin 1"]);
  });

  it("takes no more than half of the time", () => {
    const started: number[] = [];
    share.accepted();
    begin(20, 1);
    for (let at = 0; at < 40; at += 1) {
      started.push(turn(0.25).length);
      share.accepted();
    }
    const all = started.reduce((sum, count) => sum + count, 0);
    expect(Math.max(...started)).toBe(1);
    // 40 turns of a quarter of a millisecond allow it 10 milliseconds, and the first piece may come early.
    expect(all).toBeGreaterThanOrEqual(9);
    expect(all).toBeLessThanOrEqual(11);
  });

  it("starts at once again two turns after the last connection", () => {
    share.accepted();
    turn();
    turn();
    begin(1);
    expect(done).toEqual(["begin 1"]);
  });
});

import { describe, expect, it } from "@jest/globals";
import { DEFAULT_LIMITS } from "../../src/engine/limits.js";
import type { RailDecision } from "../../src/turn/decision.js";
import { Turn } from "../../src/turn/turn.js";

const clock = { now: () => 0 };
const decision = (rail: string): RailDecision => ({ rail, stage: "output", status: "passed", durationMs: 1 });

function openTurn(log: object = { activatedRails: true }) {
  const observed: string[] = [];
  const turn = new Turn({
    options: { log },
    limits: { ...DEFAULT_LIMITS, llmCallsPerTurn: 3 },
    clock,
    userTexts: ["hi"],
    onDecision: ({ rail }: RailDecision) => void observed.push(rail),
  } as never);
  return { turn, observed };
}

/** Adds a record of every kind to a turn. */
function collect(turn: Turn, name: string): void {
  const made = decision(name);
  turn.recordDecision(made);
  turn.activity?.rail(made, { steps: [name], actions: [], startedAt: 0, finishedAt: 0 });
  turn.llmCalls.push({ task: name } as never);
  turn.trace.push({ type: "warning", code: "CO-406", message: name } as never);
  turn.problems.push({ code: "RL-104", message: name } as never);
  turn.hidden.push({ text: name });
  turn.passedTexts.push(name);
  turn.recordReview("output", `${name} before`, `${name} after`);
}

const collected = (turn: Turn): string =>
  JSON.stringify([
    turn.decisions,
    turn.activity?.rails(0).map((rail) => rail.name),
    turn.llmCalls,
    turn.trace,
    turn.problems,
    turn.hidden,
    turn.passedTexts,
    turn.reviewed,
    turn.rewrites,
  ]);

describe("a fork of a turn", () => {
  it("changes the turn after `join` like work on the turn itself, in the order of joining", () => {
    const [serial, forked] = [openTurn(), openTurn()];
    for (const name of ["before", "first", "second"]) collect(serial.turn, name);
    collect(forked.turn, "before");
    const [first, second] = [forked.turn.fork(forked.turn.counts), forked.turn.fork(forked.turn.counts)];
    collect(second, "second");
    collect(first, "first");
    forked.turn.join(first);
    forked.turn.join(second);
    expect(collected(forked.turn)).toBe(collected(serial.turn));
    expect(forked.observed).toEqual(serial.observed);
  });

  it("changes nothing without `join`", () => {
    const { turn, observed } = openTurn();
    collect(turn, "before");
    const before = collected(turn);
    const fork = turn.fork(turn.counts);
    collect(fork, "dropped");
    fork.close();
    expect([collected(turn), observed]).toEqual([before, ["before"]]);
  });

  it("reads what the turn has read, and counts from the given numbers", () => {
    const { turn } = openTurn();
    turn.recordReview("input", "mine", "yours");
    turn.assign({ name: "Ada" });
    const fork = turn.fork({ events: 0, modelCalls: 2 });
    expect([fork.userTexts, fork.rewritesTo("mine"), fork.variables]).toEqual([["hi"], "yours", { name: "Ada" }]);
    fork.countModelCall();
    expect(() => fork.countModelCall()).toThrow("expected at most 3 model calls per turn");
    expect(turn.counts.modelCalls).toBe(0);
  });

  it("ends with its turn, and its cleanups with the turn that it joined", () => {
    const { turn } = openTurn();
    const ends: string[] = [];
    const [joined, dropped] = [turn.fork(turn.counts), turn.fork(turn.counts)];
    joined.atEnd(() => ends.push("joined"));
    dropped.atEnd(() => ends.push("dropped"));
    turn.join(joined);
    joined.close();
    expect(ends).toEqual([]);
    dropped.close();
    turn.close();
    expect(ends).toEqual(["dropped", "joined"]);
    const open = turn.fork(turn.counts);
    turn.cancellation.abort("enough");
    expect(open.cancellation.reason).toBe("enough");
  });

  it("passes the error of a rail on that rejects the call", () => {
    const { turn } = openTurn();
    const fork = turn.fork(turn.counts);
    fork.rejection = { error: new Error("down") };
    turn.throwIfRejected();
    turn.join(fork);
    expect(() => turn.throwIfRejected()).toThrow("down");
  });
});

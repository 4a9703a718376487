import { advance, advanceNew, type Acting } from "./advance.js";
import { resolveConflicts } from "./conflicts.js";
import { pauseForDigressions, resumeAfterDigressions } from "./digressions.js";
import { deliver, dispatch, type Reception } from "./dispatch.js";

import { endFlow, queueRestart } from "./endings.js";
import type { EngineEvent } from "./event.js";
import { resolveMerges } from "./merges.js";
import { queueError } from "./queue.js";
import { endStartPhase } from "./slide/control-steps.js";
import { isListening, scoresOf, type EngineState } from "./state.js";

/** What is still allowed after the budget is spent, so that programs can hear of it. */
const GRACE = 200;

/**
 * Processes one event of the world with everything it causes (spec 7.1). What is said stands in `state.outgoing`. What
 * `prepare` changes happens in the same round, before the event.
 */
export function runRound(state: EngineState, event: EngineEvent | undefined, prepare?: () => void): void {
  new Round(state, event).run(prepare);
}

class Round {
  readonly #state: EngineState;
  readonly #event: EngineEvent | undefined;
  #acting: Acting = new Set();
  #reception: Reception | undefined;
  #hasActed = false;
  #budget: number;
  #isSpent = false;

  constructor(state: EngineState, event: EngineEvent | undefined) {
    this.#state = state;
    this.#event = event;
    this.#budget = state.options.limits.internalEventsPerRound;
  }

  run(prepare?: () => void): void {
    const state = this.#state;
    state.round += 1;
    state.outgoing = [];
    state.queue.length = 0;
    for (const activation of state.dormant) queueRestart(state, activation, "back");
    prepare?.();
    if (this.#event !== undefined) state.queue.push(this.#event);
    do {
      this.#drain();
      if (this.#merge()) continue;
      if (this.#act()) continue;
    } while (this.#goOn());
    state.expected.clear();
  }

  #drain(): void {
    const state = this.#state;
    for (let event = state.queue.shift(); event !== undefined; event = state.queue.shift()) {
      if (!this.#spend()) return;
      const reception = dispatch(state, event, this.#acting);
      if (event === this.#event) this.#reception = reception;
    }
  }

  /** Whether the round may go on; the first time it may not, everything that is pending is dropped. */
  #spend(): boolean {
    this.#budget -= 1;
    if (this.#budget >= 0) return true;
    const state = this.#state;
    state.queue.length = 0;
    if (this.#isSpent) {
      this.#acting.clear();
      state.startingForks.clear();
      return false;
    }
    this.#isSpent = true;
    this.#budget = GRACE;
    const acting = [...this.#acting];
    this.#acting.clear();
    for (const head of acting) {
      endFlow(state, head.instance, { kind: "failed", reason: "budget" }, { scores: scoresOf(state, head) });
    }
    const maximum = state.options.limits.internalEventsPerRound;
    queueError(state, "EventBudgetExceeded", `one event caused more than ${maximum} others`, { flow: "" });
    return false;
  }

  #merge(): boolean {
    const state = this.#state;
    const merged = resolveMerges(state, this.#acting);
    this.#acting = new Set([...this.#acting].filter((head) => head.act !== undefined || head.status === "merging"));
    for (const head of merged) if (this.#spend()) advance(state, head, this.#acting);
    return merged.length > 0;
  }

  #act(): boolean {
    const state = this.#state;
    const standing = new Set([...this.#acting].filter((head) => head.act !== undefined));
    this.#acting = new Set([...this.#acting].filter((head) => !standing.has(head)));
    const { acted, caught } = resolveConflicts(state, standing);
    // A paused flow keeps what it was about to do.
    for (const head of acted) if (this.#spend()) advance(state, head, this.#acting);
    for (const head of caught) advance(state, head, this.#acting, head.address);
    if (!this.#hasActed && this.#event !== undefined && this.#reception !== undefined && state.interruptible.size > 0) {
      pauseForDigressions(state, this.#event, this.#reception);
    }
    this.#hasActed = true;
    return acted.length + caught.length > 0;
  }

  /** Whether anything is left that can move on its own. */
  #goOn(): boolean {
    const state = this.#state;
    if (state.queue.length > 0 || this.#acting.size > 0) return true;
    for (const fork of state.startingForks) {
      const heads = isListening(fork.parent.instance) ? endStartPhase(state, fork) : [];
      for (const head of heads) {
        for (const added of advanceNew(state, head, this.#acting)) advanceNew(state, added, this.#acting);
      }
      if (heads.length > 0) return true;
    }
    const resumed = resumeAfterDigressions(state);
    if (resumed === undefined) return false;
    deliver(state, resumed.deliveries ?? [], this.#acting);
    return true;
  }
}

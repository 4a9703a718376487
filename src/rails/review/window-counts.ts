import type { TurnCounts } from "../../engine/limits.js";
import type { Turn } from "../../turn/turn.js";

const NOTHING: TurnCounts = { events: 0, modelCalls: 0 };

/**
 * Counts for the windows of one response. INVARIANT: each window may use what the limits left when the review began, as
 * the whole response may in `invoke`, and all windows together count as the most expensive one, so limits do not depend
 * on a response's length.
 */
export class WindowCounts {
  #most: TurnCounts = NOTHING;

  /** Counts of the turn without its windows, from which each window starts. */
  base(turn: Turn): TurnCounts {
    return minus(turn.counts, this.#most);
  }

  /** Counts a window that ran as a fork of the turn, or as part of the turn itself. */
  add(turn: Turn, window: Turn, base: TurnCounts): void {
    const own = minus(window.counts, base);
    const others = window === turn ? base : this.base(turn);
    this.#most = {
      events: Math.max(this.#most.events, own.events),
      modelCalls: Math.max(this.#most.modelCalls, own.modelCalls),
    };
    turn.recount({ events: others.events + this.#most.events, modelCalls: others.modelCalls + this.#most.modelCalls });
  }
}

function minus(left: TurnCounts, right: TurnCounts): TurnCounts {
  return { events: left.events - right.events, modelCalls: left.modelCalls - right.modelCalls };
}

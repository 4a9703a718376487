import { startTimer } from "../../engine/timer.js";
import { Cancellation, untilAborted } from "../../engine/cancellation.js";
import { ThreadQueue } from "../../threads/thread-store.js";

/** A change of one key of a store that cannot compare and set. */
export interface StoreWrite {
  /** Resolves with false if the stored value is no longer the one that the change was made from. */
  readonly mayApply: () => Promise<boolean>;
  readonly apply: () => Promise<unknown>;
}

/** Writes of which the outcome is open, and the last change that was made since. */
interface OpenWrites {
  count: number;
  latest?: () => Promise<unknown>;
}

/** For changes that nobody else limits. */
const TIMEOUT_MS = 30_000;

/**
 * Changes the keys of a store one after the other. A change that is given up lets the next one begin.
 *
 * INVARIANT: a change that was given up is not begun any more; if the store was at work on it, the latest change is made
 * again once the store has answered, so that a late answer never replaces something newer.
 */
export class StoreWriter {
  readonly #queue = new ThreadQueue();
  readonly #open = new Map<string, OpenWrites>();

  /** @returns false if the change may not be applied */
  async write(key: string, signal: AbortSignal | undefined, change: StoreWrite): Promise<boolean> {
    const limit = Cancellation.following(signal);
    const stopTimer = startTimer(TIMEOUT_MS, () => limit.abort(new Error(`no response within ${TIMEOUT_MS} ms`)));
    try {
      return await this.#queue.run(key, limit, () => untilAborted(this.#change(key, limit, change), limit));
    } finally {
      stopTimer();
      limit.release();
    }
  }

  async #change(key: string, limit: Cancellation, { mayApply, apply }: StoreWrite): Promise<boolean> {
    if (!(await mayApply())) return false;
    limit.throwIfAborted();
    const open = this.#open.get(key) ?? { count: 0 };
    this.#open.set(key, open);
    open.count += 1;
    const isLate = (): boolean => limit.aborted;
    try {
      await apply();
      if (!isLate()) open.latest = apply;
    } finally {
      if (isLate()) await this.#repeatLatest(open);
      open.count -= 1;
      if (open.count === 0) this.#open.delete(key);
    }
    return true;
  }

  async #repeatLatest(open: OpenWrites): Promise<void> {
    for (let made: OpenWrites["latest"]; made !== open.latest;) {
      made = open.latest;
      // A failure leaves the outcome to the next change, which compares versions.
      await made?.().catch(() => undefined);
    }
  }
}

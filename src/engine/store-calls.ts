import type { MaybePromise } from "./async.js";
import { type Clock, type StartTimer, startTimer, systemClock } from "./events.js";

/** Failures in a row after which a store is left alone, and for how many milliseconds. */
const FAILURES = 3;
const REST_MS = 5_000;

export interface StoreCallOptions {
  /** Longest wait for a response in milliseconds. */
  readonly timeoutMs: number;
  /** Called with each failure. */
  readonly onFailure: () => void;
  readonly clock?: Clock | undefined;
  readonly startTimer?: StartTimer | undefined;
}

/**
 * Calls to a store that the caller can do without. INVARIANT: a call rejects never and lasts no longer than its time limit; a
 * store that fails again and again is not called for a while.
 */
export class StoreCalls {
  readonly #options: StoreCallOptions;
  readonly #clock: Clock;
  #failures = 0;
  #restsUntil = 0;

  constructor(options: StoreCallOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns the response of the store; undefined if it fails, is late or rests. */
  async run<Value>(work: () => MaybePromise<Value>): Promise<Value | undefined> {
    if (this.#clock.now() < this.#restsUntil) return undefined;
    const { timeoutMs, onFailure, startTimer: timers = startTimer } = this.#options;
    let stopTimer = (): void => undefined;
    try {
      const late = new Promise<never>((_resolve, reject) => {
        stopTimer = timers(timeoutMs, () => reject(new Error("no response in time")));
      });
      const running = Promise.resolve(work());
      // A result after the time limit is dropped.
      running.catch(() => undefined);
      const value = await Promise.race([running, late]);
      this.#failures = 0;
      return value;
    } catch {
      this.#failures += 1;
      if (this.#failures >= FAILURES) this.#restsUntil = this.#clock.now() + REST_MS;
      onFailure();
      return undefined;
    } finally {
      stopTimer();
    }
  }
}

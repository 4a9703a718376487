import { type AbortSource, Cancellation, onAbortOf } from "../engine/cancellation.js";
import { isPromise, type MaybePromise } from "../engine/maybe-promise.js";
import type { StartTimer } from "../engine/timer.js";

export type LimitedOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "timeout" };

export interface LimitedWork {
  /** Called with the work's signal and a function that removes the time limit. */
  readonly run: (own: Cancellation, unlimited: () => void) => unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSource;
  readonly startTimer: StartTimer;
  /** The reason given to the work's signal when the time is over. */
  readonly timeoutReason: () => unknown;
}

/**
 * Runs work with a time limit under a signal of its own, which follows the caller's. When the caller aborts, the promise
 * rejects with the caller's reason at once. Results and errors of late work are ignored. Synchronous work has its outcome
 * at once, since nothing could have stopped it.
 *
 * @throws the caller's reason, when the caller had aborted by the time the work returned
 */
export function runLimited(work: LimitedWork): MaybePromise<LimitedOutcome> {
  const { signal } = work;
  if (signal.aborted) throw signal.reason as Error;
  const own = new Cancellation();
  const limit = new Limit(work);
  const begun = begin(work, own, limit);
  if (signal.aborted) {
    own.abort(signal.reason);
    if (isPromise(begun)) begun.catch(() => undefined);
    throw signal.reason as Error;
  }
  return isPromise(begun) ? waitFor(begun, own, work, limit) : begun;
}

/** A time limit that starts with the first wait; the work may remove it before and after. */
class Limit {
  readonly #work: LimitedWork;
  #isOff = false;
  #stopTimer: (() => void) | undefined;

  constructor(work: LimitedWork) {
    this.#work = work;
  }

  start(onTimeout: () => void): void {
    if (!this.#isOff) this.#stopTimer = this.#work.startTimer(this.#work.timeoutMs, onTimeout);
  }

  readonly off = (): void => {
    this.#isOff = true;
    this.#stopTimer?.();
  };
}

function begin(work: LimitedWork, own: Cancellation, limit: Limit): LimitedOutcome | Promise<unknown> {
  try {
    const value = work.run(own, limit.off);
    return isPromise(value) ? Promise.resolve(value) : { kind: "returned", value };
  } catch (error) {
    return { kind: "threw", error };
  }
}

function waitFor(value: Promise<unknown>, own: Cancellation, work: LimitedWork, limit: Limit): Promise<LimitedOutcome> {
  const { signal } = work;
  return new Promise((resolve, reject) => {
    let finished = false;
    const finish = (report: () => void): boolean => {
      if (finished) return false;
      finished = true;
      limit.off();
      stopListening();
      report();
      return true;
    };
    const onAbort = (): void => {
      if (finish(() => reject(signal.reason))) own.abort(signal.reason);
    };
    limit.start(() => {
      if (finish(() => resolve({ kind: "timeout" }))) own.abort(work.timeoutReason());
    });
    const stopListening = onAbortOf(signal, onAbort);
    value.then(
      (result) => finish(() => resolve({ kind: "returned", value: result })),
      (error: unknown) => finish(() => resolve({ kind: "threw", error })),
    );
  });
}

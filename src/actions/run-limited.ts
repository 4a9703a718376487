import { type AbortSource, Cancellation, onAbortOf } from "../engine/cancellation.js";
import { isPromise, type MaybePromise } from "../engine/maybe-promise.js";
import type { StartTimer } from "../engine/timer.js";

export type LimitedOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "timeout" };

export interface LimitedWork {
  /** Given its signal, and what takes the time limit off. */
  readonly run: (own: Cancellation, unlimited: () => void) => unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSource;
  readonly startTimer: StartTimer;
  /** The reason given to the work's signal when the time is over. */
  readonly timeoutReason: () => unknown;
}

/**
 * Runs work with a time limit under a signal of its own, which follows the caller's. When the caller aborts, the promise
 * rejects with the caller's reason at once. Whatever late work brings is ignored, its errors included. Work that is done
 * when it returns has its outcome at once, since nothing could have stopped it.
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

/** A time that begins when there is something to wait for, and that the work may take off before and after. */
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
    let settled = false;
    const settle = (finish: () => void): boolean => {
      if (settled) return false;
      settled = true;
      limit.off();
      stopListening();
      finish();
      return true;
    };
    const onAbort = (): void => {
      if (settle(() => reject(signal.reason))) own.abort(signal.reason);
    };
    limit.start(() => {
      if (settle(() => resolve({ kind: "timeout" }))) own.abort(work.timeoutReason());
    });
    const stopListening = onAbortOf(signal, onAbort);
    value.then(
      (result) => settle(() => resolve({ kind: "returned", value: result })),
      (error: unknown) => settle(() => resolve({ kind: "threw", error })),
    );
  });
}

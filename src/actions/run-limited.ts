import { type Abortable, LazySignal, listenForAbort } from "./abortable.js";
import type { StartTimer } from "./timer.js";

export type LimitedOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "timeout" };

export interface LimitedWork {
  /** Given its signal, and what takes the time limit off. */
  readonly run: (own: LazySignal, unlimited: () => void) => unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | Abortable;
  readonly startTimer: StartTimer;
  /** The reason given to the work's signal when the time is over. */
  readonly timeoutReason: () => unknown;
}

/**
 * Runs work with a time limit under a signal of its own, which follows the caller's. When the caller aborts, the promise
 * rejects with the caller's reason at once. Whatever late work brings is ignored, its errors included.
 */
export function runLimited(work: LimitedWork): Promise<LimitedOutcome> {
  const { signal } = work;
  // Made by hand and not by `AbortSignal.any`, so that nothing stays attached to a long-lived signal.
  const own = new LazySignal();
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    let settled = false;
    const settle = (finish: () => void): boolean => {
      if (settled) return false;
      settled = true;
      stopTimer();
      stopListening();
      finish();
      return true;
    };
    const onAbort = (): void => {
      if (settle(() => reject(signal.reason))) own.abort(signal.reason);
    };
    const stopTimer = work.startTimer(work.timeoutMs, () => {
      if (settle(() => resolve({ kind: "timeout" }))) own.abort(work.timeoutReason());
    });
    const stopListening = listenForAbort(signal, onAbort);
    runAsync(work.run, own, stopTimer).then(
      (value) => settle(() => resolve({ kind: "returned", value })),
      (error: unknown) => settle(() => resolve({ kind: "threw", error })),
    );
  });
}

async function runAsync(run: LimitedWork["run"], own: LazySignal, unlimited: () => void): Promise<unknown> {
  return run(own, unlimited);
}

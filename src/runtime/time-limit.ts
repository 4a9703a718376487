import { startTimer } from "../actions/timer.js";
import { ActionError } from "../diagnostics/errors.js";
import type { Cancellation } from "./cancellation.js";

/** Ends a rail after a time; waiting for it ends then even if its work does not. */
export class TimeLimit {
  readonly cancellation: Cancellation;
  readonly #stopTimer: () => void;

  constructor(cancellation: Cancellation, timeoutMs: number, rail: string) {
    this.cancellation = cancellation;
    this.#stopTimer = startTimer(timeoutMs, () => {
      const message = `rail \`${rail}\` did not answer within ${timeoutMs} ms`;
      cancellation.abort(new ActionError(message, { action: rail, code: "RL-103" }));
    });
  }

  race<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this.cancellation;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  clear(): void {
    this.#stopTimer();
    this.cancellation.release();
  }
}

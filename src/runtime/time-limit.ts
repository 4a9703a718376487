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
    const { cancellation } = this;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(cancellation.reason as Error);
      if (cancellation.aborted) onAbort();
      const stopListening = cancellation.onAbort(onAbort);
      const settle =
        <Value>(finish: (value: Value) => void) =>
        (value: Value): void => {
          stopListening();
          finish(value);
        };
      work.then(settle(resolve), settle(reject));
    });
  }

  clear(): void {
    this.#stopTimer();
    this.cancellation.release();
  }
}

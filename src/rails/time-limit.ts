import { startTimer } from "../engine/timer.js";
import { ActionError, GuardrailsError } from "../diagnostics/errors.js";
import { isPromise, type MaybePromise } from "../engine/maybe-promise.js";
import type { Cancellation } from "../engine/cancellation.js";

/** Ends a rail after a time; waiting for it ends then even if its work does not. */
export class TimeLimit {
  readonly cancellation: Cancellation;
  readonly #timeoutMs: number;
  readonly #rail: string;
  #stopTimer: (() => void) | undefined;

  constructor(cancellation: Cancellation, timeoutMs: number, rail: string) {
    this.cancellation = cancellation;
    this.#timeoutMs = timeoutMs;
    this.#rail = rail;
  }

  /** The time counts from here; work that is done already needs none. */
  race<Result>(work: MaybePromise<Result>): MaybePromise<Result> {
    const { cancellation } = this;
    if (!isPromise(work)) {
      cancellation.throwIfAborted();
      return work;
    }
    this.#stopTimer = startTimer(this.#timeoutMs, () => {
      const message = `rail \`${this.#rail}\` did not answer within ${this.#timeoutMs} ms`;
      cancellation.abort(new ActionError(message, { action: this.#rail, code: "RL-103", timeoutMs: this.#timeoutMs }));
    });
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
    this.#stopTimer?.();
    this.cancellation.release();
  }
}

const SUPERSEDED = "RL-105";

/** Why a rail is ended without which the outcome of its stage is certain. */
export function superseded(rail: string): ActionError {
  return new ActionError("another rail settled the verdict first", { action: rail, code: SUPERSEDED });
}

/** INVARIANT: an overtaken rail has decided nothing: it is no error and no block. */
export function isSuperseded(reason: unknown): boolean {
  return GuardrailsError.isInstance(reason) && reason.code === SUPERSEDED;
}

import { untilAborted } from "../../engine/async.js";

/** Work that several callers await. It runs until it is done, or the last caller has cancelled. */
export class SharedWork<Result> {
  readonly #run: (signal: AbortSignal) => Promise<Result>;
  #current: { readonly done: Promise<Result>; readonly abort: AbortController; waiting: number } | undefined;

  constructor(run: (signal: AbortSignal) => Promise<Result>) {
    this.#run = run;
  }

  /** Starts the work, or waits for work that another caller has started. */
  async wait(signal: AbortSignal | undefined): Promise<Result> {
    signal?.throwIfAborted();
    const current = (this.#current ??= this.#start());
    current.waiting += 1;
    try {
      return await untilAborted(current.done, signal);
    } finally {
      current.waiting -= 1;
      if (current.waiting === 0) {
        current.abort.abort();
        if (this.#current === current) this.#current = undefined;
      }
    }
  }

  /** Aborts the work. */
  abort(): void {
    this.#current?.abort.abort();
  }

  #start() {
    const abort = new AbortController();
    const done = this.#run(abort.signal);
    // After the last caller has cancelled, its rejection is ignored.
    done.catch(() => {});
    return { done, abort, waiting: 0 };
  }
}

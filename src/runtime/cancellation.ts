/**
 * A tree of abort signals without listeners between its nodes: one listener at most stands on the caller's signal,
 * however many rails run below it, and it is taken off when the call ends.
 */
export class Cancellation {
  readonly #controller = new AbortController();
  readonly #children = new Set<Cancellation>();
  #release: () => void = () => undefined;

  /** Follows a caller's signal until `release`. */
  static following(signal: AbortSignal | undefined): Cancellation {
    const root = new Cancellation();
    if (signal === undefined) return root;
    const onAbort = (): void => root.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    root.#release = () => signal.removeEventListener("abort", onAbort);
    return root;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A node that ends with this one, and may end before it. */
  child(): Cancellation {
    const child = new Cancellation();
    if (this.signal.aborted) child.abort(this.signal.reason);
    else {
      this.#children.add(child);
      child.#release = () => this.#children.delete(child);
    }
    return child;
  }

  abort(reason: unknown): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    for (const child of this.#children) child.abort(reason);
  }

  /** Lets go of what it follows. */
  release(): void {
    this.#release();
  }
}

import { LazySignal } from "../actions/abortable.js";

/**
 * A tree of abort signals without listeners between its nodes: one listener at most stands on the caller's signal,
 * however many rails run below it, and it is taken off when the call ends.
 */
export class Cancellation extends LazySignal {
  #children: Set<Cancellation> | undefined;
  #release: (() => void) | undefined;

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

  /** A node that ends with this one, and may end before it. */
  child(): Cancellation {
    const child = new Cancellation();
    if (this.aborted) child.abort(this.reason);
    else {
      this.#children ??= new Set();
      this.#children.add(child);
      child.#release = () => this.#children?.delete(child);
    }
    return child;
  }

  override abort(reason: unknown): void {
    if (this.aborted) return;
    super.abort(reason);
    for (const child of this.#children ?? []) child.abort(this.reason);
  }

  /** Lets go of what it follows. */
  release(): void {
    this.#release?.();
  }
}

/** What may end before its work does. Every `AbortSignal` can be told of in these words. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls the listener once, at the end; what it returns takes the listener off again. */
  onAbort(listener: () => void): () => void;
}

/** An `AbortSignal` that is made when somebody asks for it: making one costs as much as running a small action. */
export class LazySignal implements Abortable {
  #controller: AbortController | undefined;
  #end: { readonly reason: unknown } | undefined;
  #listeners: Set<() => void> | undefined;

  get aborted(): boolean {
    return this.#end !== undefined;
  }

  get reason(): unknown {
    return this.#end?.reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#end !== undefined) this.#controller.abort(this.#end.reason);
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.#end !== undefined) throw this.#end.reason as Error;
  }

  abort(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { reason: reason ?? new DOMException("This operation was aborted", "AbortError") };
    this.#controller?.abort(this.#end.reason);
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  onAbort(listener: () => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }
}

/** Listens to either of the two. */
export function listenForAbort(source: AbortSignal | Abortable, listener: () => void): () => void {
  if ("onAbort" in source) return source.onAbort(listener);
  source.addEventListener("abort", listener, { once: true });
  return () => source.removeEventListener("abort", listener);
}

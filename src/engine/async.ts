/** Work that can be aborted early. `onAbort` covers both `AbortSignal`s and cancellations. */
interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Calls the listener once, at the abort; the function it returns removes the listener. */
  onAbort(listener: () => void): () => void;
}

/** Source of an abort: a platform signal or one of ours. */
export type AbortSource = AbortSignal | Abortable;

/**
 * The cancellation primitive: a tree of abort sources without listeners between its nodes. A node has at most one
 * listener on each signal it follows. INVARIANT: `release` and `abort` remove these listeners, so a process-wide signal
 * retains nothing of a finished call. (`AbortSignal.any` cannot guarantee this: on Node.js 20, a combined signal with a
 * listener lives as long as its sources.)
 *
 * The platform's `AbortSignal` is created on demand: creating one costs as much as running a small action.
 *
 * @example
 * ```ts
 * const own = Cancellation.following(config.signal);
 * try { return await model.invoke(input, { signal: own.signal }); } finally { own.release(); }
 * ```
 */
export class Cancellation implements Abortable {
  #controller: AbortController | undefined;
  #end: { readonly reason: unknown } | undefined;
  #listeners: Set<() => void> | undefined;
  #children: Set<Cancellation> | undefined;
  /** Abort source of this node. It is subscribed to once this node has a listener; until then, it is polled. */
  #sources: AbortSource[] | undefined;
  #followed: (() => void)[] | undefined;
  /** The node that this one ends with, in the same way. */
  #parent: Cancellation | undefined;
  #isAttached = false;
  /** True while this node must poll others: it has a parent or sources, and does not listen to them. */
  #asks = false;

  /** Follows the sources until `release`. */
  static following(...sources: readonly (AbortSource | undefined)[]): Cancellation {
    const root = new Cancellation();
    for (const source of sources) root.follow(source);
    return root;
  }

  get aborted(): boolean {
    if (this.#end !== undefined) return true;
    if (!this.#asks) return false;
    const parent = this.#parent;
    // The fields of most parents show that they have not ended, which saves a call.
    if (parent !== undefined && (parent.#asks || parent.#end !== undefined) && parent.aborted)
      this.abort(parent.reason);
    else if (this.#sources !== undefined) this.#askSources();
    return this.#end !== undefined;
  }

  #askSources(): void {
    for (const source of this.#sources ?? []) if (source.aborted) return this.abort(source.reason);
  }

  get reason(): unknown {
    return this.aborted ? this.#end?.reason : undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      if (!this.aborted) this.#attach();
      this.#controller = new AbortController();
      if (this.#end !== undefined) this.#controller.abort(this.#end.reason);
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.#end === undefined && !this.#asks) return;
    if (this.aborted) throw this.#end?.reason as Error;
  }

  /** Ends with the source too, until `release`. */
  follow(source: AbortSource | undefined): void {
    if (source === undefined || this.aborted) return;
    if (source.aborted) this.abort(source.reason);
    else if (this.#isAttached) this.#listen(source);
    else {
      (this.#sources ??= []).push(source);
      this.#asks = true;
    }
  }

  #listen(source: AbortSource): void {
    (this.#followed ??= []).push(onAbortOf(source, () => this.abort(source.reason)));
  }

  /** A node that ends with this one, and may end before it. */
  child(): Cancellation {
    const child = new Cancellation();
    child.#parent = this;
    child.#asks = true;
    return child;
  }

  #attach(): void {
    if (this.#isAttached) return;
    this.#isAttached = true;
    this.#asks = false;
    const [parent, sources] = [this.#parent, this.#sources];
    this.#sources = undefined;
    for (const source of sources ?? []) this.#listen(source);
    if (parent === undefined) return;
    (parent.#children ??= new Set()).add(this);
    parent.#attach();
  }

  abort(reason?: unknown): void {
    if (this.#end !== undefined) return;
    const parent = this.#parent;
    const given = parent?.aborted === true ? parent.reason : reason;
    const end = { reason: given ?? new DOMException("This operation was aborted", "AbortError") };
    this.#end = end;
    this.release();
    this.#controller?.abort(end.reason);
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
    const children = this.#children;
    this.#children = undefined;
    for (const child of children ?? []) child.abort(end.reason);
  }

  onAbort(listener: () => void): () => void {
    if (!this.aborted) this.#attach();
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** Follows nothing any more. Its children still end with it. */
  release(): void {
    // An abort before the release counts, even if it was never observed.
    if (this.#sources !== undefined && this.#end === undefined && !this.#isAttached) this.#askSources();
    this.#sources = undefined;
    this.#asks = false;
    const parent = this.#parent;
    if (parent !== undefined && this.#isAttached) parent.#children?.delete(this);
    this.#parent = undefined;
    const followed = this.#followed;
    this.#followed = undefined;
    for (const stop of followed ?? []) stop();
  }
}

/** Calls the listener once, at the abort of the source; the function it returns removes the listener. */
export function onAbortOf(source: AbortSource, listener: () => void): () => void {
  if ("onAbort" in source) return source.onAbort(listener);
  source.addEventListener("abort", listener, { once: true });
  return () => source.removeEventListener("abort", listener);
}

/**
 * Resolves to the promise's result, or rejects with the source's reason as soon as it aborts. The promise continues;
 * its later result is ignored and its later rejection handled.
 */
export function untilAborted<Value>(promise: Promise<Value>, source: AbortSource | undefined): Promise<Value> {
  if (source === undefined) return promise;
  return new Promise((resolve, reject) => {
    let stop = (): void => undefined;
    const onAbort = (): void => reject(source.reason as Error);
    if (source.aborted) onAbort();
    else stop = onAbortOf(source, onAbort);
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error as Error);
      },
    );
  });
}

/** A value, or a promise of it. A value is used at once: awaiting it would cost more than most steps of a turn. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Returns true for anything with a `then`, so that promises of another realm count too. */
export function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Calls `onValue` with the value: synchronously, or when the promise has resolved. (A module that exports `then` is a
 * thenable.)
 */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  onValue: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  // As `isPromise`, which would be one more call for each step of a turn.
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function"
    ? (value as Promise<Value>).then(onValue)
    : onValue(value as Value);
}

/**
 * A lazily loaded part of the package, available synchronously afterwards. After a failure it is loaded again.
 * INVARIANT: parts are loaded one after another, since Jest cannot link two modules at once that import a third.
 *
 * @example
 * ```ts
 * const dialogActions = lazily(() => import("./dialog-actions.js"));
 * return andThen(dialogActions(), ({ nextStepAction }) => nextStepAction(context));
 * ```
 */
export function lazily<Part>(load: () => Promise<Part>): () => MaybePromise<Part> {
  let loaded: { readonly part: Part } | undefined;
  let loading: Promise<Part> | undefined;
  return () => {
    if (loaded !== undefined) return loaded.part;
    loading ??= load().then(
      (part) => {
        loaded = { part };
        return part;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
}

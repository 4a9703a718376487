import { LRUCache } from "lru-cache";

/** A stored conversation. The version grows by one with every write. */
export interface StoredThread {
  readonly version: number;
  readonly state: unknown;
}

/**
 * Keeps conversations between calls, by `configurable.thread_id`. Implementations may refuse a write whose
 * `expectedVersion` is no longer the stored one by returning false.
 */
export interface ThreadStore {
  get(id: string): Promise<StoredThread | undefined> | StoredThread | undefined;
  set(id: string, thread: StoredThread, options?: { readonly expectedVersion?: number }): Promise<boolean> | boolean;
  delete(id: string): Promise<void> | void;
}

/**
 * Conversations in memory, bounded in number; the least recently used one is forgotten first.
 *
 * @example
 * ```ts
 * const guardrails = await Guardrails.fromPath("./config", { threads: new MemoryThreadStore({ max: 10_000 }) });
 * ```
 */
export class MemoryThreadStore implements ThreadStore {
  readonly #threads: LRUCache<string, StoredThread>;

  /** @param options - `max` conversations (default 1,000), forgotten after `ttlMs` without use (default never) */
  constructor(options: { readonly max?: number; readonly ttlMs?: number } = {}) {
    this.#threads = new LRUCache({ max: options.max ?? 1000, ttl: options.ttlMs ?? 0, updateAgeOnGet: true });
  }

  get(id: string): StoredThread | undefined {
    return this.#threads.get(id);
  }

  set(id: string, thread: StoredThread, options: { readonly expectedVersion?: number } = {}): boolean {
    if (options.expectedVersion !== undefined && (this.#threads.get(id)?.version ?? 0) !== options.expectedVersion) {
      return false;
    }
    this.#threads.set(id, thread);
    return true;
  }

  delete(id: string): void {
    this.#threads.delete(id);
  }
}

/** One turn at a time per conversation; turns of different conversations never wait for each other. */
export class ThreadQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` after all earlier work of the same conversation; a failed turn does not hold up the next one. */
  async run<Result>(id: string, signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(id) ?? Promise.resolve();
    let release = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = before.then(() => done);
    this.#tails.set(id, tail);
    try {
      await waitUnlessAborted(before, signal);
      return await work();
    } finally {
      release();
      if (this.#tails.get(id) === tail) this.#tails.delete(id);
    }
  }
}

async function waitUnlessAborted(before: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return before;
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([before, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

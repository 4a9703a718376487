import { LRUCache } from "lru-cache";

/** A stored conversation. The version grows by one with every write. */
export interface StoredThread {
  readonly version: number;
  readonly state: unknown;
}

/**
 * Keeps conversations between calls, by `configurable.thread_id`; states are plain JSON. A store that several processes
 * share should refuse a write whose `expectedVersion` is no longer the stored one (0: there is none) by returning
 * false; the call then rejects with a `ThreadStoreError`, and what the other process wrote stays.
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
  /** INVARIANT: as long as any work of a conversation runs or waits, its last tail stands here. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Conversations with work that runs or waits. */
  get size(): number {
    return this.#tails.size;
  }

  /**
   * Runs `work` after all earlier work of the same conversation; a failed turn does not hold up the next one, and one
   * that is aborted while it waits leaves at once without letting anybody pass.
   */
  async run<Result>(id: string, signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    signal?.throwIfAborted();
    const before = this.#tails.get(id);
    let release = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = before === undefined ? done : before.then(() => done);
    this.#tails.set(id, tail);
    // Not when this call ends: it may have been aborted while an earlier one is still at work.
    void tail.then(() => {
      if (this.#tails.get(id) === tail) this.#tails.delete(id);
    });
    try {
      if (before !== undefined) await waitUnlessAborted(before, signal);
      return await work();
    } finally {
      release();
    }
  }
}

function waitUnlessAborted(before: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return before;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    void before.then(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
  });
}

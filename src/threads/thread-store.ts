import { LRUCache } from "lru-cache";
import { type AbortSource, untilAborted } from "../engine/async.js";
import type { Logger } from "../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { systemClock, type Clock } from "../engine/events.js";
import { GuardrailsError } from "../diagnostics/errors.js";
import type { TurnResult } from "../turn/result.js";

/** A stored conversation. Its first version is a random number below 2³⁰ and grows by one with every write. */
export interface StoredThread {
  readonly version: number;
  readonly state: unknown;
}

/**
 * Keeps conversations between calls, by `configurable.thread_id`; states are plain JSON. A store that several processes
 * share must compare and set in one step: it refuses a write whose `expectedVersion` is no longer the stored one (0:
 * there is none) by returning false. The call then rejects with a `ThreadStoreError`, and what the other process wrote
 * stays. `threadStoreContract` of `langchain-guardrails/testing` checks a store of your own.
 *
 * @example
 * ```ts
 * const threads: ThreadStore = {
 *   get: async (id) => (await sql`select version, state from threads where id = ${id}`)[0],
 *   set: async (id, { version, state }, { expectedVersion } = {}) => {
 *     if (expectedVersion === 0) return (await sql`insert into threads … on conflict do nothing`).count === 1;
 *     return (await sql`update threads set … where id = ${id} and version = ${expectedVersion}`).count === 1;
 *   },
 *   delete: async (id) => void (await sql`delete from threads where id = ${id}`),
 * };
 * ```
 */
export interface ThreadStore {
  get(id: string, options?: ThreadCallOptions): Promise<StoredThread | undefined> | StoredThread | undefined;
  /** Without `expectedVersion` the write is unconditional. */
  set(id: string, thread: StoredThread, options?: ThreadWriteOptions): Promise<boolean> | boolean;
  delete(id: string): Promise<void> | void;
}

interface ThreadCallOptions {
  /** Aborts when the call is cancelled: it may end early, and its result is no longer used. */
  readonly signal?: AbortSignal;
}

interface ThreadWriteOptions extends ThreadCallOptions {
  /** Version that must be the stored one, or 0 if there must be none. */
  readonly expectedVersion?: number;
  /** Receives warnings of the store: the logger of the guardrails that write; `false` for none. Default: `console`. */
  readonly logger?: Logger | false;
}

export interface MemoryThreadStoreOptions {
  /** Number of conversations that are kept; default: 1,000. */
  readonly max?: number;
  /** Milliseconds without use after which a conversation is forgotten; never by default. */
  readonly ttlMs?: number;
  readonly clock?: Clock;
}

const MEMORY_OPTIONS: OptionTable<MemoryThreadStoreOptions> = { max: "number", ttlMs: "number", clock: "object" };

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

  constructor(options: MemoryThreadStoreOptions = {}) {
    checkOptions("MemoryThreadStore", options, MEMORY_OPTIONS);
    const { max = 1000, ttlMs = 0, clock = systemClock } = options;
    this.#threads = new LRUCache({
      max,
      ttl: ttlMs,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now: () => clock.now() },
    });
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
   * that is aborted while it waits leaves at once without changing the order.
   *
   * @param work - given `hold`, with which it keeps later work waiting for a promise although it has returned
   */
  async run<Result>(
    id: string,
    signal: AbortSource | undefined,
    work: (hold: (until: Promise<unknown>) => void) => Promise<Result>,
  ): Promise<Result> {
    if (signal?.aborted === true) throw signal.reason as Error;
    const before = this.#tails.get(id);
    let release = (): void => undefined;
    const done = new Promise<void>((resolve) => (release = resolve));
    const tail = before === undefined ? done : before.then(() => done);
    this.#tails.set(id, tail);
    // Not when this call ends: it may have been aborted while an earlier one is still at work.
    void tail.then(() => {
      if (this.#tails.get(id) === tail) this.#tails.delete(id);
    });
    let held: Promise<unknown> | undefined;
    try {
      if (before !== undefined) await untilAborted(before, signal);
      return await work((until) => (held = until));
    } finally {
      if (held === undefined) release();
      else held.then(release, release);
    }
  }
}

/**
 * A conversation could not be read or kept. When the turn had been taken, its reviewed answer is in `result`: nothing
 * that the models said is lost, but the stored conversation does not know of it.
 *
 * `RL-402`: the stored value is not a conversation of this version, or was changed from outside; none of it was used.
 * `RL-403`: another writer stored the conversation meanwhile, so the store refused; that state was kept. `RL-404`: the store
 * failed, its own error is the `cause`.
 *
 * @example
 * ```ts
 * try { return await guardrails.generate(text, {}, { configurable: { thread_id } }); }
 * catch (error) { if (ThreadStoreError.isInstance(error) && error.result) return error.result.text; throw error; }
 * ```
 */
export class ThreadStoreError extends GuardrailsError {
  static override readonly kind: string = "ThreadStoreError";

  readonly thread: string;
  readonly result: TurnResult | undefined;

  constructor(
    message: string,
    options: { code: "RL-402" | "RL-403" | "RL-404"; thread: string; result?: TurnResult | undefined; cause?: unknown },
  ) {
    super(message, options);
    this.thread = options.thread;
    this.result = options.result;
  }
}

import { LRUCache } from "lru-cache";
import { type AbortSource, untilAborted } from "../engine/async.js";
import type { Logger } from "../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { systemClock, type Clock } from "../engine/events.js";
import { GuardrailsError } from "../diagnostics/errors.js";
import type { TurnResult } from "../turn/result.js";

/** A stored conversation. Its first version is a random number below 2³⁰; every write increments it. */
export interface StoredThread {
  readonly version: number;
  readonly state: unknown;
}

/**
 * Stores conversations between calls, by `configurable.thread_id`; states are plain JSON. A store shared by several
 * processes must compare and set atomically: if `expectedVersion` is not the stored version (0: none is stored), it
 * rejects the write by returning false. The call then rejects with a `ThreadStoreError`, and the other process's write
 * stays. `threadStoreContract` of `langchain-guardrails/testing` tests your own store.
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
  /** Writes a conversation; unconditionally without `expectedVersion`. */
  set(id: string, thread: StoredThread, options?: ThreadWriteOptions): Promise<boolean> | boolean;
  delete(id: string): Promise<void> | void;
}

interface ThreadCallOptions {
  /** Aborts when the call is cancelled; the store may then return early, and its result is ignored. */
  readonly signal?: AbortSignal;
}

interface ThreadWriteOptions extends ThreadCallOptions {
  /** Expected stored version; 0 if none may be stored. */
  readonly expectedVersion?: number;
  /** Receives warnings of the store: the logger of the writing guardrails; `false` for none. Default: `console`. */
  readonly logger?: Logger | false;
}

export interface MemoryThreadStoreOptions {
  /** Maximum number of stored conversations. Default: 1,000. */
  readonly max?: number;
  /** Milliseconds without use after which a conversation expires. Default: never. */
  readonly ttlMs?: number;
  readonly clock?: Clock;
}

const MEMORY_OPTIONS: OptionTable<MemoryThreadStoreOptions> = { max: "number", ttlMs: "number", clock: "object" };

/**
 * Stores conversations in memory; when full, it drops the least recently used one.
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

/** Runs one turn at a time per conversation; turns of different conversations never wait for each other. */
export class ThreadQueue {
  /** INVARIANT: while any work of a conversation runs or waits, the map contains its last promise. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Number of conversations with running or waiting work. */
  get size(): number {
    return this.#tails.size;
  }

  /**
   * Runs `work` after all earlier work of the same conversation. A failed turn does not delay the next one; a turn
   * aborted while waiting leaves the queue immediately without changing the order.
   *
   * @param work - receives `hold`, which makes later work wait for a promise after `work` has returned
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
    // Deleted after the tail, not at the end of this call, which may be aborted while earlier work is still running.
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

/** The reviewed parts of a turn's result. The other parts, such as the user's text and raw output, may contain blocked texts. */
export type ReviewedTurn = Pick<TurnResult, "status" | "text" | "utterances" | "exception" | "decisions" | "verdict">;

function reviewedPart(result: TurnResult): ReviewedTurn {
  const { status, text, utterances, exception, decisions, verdict } = result;
  return { status, text, utterances, ...(exception === undefined ? {} : { exception }), decisions, verdict };
}

/**
 * A conversation could not be read or stored. If the turn had already run, its reviewed response is in `result`: no model
 * output is lost, but the stored conversation does not contain it.
 *
 * `RL-402`: the stored value is not a conversation of this version, or was modified externally; none of it was used.
 * `RL-403`: another writer stored the conversation first, or it expired or was deleted, so the store rejected this write.
 * `RL-404`: the store failed; its error is the `cause`.
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
  readonly result: ReviewedTurn | undefined;

  /** @param options - `result`: the whole result of the turn, of which the error keeps only the reviewed parts */
  constructor(
    message: string,
    options: { code: "RL-402" | "RL-403" | "RL-404"; thread: string; result?: TurnResult | undefined; cause?: unknown },
  ) {
    super(message, options);
    this.thread = options.thread;
    this.result = options.result && reviewedPart(options.result);
  }
}

import { GuardrailsError } from "../diagnostics/errors.js";
import type { Logger } from "../diagnostics/logger.js";
import { type AbortSource, Cancellation, isPromise, untilAborted } from "../engine/async.js";
import { type StartTimer, startTimer as platformTimer } from "../engine/events.js";
import type { TurnResult } from "../turn/result.js";
import { CallStore } from "./call-store.js";
import { MemoryThreadStore, type StoredThread, type ThreadStore, ThreadStoreError } from "./thread-store.js";

const DEFAULT_TIMEOUT_MS = 30_000;

/** A write of a conversation, and the turn that is lost if it fails. */
interface ThreadWrite {
  readonly state: unknown;
  /** Version that the write replaces; 0 for a conversation that begins. */
  readonly expectedVersion: number;
  readonly result?: TurnResult | undefined;
}

/** Number of versions with which a conversation may begin: as many turns still fit into 32 bits with a sign. */
const FIRST_VERSIONS = 2 ** 30;

/**
 * A random version. INVARIANT: the versions of a conversation that was forgotten and began anew are others than before, so that a
 * write by a process that read the earlier one is refused.
 */
function randomVersion(): number {
  return 1 + Math.floor(Math.random() * FIRST_VERSIONS);
}

/** Reads and writes conversations with a time limit for each call, and validates what stores return. */
export class StoreAccess {
  readonly #timeoutMs: number;
  readonly #startTimer: StartTimer;
  readonly #logger: Logger | false;

  /** @param options - `timeoutMs`: time limit of each call in milliseconds, default: 30,000; `logger`: default: none */
  constructor(options: {
    readonly timeoutMs?: number | undefined;
    readonly startTimer?: StartTimer | undefined;
    readonly logger?: Logger | undefined;
  }) {
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#startTimer = options.startTimer ?? platformTimer;
    this.#logger = options.logger ?? false;
  }

  /** @throws ThreadStoreError when the conversation cannot be read, or is not one */
  async read(store: ThreadStore, thread: string, caller: AbortSource | undefined): Promise<StoredThread | undefined> {
    if (caller?.aborted === true) throw caller.reason as Error;
    const limit = Cancellation.following(caller);
    const loaded = this.#limited({ thread, work: "read" }, limit, () => store.get(thread, signalFor(store, limit)));
    return readThread(thread, await untilAborted(loaded, caller));
  }

  /**
   * Writes a conversation. It is not aborted with its caller: it could not be known if it took place.
   *
   * @returns false if another writer changed the conversation meanwhile
   * @throws ThreadStoreError when it cannot be kept
   */
  write(store: ThreadStore, thread: string, { state, expectedVersion, result }: ThreadWrite): Promise<boolean> {
    const limit = new Cancellation();
    const next = { version: expectedVersion === 0 ? randomVersion() : expectedVersion + 1, state };
    return this.#limited({ thread, result, work: "kept" }, limit, () =>
      store.set(thread, next, { expectedVersion, ...signalFor(store, limit), logger: this.#logger }),
    );
  }

  /**
   * Calls a store with a time limit. INVARIANT: a store that never settles holds up neither the call nor, once the limit is
   * over, the next turn; its late result is ignored, and its late failure is handled.
   *
   * @param about - the conversation, the result of the turn that is to be kept, and what is done, for errors
   */
  async #limited<Result>(
    {
      thread,
      result,
      work,
    }: { readonly thread: string; readonly result?: TurnResult | undefined; readonly work: string },
    limit: Cancellation,
    call: () => Promise<Result> | Result,
  ): Promise<Result> {
    let stopTimer: (() => void) | undefined;
    try {
      const working = call();
      if (!isPromise(working)) return working;
      const ms = this.#timeoutMs;
      stopTimer = this.#startTimer(ms, () => limit.abort(new Error(`no response within ${ms} ms`)));
      return await untilAborted(Promise.resolve(working), limit);
    } catch (cause) {
      if (isUnreadable(cause)) throw unreadable(thread, cause);
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `the conversation \`${thread}\` could not be ${work}, the thread store failed: ${why}`;
      throw new ThreadStoreError(message, { code: "RL-404", thread, result, cause });
    } finally {
      stopTimer?.();
      limit.release();
    }
  }
}

/** The signal of a call to a store. One in memory responds at once, and making a signal takes longer than that. */
function signalFor(store: ThreadStore, limit: Cancellation): { readonly signal?: AbortSignal } {
  const isInMemory = store.constructor === MemoryThreadStore || store instanceof CallStore;
  return isInMemory ? NO_SIGNAL : { signal: limit.signal };
}

const NO_SIGNAL: { readonly signal?: AbortSignal } = {};

/** Validates what a store returned. */
function readThread(thread: string, found: unknown): StoredThread | undefined {
  if (found === undefined || found === null) return undefined;
  if (typeof found !== "object" || !Object.hasOwn(found, "version") || !Object.hasOwn(found, "state")) {
    throw unreadable(thread, undefined);
  }
  const { version, state } = found as Record<keyof StoredThread, unknown>;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) throw unreadable(thread, undefined);
  // INVARIANT: a stored conversation has a state; without one the turn would begin anew and overwrite it.
  if (typeof state !== "object" || state === null) throw unreadable(thread, undefined);
  return { version, state };
}

/** Returns true for the error of a value that is not a conversation of this version. */
export function isUnreadable(error: unknown): boolean {
  return GuardrailsError.isInstance(error) && error.code === "RL-402";
}

/** Returns the error of a conversation that is not one of this version. */
export function unreadable(thread: string, cause: unknown): ThreadStoreError {
  const message =
    `what is stored as the conversation \`${thread}\` is none of this version, or was changed from outside; delete it ` +
    "in the thread store, or go on with another `thread_id`";
  return new ThreadStoreError(message, { code: "RL-402", thread, cause });
}

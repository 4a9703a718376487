import { GuardrailsError } from "../diagnostics/errors.js";
import type { Logger } from "../diagnostics/logger.js";
import { type AbortSource, Cancellation, isPromise, untilAborted } from "../engine/async.js";
import { type StartTimer, startTimer as platformTimer } from "../engine/events.js";
import type { TurnResult } from "../turn/result.js";
import { CallStore } from "./call-store.js";
import { MemoryThreadStore, type StoredThread, type ThreadStore, ThreadStoreError } from "./thread-store.js";

const DEFAULT_TIMEOUT_MS = 30_000;

/** A write of a conversation, with the result of the turn that is lost if the write fails. */
interface ThreadWrite {
  readonly state: unknown;
  /** Version that the write replaces; 0 for a new conversation. */
  readonly expectedVersion: number;
  readonly result?: TurnResult | undefined;
}

/** Number of possible first versions; leaves as many further versions in a signed 32-bit integer. */
const FIRST_VERSIONS = 2 ** 30;

/**
 * Returns a random version. INVARIANT: a conversation that expired and restarted gets other versions than before, so that a write
 * by a process that read the earlier one is rejected.
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

  /** @throws ThreadStoreError if the conversation cannot be read or is invalid */
  async read(store: ThreadStore, thread: string, caller: AbortSource | undefined): Promise<StoredThread | undefined> {
    if (caller?.aborted === true) throw caller.reason as Error;
    const limit = Cancellation.following(caller);
    const loaded = this.#limited({ thread, work: "read" }, limit, () => store.get(thread, signalFor(store, limit)));
    return readThread(thread, await untilAborted(loaded, caller));
  }

  /**
   * Writes a conversation. Cancelling the caller does not abort the write, since its outcome would be unknown.
   *
   * @returns false if another writer has changed the conversation since
   * @throws ThreadStoreError if it cannot be stored
   */
  write(store: ThreadStore, thread: string, { state, expectedVersion, result }: ThreadWrite): Promise<boolean> {
    const limit = new Cancellation();
    const next = { version: expectedVersion === 0 ? randomVersion() : expectedVersion + 1, state };
    return this.#limited({ thread, result, work: "kept" }, limit, () =>
      store.set(thread, next, { expectedVersion, ...signalFor(store, limit), logger: this.#logger }),
    );
  }

  /** Returns true if a conversation of this version is no longer stored, which explains a rejected write. */
  async isGone(store: ThreadStore, thread: string, version: number): Promise<boolean> {
    if (version === 0) return false;
    const found = await this.read(store, thread, undefined).catch((error: unknown) => error);
    return found === undefined;
  }

  /**
   * Calls a store with a time limit. INVARIANT: a store that never settles blocks neither the call nor, after the
   * limit, the next turn; its late result is ignored and its late rejection handled.
   *
   * @param about - for errors: the conversation, the operation, and the result of the turn to store
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

/** Returns the signal for a call to a store. An in-memory store responds faster than a signal is created. */
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
  // INVARIANT: a stored conversation has a state; without one, the turn would restart the conversation and overwrite it.
  if (typeof state !== "object" || state === null) throw unreadable(thread, undefined);
  return { version, state };
}

/** Returns true for the error of a value that is not a valid conversation of this version. */
export function isUnreadable(error: unknown): boolean {
  return GuardrailsError.isInstance(error) && error.code === "RL-402";
}

/** Returns the error of an invalid conversation. */
export function unreadable(thread: string, cause: unknown): ThreadStoreError {
  const message =
    `expected a stored conversation of this version for \`${thread}\`, found one of another version or modified outside; delete it ` +
    "in the thread store, or continue with another `thread_id`";
  return new ThreadStoreError(message, { code: "RL-402", thread, cause });
}

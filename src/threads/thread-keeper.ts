import type { RunnableConfig } from "@langchain/core/runnables";
import { type StartTimer, startTimer as platformTimer } from "../engine/events.js";
import { GuardrailsError, InputShapeError } from "../diagnostics/errors.js";
import type { Logger } from "../diagnostics/logger.js";
import { Cancellation, untilAborted, isPromise } from "../engine/async.js";
import type { TurnResult } from "../turn/result.js";
import {
  ThreadStoreError,
  MemoryThreadStore,
  ThreadQueue,
  type StoredThread,
  type ThreadStore,
} from "./thread-store.js";

/** Finds the store of a call, for the program with this hash. */
export type ThreadStoreOf = (config: RunnableConfig, program: string) => ThreadStore | undefined;

/** Sources of thread stores: the caller's store, else the one of a call, else memory. */
export interface ThreadSources {
  readonly threads?: ThreadStore | undefined;
  readonly threadsOf?: ThreadStoreOf | undefined;
  /** Time limit of each call to a store, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly startTimer?: StartTimer | undefined;
  /** Receives warnings of stores. Default: none. */
  readonly logger?: Logger | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Names the conversations whose turns a call is part of; LangChain hands it on to all that runs inside them. */
const OPEN_TURNS = "__guardrails_turns";

/** State that all runtimes with the same store share. */
const storeStates = new WeakMap<ThreadStore, { readonly queue: ThreadQueue; readonly number: number }>();
let stores = 0;

/** Lets the turns of a conversation wait for each other, and reads and keeps its state around each of them. */
export class ThreadKeeper {
  readonly #sources: ThreadSources;
  readonly #program: { readonly programHash: string };
  #ownMemory: ThreadStore | undefined;
  readonly #timeoutMs: number;
  readonly #startTimer: StartTimer;

  constructor(sources: ThreadSources, program: { readonly programHash: string }) {
    this.#sources = sources;
    this.#program = program;
    this.#timeoutMs = sources.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#startTimer = sources.startTimer ?? platformTimer;
  }

  /**
   * Takes a turn on what is stored, and keeps what it leaves. A turn that throws leaves what was stored as it was. A turn
   * inside a turn of the same conversation (a guarded model in a guarded graph) is a part of it: it keeps nothing.
   *
   * @throws ThreadStoreError when the conversation cannot be read or kept, or was changed meanwhile
   */
  async takeTurn<Result extends TurnResult | undefined>(
    thread: string,
    config: RunnableConfig | undefined,
    turn: (
      config: RunnableConfig,
      conversation: { stored?: unknown; keep: boolean },
    ) => Promise<{ readonly result: Result; readonly state: unknown }>,
  ): Promise<Result> {
    const store = this.#storeOf(config);
    const { queue, number } = stateOf(store);
    const name = `${number}:${thread}`;
    const open = openTurns(config);
    // INVARIANT: a turn never waits for the turn it is a part of.
    if (open.includes(name)) return (await turn(config ?? {}, { keep: false })).result;
    // The key goes in front of the spread: behind it, it gives each object a hidden class of its own.
    const configurable: Record<string, unknown> = { [OPEN_TURNS]: open, ...config?.configurable };
    configurable[OPEN_TURNS] = [...open, name];
    const inner = { ...config, configurable };
    const caller = config?.signal;
    return queue.run(thread, caller, async (hold) => {
      const stored = await this.#read(store, thread, caller);
      const { result, state } = await turn(inner, { stored: stored?.state, keep: true }).catch((error: unknown) => {
        throw isUnreadable(error) ? unreadable(thread, error) : error;
      });
      const expectedVersion = stored?.version ?? 0;
      const next = { version: expectedVersion + 1, state };
      // A write is not aborted with its caller: it could not be known if it took place.
      const limit = new Cancellation();
      const logger = this.#sources.logger ?? false;
      const saved = this.#limited({ thread, result, work: "kept" }, limit, () =>
        store.set(thread, next, { expectedVersion, ...signalFor(store, limit), logger }),
      );
      // INVARIANT: the next turn reads after this write, or after its time limit, also when the caller does not wait for it.
      hold(saved);
      const kept = await untilAborted(saved, caller);
      if (kept !== false) return result;
      const message = `the conversation \`${thread}\` was changed meanwhile, so this turn was not kept; take it again`;
      throw new ThreadStoreError(message, { code: "RL-403", thread, result });
    });
  }

  /**
   * The conversation as it was kept last, without waiting for turns that run; undefined inside a turn of its own.
   *
   * @throws ThreadStoreError when it cannot be read
   */
  async peek(thread: string, config: RunnableConfig | undefined): Promise<unknown> {
    const store = this.#storeOf(config);
    if (openTurns(config).includes(`${stateOf(store).number}:${thread}`)) return undefined;
    return (await this.#read(store, thread, config?.signal))?.state;
  }

  /** Room for threads is only taken by configurations that have some. */
  get #memory(): ThreadStore {
    this.#ownMemory ??= this.#sources.threads ?? new MemoryThreadStore();
    return this.#ownMemory;
  }

  #storeOf(config: RunnableConfig | undefined): ThreadStore {
    const { threads, threadsOf } = this.#sources;
    if (threads !== undefined || threadsOf === undefined || config === undefined) return this.#memory;
    return threadsOf(config, this.#program.programHash) ?? this.#memory;
  }

  async #read(store: ThreadStore, thread: string, caller: AbortSignal | undefined): Promise<StoredThread | undefined> {
    caller?.throwIfAborted();
    const limit = Cancellation.following(caller);
    const loaded = this.#limited({ thread, work: "read" }, limit, () => store.get(thread, signalFor(store, limit)));
    return readThread(thread, await untilAborted(loaded, caller));
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

/** The signal of a call to a store. The one in memory responds at once, and making a signal takes longer than that. */
function signalFor(store: ThreadStore, limit: Cancellation): { readonly signal?: AbortSignal } {
  return store.constructor === MemoryThreadStore ? NO_SIGNAL : { signal: limit.signal };
}

const NO_SIGNAL: { readonly signal?: AbortSignal } = {};

function stateOf(store: ThreadStore): { readonly queue: ThreadQueue; readonly number: number } {
  const known = storeStates.get(store);
  if (known !== undefined) return known;
  const state = { queue: new ThreadQueue(), number: (stores += 1) };
  storeStates.set(store, state);
  return state;
}

function openTurns(config: RunnableConfig | undefined): readonly unknown[] {
  const open: unknown = config?.configurable?.[OPEN_TURNS];
  return Array.isArray(open) ? open : [];
}

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

function isUnreadable(error: unknown): boolean {
  return GuardrailsError.isInstance(error) && error.code === "RL-402";
}

function unreadable(thread: string, cause: unknown): ThreadStoreError {
  const message =
    `what is stored as the conversation \`${thread}\` is none of this version, or was changed from outside; delete it ` +
    "in the thread store, or go on with another `thread_id`";
  return new ThreadStoreError(message, { code: "RL-402", thread, cause });
}

/**
 * The conversation that a call belongs to: `configurable.thread_id`.
 *
 * @throws InputShapeError for an identity that is none: it would silently make the call forget everything
 */
export function threadIdOf(config: RunnableConfig | undefined): string | undefined {
  const id: unknown = config?.configurable?.["thread_id"];
  if (id === undefined || id === null) return undefined;
  if (typeof id === "string" && id !== "") return id;
  if (typeof id === "number" && Number.isFinite(id)) return String(id);
  const found = id === "" ? "an empty text" : typeof id === "number" ? String(id) : `of type ${typeof id}`;
  throw new InputShapeError(`\`configurable.thread_id\` is a text or a number that names a conversation, not ${found}`);
}

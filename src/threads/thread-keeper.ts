import type { RunnableConfig } from "@langchain/core/runnables";
import type { StartTimer } from "../engine/events.js";
import { InputShapeError } from "../diagnostics/errors.js";
import type { Logger } from "../diagnostics/logger.js";
import { untilAborted } from "../engine/async.js";
import type { TurnResult } from "../turn/result.js";
import { callStoreOf } from "./call-store.js";
import { isUnreadable, StoreAccess, unreadable } from "./store-access.js";
import { ThreadStoreError, MemoryThreadStore, ThreadQueue, type ThreadStore } from "./thread-store.js";

/** Returns the store of a call, for the program with this hash. */
export type ThreadStoreOf = (config: RunnableConfig, program: string) => ThreadStore | undefined;

/** Sources of thread stores, in order: the caller's store, that of a call, memory. */
export interface ThreadSources {
  readonly threads?: ThreadStore | undefined;
  readonly threadsOf?: ThreadStoreOf | undefined;
  /** Time limit of each call to a store, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly startTimer?: StartTimer | undefined;
  /** Receives warnings of stores. Default: none. */
  readonly logger?: Logger | undefined;
}

/** Config key for the open conversations of a call; LangChain passes it on to everything inside the call. */
const OPEN_TURNS = "__guardrails_turns";

/** State shared by all runtimes with the same store. */
const storeStates = new WeakMap<ThreadStore, { readonly queue: ThreadQueue; readonly number: number }>();
let stores = 0;

/** Serializes the turns of a conversation, and reads and stores its state around each of them. */
export class ThreadKeeper {
  readonly #sources: ThreadSources;
  readonly #program: { readonly programHash: string };
  #ownMemory: ThreadStore | undefined;
  readonly #access: StoreAccess;

  constructor(sources: ThreadSources, program: { readonly programHash: string }) {
    this.#sources = sources;
    this.#program = program;
    this.#access = new StoreAccess(sources);
  }

  /**
   * Runs a turn on the stored state and stores the new one. A turn that throws leaves the stored state unchanged. A turn inside a
   * turn of the same conversation (a guarded model in a guarded graph) is part of that turn and stores nothing.
   *
   * @throws ThreadStoreError if the conversation cannot be read or stored, or was changed or removed concurrently
   */
  async takeTurn<Result extends TurnResult | undefined>(
    thread: string,
    config: RunnableConfig | undefined,
    turn: (
      config: RunnableConfig,
      conversation: { stored?: unknown; keep: boolean },
    ) => Promise<{ readonly result: Result; readonly state: unknown }>,
  ): Promise<Result> {
    const store = this.#storeOf(thread, config);
    const { queue, number } = stateOf(store);
    const name = `${number}:${thread}`;
    const open = openTurns(config);
    // INVARIANT: a turn never waits for the turn that it is part of.
    if (open.includes(name)) return (await turn(config ?? {}, { keep: false })).result;
    // The key precedes the spread: after it, each object would get its own hidden class.
    const configurable: Record<string, unknown> = { [OPEN_TURNS]: open, ...config?.configurable };
    configurable[OPEN_TURNS] = [...open, name];
    const inner = { ...config, configurable };
    const caller = config?.signal;
    return queue.run(thread, caller, async (hold) => {
      const stored = await this.#access.read(store, thread, caller);
      const { result, state } = await turn(inner, { stored: stored?.state, keep: true }).catch((error: unknown) => {
        throw isUnreadable(error) ? unreadable(thread, error) : error;
      });
      const expectedVersion = stored?.version ?? 0;
      const saved = this.#access.write(store, thread, { state, expectedVersion, result });
      // INVARIANT: the next turn reads after this write or its time limit, even if the caller does not wait for it.
      hold(saved);
      const kept = await untilAborted(saved, caller);
      if (kept !== false) return result;
      const isGone = await this.#access.isGone(store, thread, expectedVersion);
      const cause = isGone ? "expired or was deleted during this turn" : "was changed concurrently";
      const hint = isGone ? "run it again to begin a new conversation" : "run it again";
      const message = `the conversation \`${thread}\` ${cause}, so this turn was not stored; ${hint}`;
      throw new ThreadStoreError(message, { code: "RL-403", thread, result });
    });
  }

  /**
   * Returns the last stored state without waiting for running turns; undefined inside its own turn.
   *
   * @throws ThreadStoreError if it cannot be read
   */
  async peek(thread: string, config: RunnableConfig | undefined): Promise<unknown> {
    const store = this.#storeOf(thread, config);
    if (openTurns(config).includes(`${stateOf(store).number}:${thread}`)) return undefined;
    return (await this.#access.read(store, thread, config?.signal))?.state;
  }

  /** Created on demand, since most configurations have no threads. */
  get #memory(): ThreadStore {
    this.#ownMemory ??= this.#sources.threads ?? new MemoryThreadStore();
    return this.#ownMemory;
  }

  #storeOf(thread: string, config: RunnableConfig | undefined): ThreadStore {
    const callStore = callStoreOf(config, thread);
    if (callStore !== undefined) return callStore;
    const { threads, threadsOf } = this.#sources;
    if (threads !== undefined || threadsOf === undefined || config === undefined) return this.#memory;
    return threadsOf(config, this.#program.programHash) ?? this.#memory;
  }
}

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

/**
 * Returns the conversation of a call: `configurable.thread_id`.
 *
 * @throws InputShapeError for an invalid id, with which the call would silently forget the conversation
 */
export function threadIdOf(config: RunnableConfig | undefined): string | undefined {
  const id: unknown = config?.configurable?.["thread_id"];
  if (id === undefined || id === null) return undefined;
  if (typeof id === "string" && id !== "") return id;
  if (typeof id === "number" && Number.isFinite(id)) return String(id);
  const found = id === "" ? "an empty text" : typeof id === "number" ? String(id) : `a value of type ${typeof id}`;
  throw new InputShapeError(
    `expected \`configurable.thread_id\` to be a text or a number that names a conversation, got ${found}`,
  );
}

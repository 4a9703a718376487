import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import type { Logger } from "../../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { type StoredThread, type ThreadStore, ThreadQueue } from "../../threads/thread-store.js";
import { warnOnce } from "../one-time-warning.js";
import { startTimer } from "../../engine/events.js";
import { Cancellation, untilAborted } from "../../engine/async.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { ThreadStoreOf } from "../../threads/thread-keeper.js";
import { isObject } from "../values/message-kinds.js";
import { parseStored, threadKey } from "./stored-form.js";

/** The members of LangChain's key-value `BaseStore` that conversations need. */
export interface KeyValueStore<Value> {
  mget(keys: string[]): Promise<(Value | undefined)[]>;
  mset(pairs: [string, Value][]): Promise<void>;
  mdelete(keys: string[]): Promise<void>;
}

/** Value types of stores: JSON as bytes, JSON as text, or plain objects. */
export interface StoredForms {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly objects: StoredThread;
}

export interface KeyValueThreadsOptions<Form extends keyof StoredForms = "bytes"> extends SharedOptions {
  /** Prefix of every key, of letters, digits, `.`, `_` and `-`. Default: `guardrails.thread.`. */
  readonly prefix?: string;
  /** Form of the stored values. Default: bytes. */
  readonly values?: Form;
}

export interface SharedOptions {
  /** True if no other process writes to this store; silences the warning that it cannot compare and set. */
  readonly singleProcess?: boolean;
}

const SHARED_OPTIONS: OptionTable<SharedOptions> = { singleProcess: "boolean" };

const KEY_VALUE_OPTIONS: OptionTable<KeyValueThreadsOptions> = {
  ...SHARED_OPTIONS,
  prefix: "text",
  values: { oneOf: ["bytes", "text", "objects"] },
};

/** The members of LangGraph's `BaseStore` that conversations need. */
export interface GraphStore {
  get(namespace: string[], key: string): Promise<{ readonly value: unknown } | null | undefined>;
  put(namespace: string[], key: string, value: Record<string, unknown>, index?: false): Promise<unknown>;
  delete(namespace: string[], key: string): Promise<unknown>;
}

/** Default namespace of conversations in a LangGraph store. */
const THREAD_NAMESPACE: readonly string[] = ["guardrails", "threads"];

/**
 * Stores conversations in a LangChain key-value store: `LocalFileStore`, Redis, Upstash, Vercel KV, …
 *
 * Such a store cannot compare and set. Within one process, turns never overwrite each other. If two processes response on
 * the same conversation at once, the later write wins and the other turn is lost from the dialog. To avoid that, route
 * each conversation to one process, or implement `ThreadStore` over a database that compares and sets.
 *
 * @example
 * ```ts
 * const threads = fromKeyValueStore(await LocalFileStore.fromPath("./conversations"), { singleProcess: true });
 * const guardrails = await Guardrails.fromPath("./config", { threads });
 * ```
 */
export function fromKeyValueStore<Form extends keyof StoredForms = "bytes">(
  store: KeyValueStore<StoredForms[Form]>,
  options: KeyValueThreadsOptions<Form> = {},
): ThreadStore {
  checkOptions("fromKeyValueStore", options, KEY_VALUE_OPTIONS);
  const { prefix = "guardrails.thread.", values = "bytes" as Form, singleProcess } = options;
  const form = FORMS[values];
  return versioned(store, singleProcess, {
    prefix,
    async get(key) {
      const [stored] = await store.mget([key]);
      return stored === undefined || stored === null ? undefined : form.read(stored);
    },
    put: (key, thread) => store.mset([[key, form.write(thread) as StoredForms[Form]]]),
    delete: (key) => store.mdelete([key]),
  });
}

/**
 * Stores conversations in a LangGraph store, one item each. Used automatically inside a graph with a store.
 *
 * Such a store cannot compare and set; the limits of `fromKeyValueStore` with two processes apply.
 *
 * @param namespace - namespace of the items; give each configuration its own
 *
 * @example
 * ```ts
 * const threads = fromLangGraphStore(PostgresStore.fromConnString(url), ["bakery", "threads"]);
 * ```
 */
export function fromLangGraphStore(
  store: GraphStore,
  namespace: readonly string[] = THREAD_NAMESPACE,
  options: SharedOptions = {},
): ThreadStore {
  checkOptions("fromLangGraphStore", options, SHARED_OPTIONS);
  if (!Array.isArray(namespace) || !namespace.every((part) => typeof part === "string")) {
    const message = "expected a list of texts as the namespace of `fromLangGraphStore`";
    const hint = "options such as `singleProcess` are the third argument";
    throw new ConfigError([createDiagnostic("CF-104", message, { path: "namespace", hint })]);
  }
  const { singleProcess } = options;
  const inner = unbatched(store);
  return versioned(inner, singleProcess, {
    prefix: "",
    get: async (key) => (await inner.get([...namespace], key))?.value,
    // INVARIANT: conversations are never embedded, however the store treats its other items.
    put: (key, { version, state }) => inner.put([...namespace], key, { version, state }, false),
    delete: (key) => inner.delete([...namespace], key),
  });
}

/** Unwraps the batching store that a graph makes per run, whose `put` lacks the index argument. */
function unbatched(store: GraphStore): GraphStore {
  const shell = store as { lg_name?: unknown; store?: GraphStore };
  return shell.lg_name === "AsyncBatchedStore" && shell.store !== undefined ? shell.store : store;
}

interface Access {
  readonly prefix: string;
  get(key: string): Promise<unknown>;
  put(key: string, thread: StoredThread): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** One write queue per store, which makes compare-and-set atomic within this process. */
const writers = new WeakMap<object, StoreWriter>();

function versioned(store: object, singleProcess: boolean | undefined, access: Access): ThreadStore {
  const writer = writers.get(store) ?? new StoreWriter();
  writers.set(store, writer);
  return {
    async get(id) {
      return (await access.get(await threadKey(id, access.prefix))) as StoredThread | undefined;
    },
    async set(id, thread, { expectedVersion, signal, logger = console } = {}) {
      if (singleProcess !== true && logger !== false) warnOfSharing(store, logger);
      const key = await threadKey(id, access.prefix);
      const isCurrent = async (): Promise<boolean> => {
        if (expectedVersion === undefined) return true;
        const stored = (await access.get(key)) as { readonly version?: unknown } | undefined;
        return (stored?.version ?? 0) === expectedVersion;
      };
      return writer.write(key, signal, () => access.put(key, thread), isCurrent);
    },
    async delete(id) {
      const key = await threadKey(id, access.prefix);
      await writer.write(key, undefined, () => access.delete(key));
    },
  };
}

function warnOfSharing(store: object, logger: Logger): void {
  const { name } = store.constructor;
  // A class renamed by a bundler counts as a shared store: an extra warning rather than a missing one.
  if (name === "InMemoryStore") return;
  warnOnce(
    `shared-threads:${name}`,
    `conversations are kept in \`${name}\`, which cannot compare and set: two processes that answer on the same ` +
      "conversation at once can lose a turn; pass `singleProcess: true` if there is only one, or a `ThreadStore` over a " +
      "database that compares and sets",
    logger,
  );
}

interface Codec {
  read(stored: unknown): unknown;
  write(thread: StoredThread): unknown;
}

const FORMS: Readonly<Record<keyof StoredForms, Codec>> = {
  bytes: {
    read: (stored) => parseStored(stored instanceof Uint8Array ? new TextDecoder().decode(stored) : stored),
    write: (thread) => new TextEncoder().encode(JSON.stringify(thread)),
  },
  text: { read: parseStored, write: (thread) => JSON.stringify(thread) },
  objects: { read: (stored) => stored, write: ({ version, state }) => ({ version, state }) },
};

/** Writes with unknown outcome, and the latest change since. */
interface OpenWrites {
  count: number;
  latest?: Apply;
}

type Apply = () => Promise<unknown>;

/** Time limit in milliseconds of changes whose caller sets none. */
const TIMEOUT_MS = 30_000;

/**
 * Changes the keys of a store one after the other. A cancelled change lets the next one start.
 *
 * INVARIANT: a cancelled change does not start. If the store is already applying it, the latest change is applied again
 * once the store responds, so that a late response never replaces newer data.
 */
class StoreWriter {
  readonly #queue = new ThreadQueue();
  readonly #open = new Map<string, OpenWrites>();

  /** @returns false if the stored value is no longer the one that the change was based on */
  async write(key: string, signal: AbortSignal | undefined, apply: Apply, isCurrent?: () => Promise<boolean>) {
    const limit = Cancellation.following(signal);
    const stopTimer = startTimer(TIMEOUT_MS, () => limit.abort(new Error(`no response within ${TIMEOUT_MS} ms`)));
    try {
      const change = async (): Promise<boolean> => {
        if ((await isCurrent?.()) === false) return false;
        limit.throwIfAborted();
        await this.#change(key, limit, apply);
        return true;
      };
      return await this.#queue.run(key, limit, () => untilAborted(change(), limit));
    } finally {
      stopTimer();
      limit.release();
    }
  }

  async #change(key: string, limit: Cancellation, apply: Apply): Promise<void> {
    const open = this.#open.get(key) ?? { count: 0 };
    this.#open.set(key, open);
    open.count += 1;
    const isLate = (): boolean => limit.aborted;
    try {
      await apply();
      if (!isLate()) open.latest = apply;
    } finally {
      for (let made: Apply | undefined; isLate() && made !== open.latest;) {
        made = open.latest;
        // A failure leaves the outcome to the next change, which compares versions.
        await made?.().catch(() => undefined);
      }
      open.count -= 1;
      if (open.count === 0) this.#open.delete(key);
    }
  }
}

const known = new WeakMap<object, { readonly threads: ThreadStore; readonly program: string }>();

/** Returns the store that LangGraph puts on the config of nodes as a thread store; the same one for the same store. */
export function graphThreads(logger: Logger | undefined): ThreadStoreOf {
  return (config, program) => {
    const given: unknown = (config as RunnableConfig & { store?: unknown }).store;
    if (!isGraphStore(given)) return undefined;
    const store = unbatched(given);
    const adapted = known.get(store) ?? { threads: fromLangGraphStore(store), program };
    known.set(store, adapted);
    if (adapted.program !== program && logger !== undefined) warnOfMixing(logger);
    return adapted.threads;
  };
}

function isGraphStore(value: unknown): value is GraphStore {
  return isObject(value) && ["get", "put", "delete"].every((method) => typeof value[method] === "function");
}

/** A configuration cannot use the conversation of another and would drop most of it. */
function warnOfMixing(logger: Logger): void {
  warnOnce(
    "graph-store-mixed",
    `several configurations keep conversations in the store of the graph under \`${THREAD_NAMESPACE.join(".")}\`; give ` +
      'each a place of its own: `threads: fromLangGraphStore(store, ["guardrails", "sales"])`',
    logger,
  );
}

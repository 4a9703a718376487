import { variable } from "../../config/environment.js";
import { GuardrailsError } from "../../diagnostics/errors.js";
import { startIdleTimer } from "../../engine/events.js";
import { PostgresThreadStore, RedisThreadStore, type ThreadStore } from "../../langchain/threads.js";
import { type CommandLine, UsageError } from "../command-line.js";

/**
 * Environment variable with the URL of the store. The URL often contains a password, and other users of the machine can see
 * arguments.
 */
const STORE_VARIABLE = "LANGCHAIN_GUARDRAILS_STORE";

const SHARED = /^(?:rediss?|postgres(?:ql)?):\/\//;

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;

/** Options for storing conversations. */
export interface StoreOptions {
  /** `memory`, `none`, or the address of a database. */
  readonly store?: string;
  /** Hours for which a conversation is stored after its last turn. */
  readonly storeHours?: number;
}

/** A thread store for conversations. */
export interface OpenStore {
  /** `false` for no store, undefined for the in-memory store. */
  readonly threads: ThreadStore | false | undefined;
  close(): Promise<void>;
}

/**
 * Returns the setting for storing conversations. Default: in memory, or not at all with several workers.
 *
 * @throws UsageError for an invalid store, or for `memory` with several workers
 */
export function readStore({ store }: StoreOptions, workers: number, { env }: Pick<CommandLine, "env">): string {
  const given = store ?? variable(env, STORE_VARIABLE) ?? (workers > 1 ? "none" : "memory");
  if (given === "memory" && workers > 1) {
    throw new UsageError(
      "`--store memory` keeps conversations in one process, and workers share none: " +
        "pass `--store redis://…` or `--store postgres://…`, or `--store none`",
    );
  }
  if (given === "memory" || given === "none" || SHARED.test(given)) return given;
  // INVARIANT: a URL may contain a password, so no part of it is repeated.
  throw new UsageError("a store is `memory`, `none`, or an address that begins with `redis://` or `postgres://`");
}

/** @throws UsageError for a database that is not reachable */
export async function openStore(store: string, { storeHours = DEFAULT_HOURS }: StoreOptions): Promise<OpenStore> {
  const none = async (): Promise<void> => undefined;
  if (store === "memory") return { threads: undefined, close: none };
  if (store === "none") return { threads: false, close: none };
  const ttlMs = storeHours * HOUR_MS;
  try {
    if (store.startsWith("redis")) {
      const threads = await RedisThreadStore.connect(store, { ttlMs });
      return { threads, close: () => threads.close() };
    }
    const threads = await PostgresThreadStore.connect(store, { ttlMs });
    const stopPruning = keepPruned(threads);
    return {
      threads,
      close: async () => {
        stopPruning();
        await threads.close();
      },
    };
  } catch (error) {
    if (GuardrailsError.isInstance(error)) throw error;
    throw new UsageError(`the store of conversations cannot be used: ${describe(error)}`);
  }
}

/** Clients report several addresses of one host name as several errors without a message. */
function describe(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === "" || message === undefined ? String(code ?? error) : message;
}

/** Deletes expired conversations each hour; after a failure, the next run deletes them. */
function keepPruned(threads: PostgresThreadStore): () => void {
  let stopTimer = (): void => undefined;
  const prune = (): void => {
    stopTimer = startIdleTimer(HOUR_MS, prune);
    threads.prune().catch(() => undefined);
  };
  prune();
  return () => stopTimer();
}

import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { StoredThread, ThreadStore } from "../../threads/thread-store.js";
import { connectRedis } from "../redis/connect-redis.js";
import { type IoRedisClient, type NodeRedisClient, type RunScript, scriptsOf } from "../redis/redis-client.js";
import { parseStored, threadKey } from "./stored-form.js";

export interface RedisThreadStoreOptions {
  /** Prefix of every key. Default: `langchain-guardrails:thread:`. */
  readonly prefix?: string;
  /** Milliseconds after its last turn at which a conversation expires. Default: never. */
  readonly ttlMs?: number;
}

const OPTIONS: OptionTable<RedisThreadStoreOptions> = { prefix: "text", ttlMs: "number" };

const READ = `return redis.call("HMGET", KEYS[1], "version", "state")`;

const DELETE = `return redis.call("DEL", KEYS[1])`;

/**
 * Arguments: the new version, the state, the expected version or an empty string, time to live in milliseconds or 0.
 */
const WRITE = `
if ARGV[3] ~= "" and (redis.call("HGET", KEYS[1], "version") or "0") ~= ARGV[3] then return 0 end
redis.call("HSET", KEYS[1], "version", ARGV[1], "state", ARGV[2])
if ARGV[4] ~= "0" then redis.call("PEXPIRE", KEYS[1], ARGV[4]) else redis.call("PERSIST", KEYS[1]) end
return 1
`;

/**
 * A command whose reply was lost fails. INVARIANT: it is not resent: a write that succeeded would then be rejected, and
 * its turn counted as not stored.
 */
const CONNECTION = { maxRetriesPerRequest: 0 } as const;

/**
 * Stores conversations in Redis or Valkey, for any number of processes: a script compares and sets atomically. Takes a
 * client of `ioredis` or of `redis`, also of a cluster.
 *
 * @example
 * ```ts
 * const threads = new RedisThreadStore(new Redis("redis://localhost:6379"), { ttlMs: 7 * 24 * 3_600_000 });
 * const guardrails = await Guardrails.fromPath("./config", { threads });
 * ```
 */
export class RedisThreadStore implements ThreadStore {
  readonly #run: RunScript;
  readonly #prefix: string;
  readonly #ttlMs: number;
  #close: () => Promise<void> = async () => undefined;

  constructor(client: IoRedisClient | NodeRedisClient, options: RedisThreadStoreOptions = {}) {
    checkOptions("RedisThreadStore", options, OPTIONS);
    const { prefix = "langchain-guardrails:thread:", ttlMs = 0 } = options;
    this.#run = scriptsOf(client);
    this.#prefix = prefix;
    this.#ttlMs = wholeMilliseconds("RedisThreadStore", ttlMs);
  }

  /**
   * Opens a store with its own connection, through `ioredis`; `close` ends it.
   *
   * @param url - `redis://user:password@host:port/database`, or `rediss://` for TLS
   * @throws ConfigError if `ioredis` is not installed; the error of the client if the server cannot be reached
   *
   * @example
   * ```ts
   * const threads = await RedisThreadStore.connect("redis://localhost:6379");
   * ```
   */
  static async connect(url: string, options: RedisThreadStoreOptions = {}): Promise<RedisThreadStore> {
    checkOptions("RedisThreadStore.connect", options, OPTIONS);
    const client = await connectRedis(url, CONNECTION);
    const store = new RedisThreadStore(client, options);
    store.#close = async () => void (await client.quit());
    return store;
  }

  async get(id: string): Promise<StoredThread | undefined> {
    const [version, state] = (await this.#run(READ, await this.#keyOf(id))) as readonly (string | null)[];
    if (typeof version !== "string" || typeof state !== "string") return undefined;
    return { version: Number(version), state: parseStored(state) };
  }

  async set(
    id: string,
    { version, state }: StoredThread,
    { expectedVersion }: { readonly expectedVersion?: number } = {},
  ): Promise<boolean> {
    const expected = expectedVersion === undefined ? "" : String(expectedVersion);
    const values = [String(version), JSON.stringify(state), expected, String(this.#ttlMs)];
    return (await this.#run(WRITE, await this.#keyOf(id), ...values)) === 1;
  }

  async delete(id: string): Promise<void> {
    await this.#run(DELETE, await this.#keyOf(id));
  }

  /** Ends the connection opened by `connect`; the application's own client stays open. */
  async close(): Promise<void> {
    await this.#close();
  }

  #keyOf(id: string): Promise<string> {
    return threadKey(id, this.#prefix);
  }
}

/** @throws ConfigError `CF-104` unless the time is a whole number of milliseconds */
export function wholeMilliseconds(surface: string, ttlMs: number): number {
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 0) return ttlMs;
  const message = `\`ttlMs\` of \`${surface}\` takes a whole number of milliseconds, not \`${ttlMs}\``;
  throw new ConfigError([createDiagnostic("CF-104", message, { path: "ttlMs" })]);
}

import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { VerdictStore } from "../../library/judges/verdict-store.js";
import { connectOptionalRedis } from "./optional-redis.js";
import { type IoRedisClient, type NodeRedisClient, type RunScript, scriptsOf } from "./redis-client.js";

export interface RedisVerdictStoreOptions {
  /** Prefix of every key. Default: `langchain-guardrails:verdict:`. */
  readonly prefix?: string;
}

const OPTIONS: OptionTable<RedisVerdictStoreOptions> = { prefix: "text" };

const READ = `return redis.call("GET", KEYS[1])`;

const WRITE = `return redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])`;

/**
 * Stores verdicts in Redis or Valkey, for `sharedVerdicts`. Takes a client of `ioredis` or of `redis`, also of a
 * cluster. Use one that fails at once without a connection (`enableOfflineQueue: false`).
 *
 * @example
 * ```ts
 * const store = await RedisVerdictStore.connect("redis://localhost:6379");
 * const sharedVerdicts = { store, secret: process.env.VERDICTS_SECRET, policy: "judge-2026-11" };
 * const guardrails = await Guardrails.fromPath("./config", { sharedVerdicts });
 * ```
 */
export class RedisVerdictStore implements VerdictStore {
  readonly #run: RunScript;
  readonly #prefix: string;
  #close: () => void = () => undefined;

  constructor(client: IoRedisClient | NodeRedisClient, options: RedisVerdictStoreOptions = {}) {
    checkOptions("RedisVerdictStore", options, OPTIONS);
    this.#run = scriptsOf(client);
    this.#prefix = options.prefix ?? "langchain-guardrails:verdict:";
  }

  /**
   * Opens a store with its own connection, through `ioredis`; `close` ends it. The connection does not keep the process
   * alive. An unreachable server counts as an empty store, at start and later.
   *
   * @param url - `redis://user:password@host:port/database`, or `rediss://` for TLS
   * @throws ConfigError if `ioredis` is not installed
   *
   * @example
   * ```ts
   * const store = await RedisVerdictStore.connect("redis://localhost:6379");
   * ```
   */
  static async connect(url: string, options: RedisVerdictStoreOptions = {}): Promise<RedisVerdictStore> {
    checkOptions("RedisVerdictStore.connect", options, OPTIONS);
    const { client, close } = await connectOptionalRedis(url);
    const store = new RedisVerdictStore(client, options);
    store.#close = close;
    return store;
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#run(READ, this.#prefix + key);
    return typeof value === "string" ? value : undefined;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#run(WRITE, this.#prefix + key, value, String(Math.max(1, Math.ceil(ttlMs))));
  }

  /** Ends the connection that `connect` opened; a client of the application stays open. */
  close(): void {
    this.#close();
  }
}

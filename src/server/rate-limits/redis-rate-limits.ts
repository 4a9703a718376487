import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { connectOptionalRedis } from "../../langchain/redis/optional-redis.js";
import {
  type IoRedisClient,
  type NodeRedisClient,
  type RunScript,
  scriptsOf,
} from "../../langchain/redis/redis-client.js";
import type { RateLimitStore } from "./caller-limits.js";

export interface RedisRateLimitsOptions {
  /** Prefix of every key. Default: `langchain-guardrails:limit:`. */
  readonly prefix?: string;
}

const OPTIONS: OptionTable<RedisRateLimitsOptions> = { prefix: "text" };

/**
 * Takes one request from a token bucket, using the clock of the database server. An unused bucket is full after a minute and is
 * deleted. Argument: requests per minute. Returns the milliseconds until a request is available.
 */
const TAKE = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local size = tonumber(ARGV[1])
local found = redis.call("HMGET", KEYS[1], "tokens", "at")
local tokens = tonumber(found[1]) or size
local at = tonumber(found[2]) or now
tokens = math.min(size, tokens + math.max(0, now - at) * size / 60000)
if not (tokens >= 0) then tokens = 0 end
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) * 60000 / size) end
redis.call("HSET", KEYS[1], "tokens", tostring(tokens), "at", tostring(now))
redis.call("PEXPIRE", KEYS[1], 120000)
return wait
`;

/**
 * Limits of callers (`perMinute`) that several servers count together, in Redis or Valkey. Accepts a client of `ioredis` or
 * `redis`, including cluster clients. While the database fails, each server counts separately.
 *
 * @example
 * ```ts
 * const rateLimits = await RedisRateLimits.connect("redis://localhost:6379");
 * const app = await createGuardrailsApp({ configs: { shop: "./config" }, keys, rateLimits });
 * ```
 */
export class RedisRateLimits implements RateLimitStore {
  readonly #run: RunScript;
  readonly #prefix: string;
  #close: () => void = () => undefined;

  constructor(client: IoRedisClient | NodeRedisClient, options: RedisRateLimitsOptions = {}) {
    checkOptions("RedisRateLimits", options, OPTIONS);
    this.#run = scriptsOf(client);
    this.#prefix = options.prefix ?? "langchain-guardrails:limit:";
  }

  /**
   * Opens a connection through `ioredis`; `close` closes it. If the server is not reachable, the client retries later.
   *
   * @param url - `redis://user:password@host:port/database`, or `rediss://` for TLS
   * @throws ConfigError if `ioredis` is not installed
   *
   * @example
   * ```ts
   * const rateLimits = await RedisRateLimits.connect("redis://localhost:6379");
   * ```
   */
  static async connect(url: string, options: RedisRateLimitsOptions = {}): Promise<RedisRateLimits> {
    checkOptions("RedisRateLimits.connect", options, OPTIONS);
    const { client, close } = await connectOptionalRedis(url);
    const limits = new RedisRateLimits(client, options);
    limits.#close = close;
    return limits;
  }

  async take(caller: string, perMinute: number): Promise<number> {
    const waitMs = await this.#run(TAKE, this.#prefix + caller, String(perMinute));
    return typeof waitMs === "number" ? waitMs : Number.NaN;
  }

  /** Closes the connection that `connect` opened; a client of the application stays open. */
  close(): void {
    this.#close();
  }
}

import type { IoRedisClient } from "./redis-client.js";
import { loadIoRedis } from "./load-ioredis.js";

/** Time limit of a connection attempt, in milliseconds. */
const CONNECT_MS = 2_000;

/** A connection to a server that may be unavailable. */
export interface OptionalRedis {
  readonly client: IoRedisClient;
  close(): void;
}

/**
 * Opens a connection through `ioredis` for optional data. A call without a connection fails at once and starts to
 * reconnect. The connection does not keep the process alive.
 *
 * @throws ConfigError if `ioredis` is not installed
 */
export async function connectOptionalRedis(url: string): Promise<OptionalRedis> {
  const { Redis } = await loadIoRedis();
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    disconnectTimeout: 0,
    // INVARIANT: no timer keeps the process alive; the next call reconnects.
    retryStrategy: () => null,
  });
  client.on("error", () => undefined);
  // Not earlier: a process that waits only for this connection would end.
  client.on("ready", () => client.stream.unref());
  let isClosed = false;
  await client.connect().catch(() => undefined);
  return {
    client: {
      defineCommand: client.defineCommand,
      eval: (script, keys, ...values) => {
        if (client.status === "end" && !isClosed) void client.connect().catch(() => undefined);
        return client.eval(script, keys, ...values);
      },
    },
    close: () => {
      isClosed = true;
      client.disconnect();
    },
  };
}

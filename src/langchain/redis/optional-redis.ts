import type { IoRedisClient } from "./redis-client.js";
import { importPeer } from "../peer.js";

/** Longest time of an attempt to connect, in milliseconds. */
const CONNECT_MS = 2_000;

/** A connection to a server that may be away. */
export interface OptionalRedis {
  readonly client: IoRedisClient;
  close(): void;
}

/**
 * Opens a connection through `ioredis` for data that the caller can do without. A call without a connection fails at once, and
 * begins to connect again. The connection does not keep the process alive.
 *
 * @throws ConfigError if `ioredis` is not installed
 */
export async function connectOptionalRedis(url: string): Promise<OptionalRedis> {
  const { Redis } = await importPeer("ioredis", () => import("ioredis"));
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    disconnectTimeout: 0,
    // INVARIANT: no timer keeps the process alive; the next call connects again.
    retryStrategy: () => null,
  });
  client.on("error", () => undefined);
  // Not before: a process that waits for nothing but this connection would end.
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

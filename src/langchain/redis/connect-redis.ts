import type { Redis, RedisOptions } from "ioredis";
import { loadIoRedis } from "./load-ioredis.js";

/** Milliseconds to wait for a closing connection. */
const DISCONNECT_MS = 100;

/**
 * Opens a connection through `ioredis`, which reconnects when it is lost.
 *
 * @throws ConfigError if `ioredis` is not installed; the error of the client if the server cannot be reached
 */
export async function connectRedis(url: string, options: RedisOptions): Promise<Redis> {
  const { Redis: Client } = await loadIoRedis();
  const client = new Client(url, { ...options, lazyConnect: true, disconnectTimeout: DISCONNECT_MS });
  // Commands report failures; without a listener, the client also logs every lost connection to the console.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw error;
  }
}

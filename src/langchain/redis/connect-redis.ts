import type { Redis, RedisOptions } from "ioredis";
import { importPeer } from "../peer.js";

/** Milliseconds that an ended connection may take to close. */
const DISCONNECT_MS = 100;

/**
 * Opens a connection through `ioredis`. A connection that is lost later is opened again.
 *
 * @throws ConfigError if `ioredis` is not installed; the error of the client if the server cannot be reached
 */
export async function connectRedis(url: string, options: RedisOptions): Promise<Redis> {
  const { Redis: Client } = await importPeer("ioredis", () => import("ioredis"));
  const client = new Client(url, { ...options, lazyConnect: true, disconnectTimeout: DISCONNECT_MS });
  // Commands report failures; without a listener the client writes every lost connection to the console as well.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw error;
  }
}

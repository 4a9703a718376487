import type * as IoRedis from "ioredis";
import { missingPeer } from "../peer.js";

/** @throws ConfigError if `ioredis` is not installed */
export async function loadIoRedis(): Promise<typeof IoRedis> {
  try {
    return await import("ioredis");
  } catch (cause) {
    throw missingPeer("ioredis", cause);
  }
}

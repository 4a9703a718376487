// The entry point `langchain-guardrails/verdicts`.
export type { SharedVerdictsOptions } from "../library/judges/shared-verdicts.js";
export type { VerdictStore } from "../library/judges/verdict-store.js";
export type { IoRedisClient, NodeRedisClient } from "./redis/redis-client.js";
export { RedisVerdictStore, type RedisVerdictStoreOptions } from "./redis/redis-verdict-store.js";

// The entry point `langchain-guardrails/threads`.
export {
  MemoryThreadStore,
  type MemoryThreadStoreOptions,
  type StoredThread,
  type ThreadStore,
} from "../threads/thread-store.js";
export { ThreadStoreError } from "../threads/thread-store.js";
export {
  fromKeyValueStore,
  fromLangGraphStore,
  type GraphStore,
  type KeyValueStore,
  type KeyValueThreadsOptions,
  type SharedOptions,
  type StoredForms,
} from "./threads/thread-stores.js";
export type { IoRedisClient, NodeRedisClient } from "./redis/redis-client.js";
export { RedisThreadStore, type RedisThreadStoreOptions } from "./threads/redis-thread-store.js";
export {
  type PostgresConnection,
  type PostgresPool,
  PostgresThreadStore,
  type PostgresThreadStoreOptions,
} from "./threads/postgres-thread-store.js";

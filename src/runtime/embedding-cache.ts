import type { EmbeddingSearchSettings } from "../config/settings.js";
import type { VectorStore } from "../retrieval/cache.js";
import { openFileMatcherCache } from "../retrieval/file-matcher-cache.js";
import { openFileVectorStore } from "../retrieval/file-vector-store.js";
import type { MatcherCache } from "../retrieval/matcher/matcher-cache.js";

type CacheSettings = EmbeddingSearchSettings["cache"];

const DEFAULT_FOLDER = ".cache/embeddings";

/** Where vectors are kept between runs; undefined means in memory. */
export async function openVectorStore(settings: CacheSettings): Promise<VectorStore | undefined> {
  const folder = folderOf(settings);
  return folder === undefined
    ? undefined
    : openFileVectorStore(folder, settings.key_generator === "md5" ? "md5" : "sha256");
}

/** Where the embedded matcher keeps what it learns between runs; undefined means nowhere. */
export async function openMatcherCache(settings: CacheSettings): Promise<MatcherCache | undefined> {
  const folder = folderOf(settings);
  return folder === undefined ? undefined : openFileMatcherCache(folder);
}

function folderOf({ enabled, store, store_config: storeConfig }: CacheSettings): string | undefined {
  if (!enabled || store !== "filesystem") return undefined;
  const folder = Object.hasOwn(storeConfig, "cache_dir") ? storeConfig["cache_dir"] : undefined;
  return typeof folder === "string" ? folder : DEFAULT_FOLDER;
}

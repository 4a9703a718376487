import type { EmbeddingSearchSettings } from "../../config/settings.js";
import { openFileMatcherCache } from "../../retrieval/file-matcher-cache.js";
import type { MatcherCache } from "../../retrieval/matcher/matcher-cache.js";

type CacheSettings = EmbeddingSearchSettings["cache"];

const DEFAULT_FOLDER = ".cache/embeddings";

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

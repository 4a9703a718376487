import type { RailsConfig } from "../config/rails-config.js";
import { openFileMatcherCache } from "../retrieval/file-matcher-cache.js";
import { createMatcherIndex, type ExampleItem, type MatcherIndex } from "../retrieval/matcher/matcher-index.js";

const DEFAULT_FOLDER = ".cache/embeddings";

/**
 * The embedded matcher over the example utterances of a configuration. What it learns is kept on disk when
 * `core.embedding_search_provider.cache` is enabled with the store `filesystem`.
 */
export async function openMatcherIndex(
  items: readonly ExampleItem[],
  config: Pick<RailsConfig, "settings">,
): Promise<MatcherIndex> {
  const { enabled, store, store_config: storeConfig } = config.settings.core.embedding_search_provider.cache;
  if (!enabled || store !== "filesystem") return createMatcherIndex({ items });
  const folder = Object.hasOwn(storeConfig, "cache_dir") ? storeConfig["cache_dir"] : undefined;
  const cache = await openFileMatcherCache(typeof folder === "string" ? folder : DEFAULT_FOLDER);
  return createMatcherIndex({ items, cache });
}

import type { RailsConfig } from "../../config/rails-config.js";
import { lazily } from "../../engine/async.js";
import type { DialogItem } from "../../retrieval/embedding-index.js";
import { openMatcherCache, provideEmbeddings, searchThreshold } from "./embedding-provider.js";
import type { RuntimeInput } from "./runtime-input.js";
import type { PreparedParts } from "./shared-services.js";

/** Dialog searches without embeddings. */
export const embeddedIndexes = lazily(async () => {
  const { createNgramIndex } = await import("../../retrieval/matcher/ngram-index.js");
  const { createMatcherIndex } = await import("../../retrieval/matcher/matcher-index.js");
  return { createNgramIndex, createMatcherIndex };
});

/**
 * Returns the index factories of a dialog: over a store, embeddings, or words and letters. The matcher learns examples
 * of user messages, with vectors if there are embeddings.
 */
export async function openDialogIndexes(config: RailsConfig, input: RuntimeInput): Promise<PreparedParts["indexes"]> {
  const dialogEmbeddings = await provideEmbeddings(config, "core", input.embeddings);
  const threshold = searchThreshold(config, "core");
  // The matcher learns the examples, with any embeddings, unless a store of the caller searches them.
  const learns = input.hasDialogStore !== true && (dialogEmbeddings !== undefined || input.createIndex === undefined);
  return {
    createIndex: async (items: readonly DialogItem[]) => {
      const createIndex = input.createIndex ?? (await embeddedIndexes()).createNgramIndex;
      return createIndex({ items, embeddings: dialogEmbeddings, threshold });
    },
    createExampleIndex: learns
      ? async (items: readonly DialogItem[]) => {
          const { createMatcherIndex } = await embeddedIndexes();
          const cache = await openMatcherCache(config.settings.core.embedding_search_provider.cache, input);
          return createMatcherIndex({
            items,
            cache,
            embeddings: dialogEmbeddings,
            threshold: dialogEmbeddings && threshold,
            onProgress: input.onLearning,
            onWarning: (message) => input.logger?.warn(message),
          });
        }
      : undefined,
  };
}

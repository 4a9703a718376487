import type { RailsConfig } from "../../config/rails-config.js";
import { lazily } from "../../engine/async.js";
import type { DialogItem } from "../../retrieval/embedding-index.js";
import { openMatcherCache, provideEmbeddings, searchThreshold } from "./embedding-provider.js";
import type { RuntimeInput } from "./runtime-input.js";
import type { PreparedParts } from "./shared-services.js";

/** Searches of the dialog that need no embeddings. */
export const embeddedIndexes = lazily(async () => {
  const { createNgramIndex } = await import("../../retrieval/matcher/ngram-index.js");
  const { createMatcherIndex } = await import("../../retrieval/matcher/matcher-index.js");
  return { createNgramIndex, createMatcherIndex };
});

/**
 * Returns what makes the indexes of a dialog: over a store or embeddings, or else over words and letters. Examples of user
 * messages are learnt by the matcher, with vectors where there are embeddings.
 */
export async function openDialogIndexes(config: RailsConfig, input: RuntimeInput): Promise<PreparedParts["indexes"]> {
  const dialogEmbeddings = await provideEmbeddings(config, "core", input.embeddings);
  const threshold = searchThreshold(config, "core");
  // The matcher learns the examples, with the embeddings if there are some, unless a store of the caller looks texts up.
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

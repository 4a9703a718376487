import type { DialogItem, EmbeddingIndex } from "../embedding-index.js";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { HybridMatcherOptions } from "./hybrid/hybrid-matcher.js";
import { createIntentMatcher, type IntentMatcherOptions } from "./intent-matcher.js";

export interface MatcherIndexOptions
  extends Pick<IntentMatcherOptions, "onProgress" | "cache">, Pick<HybridMatcherOptions, "onWarning"> {
  /** Ranks by vectors and n-grams together; default: n-grams alone. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** The least score of a hit in searches that name none (`search_threshold`); default: 0. */
  readonly threshold?: number | undefined;
  /** Example utterances; `meta.intent` is the intent of each. */
  readonly items: readonly DialogItem[];
}

/** A search over example utterances that knows by itself which scores are good enough. */
export interface MatcherIndex extends Pick<EmbeddingIndex<DialogItem>, "search"> {
  acceptThreshold(): Promise<number>;
}

const DEFAULT_RESULTS = 5;

/**
 * The embedded matcher in the shape of an index. It finds intents rather than texts: at most one example of each, the one
 * nearest to the text, scored by how likely the intent is; with embeddings by a similarity that thresholds refer to.
 *
 * @example
 * ```ts
 * const index = createMatcherIndex({ items: [{ text: "how much is it", meta: { intent: "ask price" } }] });
 * const [best] = await index.search("how much", 1);
 * ```
 */
export function createMatcherIndex(options: MatcherIndexOptions): MatcherIndex {
  const { items, embeddings, onProgress, cache, onWarning, threshold: ownThreshold = 0 } = options;
  const examples = items.map(({ text, meta }) => ({ text, intent: meta["intent"] ?? "" }));
  const itemOf = new Map(items.map((item) => [keyOf(item.text, item.meta["intent"]), item]));
  const matcher =
    embeddings === undefined
      ? createIntentMatcher({ examples, onProgress, cache })
      : createIntentMatcher({ examples, embeddings, onProgress, cache, onWarning });
  return {
    acceptThreshold: async () => {
      await matcher.prepare();
      return matcher.threshold;
    },
    search: async (text, maxResults = DEFAULT_RESULTS, threshold = ownThreshold) => {
      await matcher.prepare();
      const near = (await matcher.examplesFor(text, maxResults)).filter(({ score }) => score >= threshold);
      return near.map((example) => {
        return { item: itemOf.get(keyOf(example.text, example.intent)) as DialogItem, score: example.score };
      });
    },
  };
}

function keyOf(text: string, intent: string | undefined): string {
  return JSON.stringify([intent ?? "", text]);
}

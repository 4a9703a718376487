import type { DialogItem, EmbeddingIndex } from "../embedding-index.js";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { HybridMatcherOptions } from "./hybrid/hybrid-matcher.js";
import { createIntentMatcher, type IntentMatcherOptions } from "./intent-matcher.js";

export interface MatcherIndexOptions
  extends Pick<IntentMatcherOptions, "onProgress" | "cache">, Pick<HybridMatcherOptions, "onWarning"> {
  /** Ranks by vectors and n-grams together. Default: n-grams alone. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Minimum score of a hit for searches without a threshold (`search_threshold`). Default: 0. */
  readonly threshold?: number | undefined;
  /** Example utterances; `meta.intent` is the intent of each. */
  readonly items: readonly DialogItem[];
}

/** A search over example utterances with a learned threshold. */
export interface MatcherIndex extends Pick<EmbeddingIndex<DialogItem>, "search"> {
  acceptThreshold(): Promise<number>;
}

const DEFAULT_RESULTS = 5;

/**
 * The embedded matcher as an index. It finds intents rather than texts: at most one example each, nearest to the text,
 * scored by the probability of the intent; with embeddings, by a similarity that thresholds refer to.
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

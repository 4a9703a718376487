import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { createMemoryIndex } from "../../langchain/retrieval/memory-index.js";
import type { IndexItem } from "../../retrieval/embedding-index.js";
import type { IntentExample, RankedIntent } from "../../retrieval/matcher/intent-matcher.js";

/** The port of everything that finds intents without a language model. */
export interface IntentRanker {
  /** At most `max` intents, best first. */
  rank(text: string, max: number): readonly RankedIntent[] | Promise<readonly RankedIntent[]>;
  /** Below this score the utterance belongs to no intent. It is not read before the ranker was prepared. */
  readonly threshold: number;
  /** Learns now what would be learnt at the first question. */
  prepare?(): Promise<void>;
}

/** Makes a ranker of examples. What takes long tells how far it is, from 0 to 1. */
export type CreateIntentRanker = (
  examples: readonly IntentExample[],
  onProgress: (share: number) => void,
) => IntentRanker | Promise<IntentRanker>;

export interface IndexRankerOptions {
  /** Any LangChain embeddings; words and letters unless told. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Of the angular score; 0 unless told, which never abstains. */
  readonly threshold?: number | undefined;
}

/** Several examples of one intent stand beside each other, so more hits than intents are asked for. */
const HITS_PER_INTENT = 20;

/**
 * Ranks intents by their nearest example in an embedding index.
 *
 * @example
 * ```ts
 * const ranker = createIndexRanker([{ text: "hello", intent: "express greeting" }]);
 * const [best] = await ranker.rank("hello there", 1);
 * ```
 */
export function createIndexRanker(
  examples: readonly IntentExample[],
  { embeddings, threshold = 0 }: IndexRankerOptions = {},
): IntentRanker {
  const items = examples.map(({ text, intent }): IndexItem<string> => ({ text, meta: intent }));
  const index = createMemoryIndex<IndexItem<string>>({ items, embeddings });
  return {
    threshold,
    rank: async (text, max) => {
      const best = new Map<string, number>();
      for (const { item, score } of await index.search(text, max * HITS_PER_INTENT)) {
        if (!best.has(item.meta)) best.set(item.meta, score);
      }
      return [...best].slice(0, max).map(([intent, score]) => ({ intent, score }));
    },
  };
}

import type { DialogItem, EmbeddingIndex } from "../embedding-index.js";
import { createIntentMatcher, type IntentMatcherOptions } from "./intent-matcher.js";

export interface MatcherIndexOptions extends Pick<IntentMatcherOptions, "onProgress" | "cache"> {
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
 * nearest to the text, scored by how likely the intent is.
 *
 * @example
 * ```ts
 * const index = createMatcherIndex({ items: [{ text: "how much is it", meta: { intent: "ask price" } }] });
 * const [best] = await index.search("how much", 1);
 * ```
 */
export function createMatcherIndex({ items, onProgress, cache }: MatcherIndexOptions): MatcherIndex {
  const examples = items.map(({ text, meta }) => ({ text, intent: meta["intent"] ?? "" }));
  const itemOf = new Map(items.map((item) => [keyOf(item.text, item.meta["intent"]), item]));
  const matcher = createIntentMatcher({ examples, onProgress, cache });
  return {
    acceptThreshold: async () => {
      await matcher.prepare();
      return matcher.threshold;
    },
    search: async (text, maxResults = DEFAULT_RESULTS, threshold = 0) => {
      await matcher.prepare();
      const near = matcher.examplesFor(text, maxResults).filter(({ score }) => score >= threshold);
      return near.map((example) => {
        return { item: itemOf.get(keyOf(example.text, example.intent)) as DialogItem, score: example.score };
      });
    },
  };
}

function keyOf(text: string, intent: string | undefined): string {
  return JSON.stringify([intent ?? "", text]);
}

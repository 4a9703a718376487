import type { EmbeddingIndex, IndexItem } from "../embedding-index.js";
import { createIntentMatcher, type IntentMatcher, type IntentMatcherOptions } from "./intent-matcher.js";

/** An example utterance; `meta.intent` is its intent. */
type ExampleItem = IndexItem<Readonly<Record<string, string>>>;

export interface MatcherIndexOptions extends Pick<IntentMatcherOptions, "onProgress" | "cache"> {
  readonly items: readonly ExampleItem[];
}

/** A search over example utterances that knows by itself which scores are good enough. */
export interface MatcherIndex extends Pick<EmbeddingIndex<ExampleItem>, "search"> {
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
  const ready = async (): Promise<IntentMatcher> => {
    await matcher.prepare();
    return matcher;
  };
  return {
    acceptThreshold: async () => (await ready()).threshold,
    search: async (text, maxResults = DEFAULT_RESULTS, threshold = 0) => {
      return (await ready())
        .examplesFor(text, maxResults)
        .filter(({ score }) => score >= threshold)
        .flatMap(({ text: near, intent, score }) => {
          const item = itemOf.get(keyOf(near, intent));
          return item === undefined ? [] : [{ item, score }];
        });
    },
  };
}

function keyOf(text: string, intent: string | undefined): string {
  return JSON.stringify([intent ?? "", text]);
}

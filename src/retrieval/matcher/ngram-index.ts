import {
  DEFAULT_RESULTS,
  type EmbeddingIndex,
  type EmbeddingIndexOptions,
  type IndexItem,
  angularScore,
  bestOf,
  withoutRounding,
} from "../embedding-index.js";
import { FeatureReader } from "./features.js";

/** Large knowledge bases are indexed with pauses for other work of the process. */
const TEXTS_PER_PAUSE = 2000;

/**
 * An index that compares texts by their words and letters, without a model. Nothing is indexed before the first search.
 *
 * @throws TypeError if embeddings are given: their vectors belong in a vector store
 *
 * @example
 * ```ts
 * const index = createNgramIndex({ items: [{ text: "hello", meta: { intent: "express greeting" } }] });
 * const [best] = await index.search("hello there", 1);
 * ```
 */
export function createNgramIndex<Item extends IndexItem>(
  options: EmbeddingIndexOptions<Item> = {},
): EmbeddingIndex<Item> {
  if (options.embeddings !== undefined)
    throw new TypeError("expected no embeddings: an n-gram index computes its own vectors");
  const items: Item[] = [...(options.items ?? [])];
  /** Per dimension, the rows that are nonzero there, each followed by its value. */
  const postings: readonly number[][] = Array.from({ length: NGRAM_DIMENSIONS }, () => []);
  let size = 0;
  // Concurrent searches share the same rows, so nothing is indexed twice.
  const readAll = async (): Promise<void> => {
    while (size < items.length) {
      const vector = embedText((items[size] as Item).text);
      for (const [at, value] of vector.entries()) if (value !== 0) postings[at]?.push(size, value);
      size += 1;
      if (size % TEXTS_PER_PAUSE === 0) await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
  };
  return {
    addItems: (added) => {
      items.push(...added);
      return Promise.resolve();
    },
    search: async (text, maxResults = DEFAULT_RESULTS, threshold = options.threshold) => {
      await readAll();
      const least = threshold !== undefined && Number.isFinite(threshold) ? threshold : Number.NEGATIVE_INFINITY;
      const scores = cosines(embedText(text), postings, size).map((cosine) => angularScore(withoutRounding(cosine)));
      const hits = bestOf(scores, maxResults).map((row) => ({
        item: items[row] as Item,
        score: scores[row] as number,
      }));
      return hits.filter(({ score }) => score >= least);
    },
  };
}

/** Cosines of a vector with every row; zero dimensions, most of a sentence's, cost nothing. */
function cosines(query: Float32Array, postings: readonly number[][], size: number): Float64Array {
  const sums = new Float64Array(size);
  for (const [at, value] of query.entries()) {
    const posting = value === 0 ? [] : (postings[at] as number[]);
    for (let entry = 0; entry < posting.length; entry += 2) {
      const row = posting[entry] as number;
      sums[row] = (sums[row] as number) + value * (posting[entry + 1] as number);
    }
  }
  return sums;
}

/** Length of the vectors of this embedder. */
export const NGRAM_DIMENSIONS = 1024;

const MASK = NGRAM_DIMENSIONS - 1;
const reader = new FeatureReader();

/**
 * Embeds a text as a unit vector of its words, pairs of neighbouring words, and three- and four-letter n-grams, with
 * low weights for common ones. Stateless: equal texts have equal vectors everywhere. A text without words gives the
 * zero vector.
 *
 * @example
 * ```ts
 * const vector = embedText("How do I open an account?");
 * ```
 */
export function embedText(text: string): Float32Array {
  const vector = new Float32Array(NGRAM_DIMENSIONS);
  const { count, codes, weights } = reader.read(text);
  for (let at = 0; at < count; at += 1) {
    const code = codes[at] as number;
    const weight = weights[at] as number;
    const place = code & MASK;
    // One bit of the hash decides the sign, so that collisions cancel out on average.
    vector[place] = (vector[place] as number) + (code < 0 ? -weight : weight);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

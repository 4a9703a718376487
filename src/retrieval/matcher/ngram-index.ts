import {
  DEFAULT_RESULTS,
  type EmbeddingIndex,
  type EmbeddingIndexOptions,
  type IndexItem,
} from "../embedding-index.js";
import { NgramTable } from "./ngram-table.js";

/** Large knowledge bases are read with pauses in which other work of the process goes on. */
const TEXTS_PER_PAUSE = 2000;

/**
 * An index that compares texts by their words and letters, with no model at all. Nothing is read before the first search.
 *
 * @throws TypeError when embeddings are given: their vectors belong into a vector store
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
  if (options.embeddings !== undefined) throw new TypeError("an n-gram index makes its vectors by itself");
  const table = new NgramTable();
  const items: Item[] = [...(options.items ?? [])];
  // Searches that come while it runs go on with the same rows: nothing is read twice.
  const readAll = async (): Promise<void> => {
    table.reserve(items.length);
    while (table.size < items.length) {
      table.add((items[table.size] as Item).text);
      if (table.size % TEXTS_PER_PAUSE === 0) await new Promise<void>((resolve) => setTimeout(resolve, 0));
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
      const hits = table.search(text, maxResults, least);
      return hits.map(({ row, score }) => ({ item: items[row] as Item, score }));
    },
  };
}

import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { embedText } from "./matcher/ngram-embeddings.js";
import { VectorTable, type Metric } from "./vector-table.js";

/** Something that is found by its text. */
export interface IndexItem<Meta = unknown> {
  readonly text: string;
  readonly meta: Meta;
}

export interface IndexHit<Item> {
  readonly item: Item;
  readonly score: number;
}

/** The port of similarity search. Adapters over vector stores implement it too. */
export interface EmbeddingIndex<Item extends IndexItem = IndexItem> {
  /** Adds items; a search that begins afterwards finds them. */
  addItems(items: readonly Item[]): Promise<void>;
  /** The items whose texts are nearest, best first, none below the threshold. */
  search(text: string, maxResults?: number, threshold?: number): Promise<readonly IndexHit<Item>[]>;
}

export interface EmbeddingIndexOptions<Item extends IndexItem> {
  readonly items?: readonly Item[] | undefined;
  /** Any LangChain embeddings; without them texts are compared by their words and letters, with no model at all. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** `angular` unless stated, which is what thresholds in configurations refer to. */
  readonly metric?: Metric | undefined;
  /** The least score of a hit in searches that name none (`search_threshold`). */
  readonly threshold?: number | undefined;
  /** Texts in one call of the embeddings. */
  readonly batchSize?: number | undefined;
  /** Calls of the embeddings that run at once while the index is built. */
  readonly concurrency?: number | undefined;
}

/** Makes an index of some items: in memory, or over a vector store. */
export type CreateIndex<Item extends IndexItem> = (options: EmbeddingIndexOptions<Item>) => EmbeddingIndex<Item>;

export const DEFAULT_RESULTS = 20;
const DEFAULT_BATCH = 128;
const DEFAULT_CONCURRENCY = 4;

/**
 * An index in memory. Nothing is embedded before the first search; searches that come while it is built wait for the
 * same work. When embedding fails, all of them are rejected and the next search tries again.
 *
 * @example
 * ```ts
 * const index = createEmbeddingIndex({ items: [{ text: "hello", meta: { intent: "express greeting" } }] });
 * const [best] = await index.search("hello there", 1);
 * ```
 */
export function createEmbeddingIndex<Item extends IndexItem>(
  options: EmbeddingIndexOptions<Item> = {},
): EmbeddingIndex<Item> {
  const { embeddings, batchSize = DEFAULT_BATCH, concurrency = DEFAULT_CONCURRENCY } = options;
  const table = new VectorTable(options.metric ?? "angular");
  const items: Item[] = [];
  let pending: Item[] = [...(options.items ?? [])];
  let building: Promise<void> | undefined;

  const build = async (): Promise<void> => {
    while (pending.length > 0) {
      const taken = pending;
      const texts = taken.map(({ text }) => text);
      const vectors = embeddings ? await embedAll(embeddings, texts, batchSize, concurrency) : texts.map(embedText);
      if (vectors.length !== texts.length) {
        throw new RangeError(`the embeddings gave ${vectors.length} vectors for ${texts.length} texts`);
      }
      table.addAll(vectors);
      items.push(...taken);
      // Items may have been added while the embeddings ran.
      pending = pending.slice(taken.length);
    }
  };

  const ready = (): Promise<void> => {
    building ??= build().finally(() => {
      building = undefined;
    });
    return building;
  };

  return {
    addItems: (added) => {
      pending = [...pending, ...added];
      return Promise.resolve();
    },
    search: async (text, maxResults = DEFAULT_RESULTS, threshold = options.threshold) => {
      if (pending.length > 0) await ready();
      if (items.length === 0) return [];
      const query = embeddings ? await embeddings.embedQuery(text) : embedText(text);
      return table.search(query, maxResults, threshold).flatMap(({ row, score }) => {
        const item = items[row];
        return item === undefined ? [] : [{ item, score }];
      });
    },
  };
}

async function embedAll(
  embeddings: EmbeddingsInterface,
  texts: readonly string[],
  batchSize: number,
  concurrency: number,
): Promise<number[][]> {
  const batches: string[][] = [];
  for (let at = 0; at < texts.length; at += batchSize) batches.push(texts.slice(at, at + batchSize));
  const results: number[][][] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < batches.length) {
      const index = next;
      next += 1;
      try {
        results[index] = await embeddings.embedDocuments(batches[index] as string[]);
      } catch (error) {
        // The others must not start more calls for work that is lost.
        next = batches.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, batches.length) }, work));
  return results.flat();
}

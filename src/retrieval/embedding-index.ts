import type { EmbeddingsInterface } from "@langchain/core/embeddings";

/** An item found by its text. */
export interface IndexItem<Meta = unknown> {
  readonly text: string;
  readonly meta: Meta;
}

/** An item of the dialog: an example, a message or a line of a flow. */
export type DialogItem = IndexItem<Readonly<Record<string, string>>>;

export interface IndexHit<Item> {
  readonly item: Item;
  /**
   * Angular similarity: 1 for the same direction, 0.5 at sixty degrees, 0 for the opposite. Configured thresholds refer
   * to it.
   */
  readonly score: number;
}

/** The port of similarity search: words and letters in memory, or an adapter over a LangChain vector store. */
export interface EmbeddingIndex<Item extends IndexItem = IndexItem> {
  /** Adds items, which later searches find. */
  addItems(items: readonly Item[]): Promise<void>;
  /** Returns the items with the nearest texts at or above the threshold, best first. */
  search(text: string, maxResults?: number, threshold?: number): Promise<readonly IndexHit<Item>[]>;
}

export interface EmbeddingIndexOptions<Item extends IndexItem> {
  readonly items?: readonly Item[] | undefined;
  /** Embeddings of the configuration, if any. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Minimum score of a hit for searches without a threshold (`search_threshold`). */
  readonly threshold?: number | undefined;
}

/** Makes an index of items: over words and letters, or over a vector store. */
export type CreateIndex<Item extends IndexItem> = (options: EmbeddingIndexOptions<Item>) => EmbeddingIndex<Item>;

export const DEFAULT_RESULTS = 20;

const ROUNDING = 1e-6;

/** Near 1, the angular score magnifies rounding errors; equal texts must score 1. */
export function withoutRounding(cosine: number): number {
  return cosine > 1 - ROUNDING ? 1 : cosine;
}

/**
 * Converts a cosine to the score that configured thresholds refer to: 1 for the same direction, 0.5 at sixty degrees, 0
 * for the opposite.
 */
export function angularScore(cosine: number): number {
  const clamped = Math.max(-1, Math.min(1, cosine));
  return 1 - Math.sqrt(2 - 2 * clamped) / 2;
}

/** Returns the indexes of the highest scores, best first; ties in index order. */
export function bestOf(scores: Float64Array, max: number): number[] {
  const best: number[] = [];
  for (let place = 0; place < scores.length; place += 1) {
    const score = scores[place] as number;
    let at = best.length;
    while (at > 0 && (scores[best[at - 1] as number] as number) < score) at -= 1;
    if (at >= max) continue;
    best.splice(at, 0, place);
    if (best.length > max) best.pop();
  }
  return best;
}

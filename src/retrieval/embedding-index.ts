import type { EmbeddingsInterface } from "@langchain/core/embeddings";

/** Something that is found by its text. */
export interface IndexItem<Meta = unknown> {
  readonly text: string;
  readonly meta: Meta;
}

/** An item of the dialog: an example, a message or a line of a flow. */
export type DialogItem = IndexItem<Readonly<Record<string, string>>>;

export interface IndexHit<Item> {
  readonly item: Item;
  /** 1 for the same direction, 0.5 at sixty degrees, 0 for the opposite; thresholds in configurations refer to it. */
  readonly score: number;
}

/** The port of similarity search: words and letters in memory, or an adapter over a LangChain vector store. */
export interface EmbeddingIndex<Item extends IndexItem = IndexItem> {
  /** Adds items; a search that begins afterwards finds them. */
  addItems(items: readonly Item[]): Promise<void>;
  /** The items whose texts are nearest, best first, none below the threshold. */
  search(text: string, maxResults?: number, threshold?: number): Promise<readonly IndexHit<Item>[]>;
}

export interface EmbeddingIndexOptions<Item extends IndexItem> {
  readonly items?: readonly Item[] | undefined;
  /** The embeddings of the configuration, if it has any. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** The least score of a hit in searches that name none (`search_threshold`). */
  readonly threshold?: number | undefined;
}

/** Makes an index of some items: over words and letters, or over a vector store. */
export type CreateIndex<Item extends IndexItem> = (options: EmbeddingIndexOptions<Item>) => EmbeddingIndex<Item>;

export const DEFAULT_RESULTS = 20;

const ROUNDING = 1e-6;

/** Near 1 the angular score magnifies rounding; the same text must score 1. */
export function withoutRounding(cosine: number): number {
  return cosine > 1 - ROUNDING ? 1 : cosine;
}

/** Thresholds in configurations mean this score: 1 for the same direction, 0.5 at sixty degrees, 0 for the opposite. */
export function angularScore(cosine: number): number {
  const clamped = Math.max(-1, Math.min(1, cosine));
  return 1 - Math.sqrt(2 - 2 * clamped) / 2;
}

/** The places of the greatest scores, best first; of equal scores the earlier comes first. */
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

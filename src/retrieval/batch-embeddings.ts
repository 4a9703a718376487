import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { createBatcher, type StartTimer } from "./batch.js";

export interface BatchEmbeddingsOptions {
  /** 10 unless stated. */
  readonly maxBatchSize?: number | undefined;
  /** Milliseconds a query waits for others; 10 unless stated. */
  readonly maxBatchHold?: number | undefined;
  readonly startTimer?: StartTimer | undefined;
}

const DEFAULT_SIZE = 10;
const DEFAULT_HOLD = 10;

/**
 * Embeddings whose queries travel together (`use_batching`). Fit for models that treat queries and documents alike,
 * because a batch of queries is embedded as documents.
 *
 * @example
 * ```ts
 * const batched = batchEmbeddings(embeddings, { maxBatchSize: 32, maxBatchHold: 5 });
 * ```
 */
export function batchEmbeddings(
  embeddings: EmbeddingsInterface,
  options: BatchEmbeddingsOptions = {},
): EmbeddingsInterface {
  const embedQuery = createBatcher<string, number[]>({
    run: (texts) => embeddings.embedDocuments([...texts]),
    maxBatchSize: options.maxBatchSize ?? DEFAULT_SIZE,
    maxBatchHold: options.maxBatchHold ?? DEFAULT_HOLD,
    startTimer: options.startTimer,
  });
  return { embedQuery, embedDocuments: (texts) => embeddings.embedDocuments(texts) };
}

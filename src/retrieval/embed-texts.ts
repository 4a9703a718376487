import type { EmbeddingsInterface } from "@langchain/core/embeddings";

export interface EmbedOptions {
  /** Texts in one call; default: 128. */
  readonly batchSize?: number | undefined;
  /** Calls that run at once; default: 4. */
  readonly concurrency?: number | undefined;
}

const DEFAULT_BATCH = 128;
const DEFAULT_CONCURRENCY = 4;

/**
 * Embeds many texts as documents, in batches of which a few run at once; gives all vectors in order, or fails with the
 * first batch that does.
 *
 * @example
 * ```ts
 * const vectors = await embedTexts(embeddings, texts, { batchSize: 64 });
 * ```
 */
export async function embedTexts(
  embeddings: EmbeddingsInterface,
  texts: readonly string[],
  { batchSize = DEFAULT_BATCH, concurrency = DEFAULT_CONCURRENCY }: EmbedOptions = {},
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

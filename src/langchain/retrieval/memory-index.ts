import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { withoutRounding } from "../../retrieval/angular-score.js";
import { checkEmbeddings } from "../../retrieval/check-embeddings.js";
import type { EmbeddingIndex, EmbeddingIndexOptions, IndexItem } from "../../retrieval/embedding-index.js";
import { createNgramIndex } from "../../retrieval/matcher/ngram-index.js";
import { createVectorIndex } from "./vector-index.js";

/**
 * The index of a configuration that names no store: LangChain's `MemoryVectorStore` where there are embeddings, and words
 * and letters where there are none. The store is loaded by the first search.
 *
 * @example
 * ```ts
 * const index = createMemoryIndex({ items: [{ text: "hello", meta: "greet" }], embeddings: new OpenAIEmbeddings() });
 * ```
 */
export function createMemoryIndex<Item extends IndexItem>(options: EmbeddingIndexOptions<Item>): EmbeddingIndex<Item> {
  const { embeddings, ...rest } = options;
  if (embeddings === undefined) return createNgramIndex(rest);
  const checked = checkEmbeddings(embeddings);
  return createVectorIndex({ ...rest, store: () => openMemoryStore(checked), embeddings: checked });
}

async function openMemoryStore(embeddings: EmbeddingsInterface): Promise<VectorStoreInterface> {
  const { MemoryVectorStore } = await import("@langchain/classic/vectorstores/memory");
  return new MemoryVectorStore(embeddings, { similarity: cosineOfUnits });
}

/**
 * INVARIANT: never NaN, which the store could not sort: a text without a direction is at a right angle to all others.
 */
function cosineOfUnits(a: readonly number[], b: readonly number[]): number {
  let cosine = 0;
  for (let at = 0; at < a.length; at += 1) cosine += (a[at] as number) * (b[at] as number);
  return withoutRounding(cosine);
}

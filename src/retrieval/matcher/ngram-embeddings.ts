import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { readFeatures } from "./features.js";

/** Length of every vector this embedder makes. */
export const NGRAM_DIMENSIONS = 1024;

const MASK = NGRAM_DIMENSIONS - 1;

/**
 * A text as a unit vector, from its words, pairs of neighbouring words and the three- and four-letter pieces of each
 * word, the common ones weighing little. No model, no state: the same text gives the same vector everywhere. A text
 * without words gives the zero vector.
 *
 * @example
 * ```ts
 * const vector = embedText("How do I open an account?");
 * ```
 */
export function embedText(text: string): Float32Array {
  const vector = new Float32Array(NGRAM_DIMENSIONS);
  for (const [code, weight] of readFeatures(text)) {
    const place = code & MASK;
    // One bit of the hash decides the sign, so that collisions cancel out on average.
    vector[place] = (vector[place] as number) + (code < 0 ? -weight : weight);
  }
  return normalize(vector);
}

function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const length = Math.sqrt(sum);
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) / length;
  return vector;
}

/**
 * The embedder in the shape LangChain expects, for vector stores and retrievers.
 *
 * @example
 * ```ts
 * const store = new MemoryVectorStore(ngramEmbeddings);
 * ```
 */
export const ngramEmbeddings: EmbeddingsInterface = {
  embedQuery: (text) => Promise.resolve(Array.from(embedText(text))),
  embedDocuments: (texts) => Promise.resolve(texts.map((text) => Array.from(embedText(text)))),
};

import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { LRUCache } from "lru-cache";

/** Vectors by key. `lru-cache` is one; a store shared between processes could be another. */
export interface VectorStore {
  get(key: string): readonly number[] | undefined;
  set(key: string, vector: readonly number[]): unknown;
}

export interface CacheOptions {
  /** Both belong to the key: another model gives other vectors. */
  readonly engine: string;
  readonly model: string;
  readonly store?: VectorStore | undefined;
  /** Vectors kept when no store is given. */
  readonly maxEntries?: number | undefined;
}

const DEFAULT_ENTRIES = 10_000;

/**
 * Embeddings that ask for each text once. Only the texts that are missing are embedded, in one call; queries and
 * documents are kept apart because some models treat them differently.
 *
 * @example
 * ```ts
 * const cached = cacheEmbeddings(new OpenAIEmbeddings(), { engine: "openai", model: "text-embedding-3-small" });
 * ```
 */
export function cacheEmbeddings(embeddings: EmbeddingsInterface, options: CacheOptions): EmbeddingsInterface {
  const store: VectorStore = options.store ?? new LRUCache({ max: options.maxEntries ?? DEFAULT_ENTRIES });
  const keyOf = (kind: "document" | "query", text: string): string => {
    return JSON.stringify([options.engine, options.model, kind, text]);
  };
  return {
    embedQuery: async (text) => {
      const key = keyOf("query", text);
      const known = store.get(key);
      if (known) return [...known];
      const vector = await embeddings.embedQuery(text);
      store.set(key, vector);
      return [...vector];
    },
    embedDocuments: async (texts) => {
      const found = new Map<string, readonly number[]>();
      for (const text of texts) {
        const known = store.get(keyOf("document", text));
        if (known) found.set(text, known);
      }
      const missing = [...new Set(texts)].filter((text) => !found.has(text));
      if (missing.length > 0) {
        const vectors = await embeddings.embedDocuments(missing);
        if (vectors.length !== missing.length) {
          throw new RangeError(`the embeddings gave ${vectors.length} vectors for ${missing.length} texts`);
        }
        for (const [index, text] of missing.entries()) {
          const vector = vectors[index] as number[];
          found.set(text, vector);
          store.set(keyOf("document", text), vector);
        }
      }
      return texts.map((text) => [...(found.get(text) ?? [])]);
    },
  };
}

import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { LRUCache } from "lru-cache";

/** Vectors by key. `lru-cache` is one, a folder on disk another. */
export interface VectorCache {
  get(key: string): readonly number[] | undefined | Promise<readonly number[] | undefined>;
  set(key: string, vector: readonly number[]): unknown;
}

export interface CacheOptions {
  /** Both belong to the key: another model gives other vectors. */
  readonly engine: string;
  readonly model: string;
  readonly store?: VectorCache | undefined;
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
  const store: VectorCache = options.store ?? new LRUCache({ max: options.maxEntries ?? DEFAULT_ENTRIES });
  const keyOf = (kind: "document" | "query", text: string): string => {
    return JSON.stringify([options.engine, options.model, kind, text]);
  };
  return {
    embedQuery: async (text) => {
      const key = keyOf("query", text);
      const known = await store.get(key);
      if (known) return [...known];
      const vector = await embeddings.embedQuery(text);
      await store.set(key, vector);
      return [...vector];
    },
    embedDocuments: async (texts) => {
      const found = new Map<string, readonly number[]>();
      const distinct = [...new Set(texts)];
      const looked = await Promise.all(distinct.map((text) => store.get(keyOf("document", text))));
      for (const [index, text] of distinct.entries()) {
        const known = looked[index];
        if (known) found.set(text, known);
      }
      const missing = distinct.filter((text) => !found.has(text));
      if (missing.length > 0) {
        const vectors = await embeddings.embedDocuments(missing);
        if (vectors.length !== missing.length) {
          throw new RangeError(`the embeddings gave ${vectors.length} vectors for ${missing.length} texts`);
        }
        for (const [index, text] of missing.entries()) found.set(text, vectors[index] as number[]);
        await Promise.all(missing.map((text, index) => store.set(keyOf("document", text), vectors[index] as number[])));
      }
      return texts.map((text) => [...(found.get(text) ?? [])]);
    },
  };
}

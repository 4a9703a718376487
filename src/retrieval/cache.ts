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
  /** Default: the last 10,000 vectors, in memory. */
  readonly store?: VectorCache | undefined;
}

const MAX_ENTRIES = 10_000;

/**
 * Embeddings that ask for each text once. Only the texts that are missing are embedded, in one call; queries and
 * documents are kept apart because some models treat them differently.
 *
 * @example
 * ```ts
 * const cached = cacheEmbeddings(new OpenAIEmbeddings(), { engine: "openai", model: "text-embedding-3-small" });
 * ```
 */
export function cacheEmbeddings(
  embeddings: EmbeddingsInterface,
  { engine, model, store = new LRUCache({ max: MAX_ENTRIES }) }: CacheOptions,
): EmbeddingsInterface {
  const keyOf = (kind: "document" | "query", text: string): string => JSON.stringify([engine, model, kind, text]);
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
      const look = async (text: string) => [text, await store.get(keyOf("document", text))] as const;
      const found = new Map(await Promise.all(Array.from(new Set(texts), look)));
      const missing = [...found.keys()].filter((text) => !found.get(text));
      if (missing.length > 0) {
        const vectors = await embeddings.embedDocuments(missing);
        if (vectors.length !== missing.length) {
          throw new RangeError(`the embeddings gave ${vectors.length} vectors for ${missing.length} texts`);
        }
        const keep = (text: string, index: number): unknown => {
          found.set(text, vectors[index]);
          return store.set(keyOf("document", text), vectors[index] as number[]);
        };
        await Promise.all(missing.map(keep));
      }
      return texts.map((text) => [...(found.get(text) ?? [])]);
    },
  };
}

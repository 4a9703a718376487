import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { LRUCache } from "lru-cache";

/** A cache of vectors by key, such as an `lru-cache` or a folder on disk. */
export interface VectorCache {
  get(key: string): readonly number[] | undefined | Promise<readonly number[] | undefined>;
  set(key: string, vector: readonly number[]): unknown;
}

export interface CacheOptions {
  /** Engine and model are part of the key, since other models return other vectors. */
  readonly engine: string;
  readonly model: string;
  /** Default: the last 10,000 vectors, in memory. */
  readonly store?: VectorCache | undefined;
}

const MAX_ENTRIES = 10_000;

/**
 * Caches embeddings by text. Only missing texts are embedded, in one call; queries and documents are cached separately,
 * since some models treat them differently.
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
          throw new RangeError(`expected ${missing.length} vectors from the embeddings, got ${vectors.length}`);
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

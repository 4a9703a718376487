import type { DocumentInterface } from "@langchain/core/documents";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { checkVectors } from "../../retrieval/check-embeddings.js";
import { embedTexts } from "../../retrieval/embed-texts.js";

/** What goes into a store has an id of its own. */
export type StoredDocument = DocumentInterface & { readonly id: string };

/** How an index puts documents into a store and finds them again. */
export interface StoreAccess {
  /** Documents in one addition. */
  readonly batchSize: number;
  add(documents: readonly StoredDocument[]): Promise<void>;
  /** A search for a text, which may be repeated with more results. */
  finder(text: string): (count: number) => Promise<[DocumentInterface, number][]>;
}

const BATCH = 128;

/** A store that makes its own vectors. */
export function storeAccess(store: VectorStoreInterface): StoreAccess {
  return {
    batchSize: BATCH,
    add: async (documents) => {
      await store.addDocuments([...documents], { ids: documents.map(({ id }) => id) });
    },
    finder: (text) => (count) => store.similaritySearchWithScore(text, count),
  };
}

/**
 * A store that is given unit vectors. All texts are embedded before the first vector is added.
 *
 * @throws ModelError when a vector is not as long as those before it
 */
export function vectorAccess(store: VectorStoreInterface, embeddings: EmbeddingsInterface): StoreAccess {
  let dimensions: number | undefined;
  return {
    batchSize: Number.POSITIVE_INFINITY,
    add: async (documents) => {
      const texts = documents.map(({ pageContent }) => pageContent);
      const vectors = await embedTexts(embeddings, texts);
      checkVectors(vectors, texts.length, dimensions);
      await store.addVectors(vectors.map(toUnit), [...documents], { ids: documents.map(({ id }) => id) });
      dimensions ??= vectors[0]?.length;
    },
    finder: (text) => {
      let query: Promise<number[]> | undefined;
      const embed = async (): Promise<number[]> => {
        const vector = await embeddings.embedQuery(text);
        checkVectors([vector], 1, dimensions);
        return toUnit(vector);
      };
      return async (count) => store.similaritySearchVectorWithScore(await (query ??= embed()), count);
    },
  };
}

/** The same direction with length one; a vector without a direction stays as it is. */
function toUnit(vector: ArrayLike<number>): number[] {
  // Values far from 1 would overflow or vanish in the sum of squares.
  let greatest = 0;
  for (let at = 0; at < vector.length; at += 1) greatest = Math.max(greatest, Math.abs(vector[at] as number));
  if (greatest === 0) return Array.from(vector);
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += ((vector[at] as number) / greatest) ** 2;
  const length = Math.sqrt(sum);
  return Array.from(vector, (value) => value / greatest / length);
}

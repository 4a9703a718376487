import type { DocumentInterface } from "@langchain/core/documents";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import {
  angularScore,
  withoutRounding,
  DEFAULT_RESULTS,
  type EmbeddingIndex,
  type IndexHit,
  type IndexItem,
  type EmbeddingIndexOptions,
} from "../../retrieval/embedding-index.js";
import { contentHash } from "../../retrieval/content-hash.js";
import { checkVectors, checkEmbeddings, embedTexts, toUnit } from "../../retrieval/embeddings.js";
import { createNgramIndex } from "../../retrieval/matcher/ngram-index.js";

interface VectorIndexOptions<Item extends IndexItem> extends EmbeddingIndexOptions<Item> {
  /**
   * The store, or a function that makes it before the first search. Without embeddings, the store computes the vectors
   * itself.
   */
  readonly store: VectorStoreInterface | (() => VectorStoreInterface | Promise<VectorStoreInterface>);
  /** Reads a document that the application put into the store; without it, such documents are never found. */
  readonly adopt?: ((document: DocumentInterface) => Item | undefined) | undefined;
  /** Converts a score of the store to a cosine. Default: scores are cosines. */
  readonly scoreToSimilarity?: ((score: number) => number) | undefined;
}

/** Marks documents that this package put into a store. */
export const ITEM_KEY = "guardrails_item";

const MAX_FETCHED = 10_000;
const GROWTH = 4;

/**
 * The index port over a LangChain vector store, with the similarity scores that configured thresholds refer to.
 *
 * INVARIANT: an item's id in the store is derived from its content. So several indexes can share a store, a persistent
 * store accepts the same items again, and items left by an older configuration are never found.
 *
 * @example
 * ```ts
 * const index = createVectorIndex({ store: new MemoryVectorStore(embeddings), items: [{ text: "hello", meta: "greet" }] });
 * const [best] = await index.search("hello there", 1);
 * ```
 */
export function createVectorIndex<Item extends IndexItem>(options: VectorIndexOptions<Item>): EmbeddingIndex<Item> {
  const { adopt, embeddings, scoreToSimilarity = (score) => score } = options;
  const known = new Map<string, Item>();
  let pending: Item[] = [...(options.items ?? [])];
  let opened: Promise<StoreAccess> | undefined;
  let building: Promise<void> | undefined;

  const openStore = async (): Promise<StoreAccess> => {
    const store = typeof options.store === "function" ? await options.store() : options.store;
    return embeddings === undefined ? storeAccess(store) : vectorAccess(store, embeddings);
  };

  const open = (): Promise<StoreAccess> =>
    (opened ??= openStore().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));

  const build = async (): Promise<void> => {
    while (pending.length > 0) {
      const access = await open();
      const taken = pending.slice(0, access.batchSize);
      await addItems(access, taken, known);
      pending = pending.slice(taken.length);
    }
  };

  const toHit = (document: DocumentInterface, score: number): IndexHit<Item> | undefined => {
    const id: unknown = document.metadata[ITEM_KEY];
    const item = typeof id === "string" ? known.get(id) : adopt?.(document);
    // A zero vector has no cosine; stores that divide by its length return NaN.
    const cosine = Number.isNaN(score) ? 0 : scoreToSimilarity(score);
    return item === undefined ? undefined : { item, score: toScore(cosine) };
  };

  return {
    addItems: (added) => {
      pending = [...pending, ...added];
      return Promise.resolve();
    },
    search: async (text, maxResults = DEFAULT_RESULTS, threshold = options.threshold) => {
      if (pending.length > 0) await (building ??= build().finally(() => (building = undefined)));
      if (maxResults <= 0 || (known.size === 0 && adopt === undefined)) return [];
      const hits = await fetchHits(await open(), text, maxResults, toHit);
      const isFinite = threshold !== undefined && Number.isFinite(threshold);
      return (isFinite ? hits.filter(({ score }) => score >= threshold) : hits).slice(0, maxResults);
    },
  };
}

async function addItems<Item extends IndexItem>(
  store: StoreAccess,
  items: readonly Item[],
  known: Map<string, Item>,
): Promise<void> {
  const fresh = new Map<string, Item>();
  const ids = await Promise.all(items.map(itemId));
  for (const [index, item] of items.entries()) {
    const id = ids[index] as string;
    if (!known.has(id) && !fresh.has(id)) fresh.set(id, item);
  }
  const documents = [...fresh].map(([id, { text }]) => ({ pageContent: text, metadata: { [ITEM_KEY]: id }, id }));
  if (documents.length > 0) await store.add(documents);
  for (const [id, item] of fresh) known.set(id, item);
}

/** Many stores only accept UUIDs. */
async function itemId(item: IndexItem): Promise<string> {
  const hash = await contentHash(JSON.stringify([item.text, item.meta]));
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** Requests more results until enough of them belong to the index, since stores have no common filter language. */
async function fetchHits<Item>(
  store: StoreAccess,
  text: string,
  maxResults: number,
  toHit: (document: DocumentInterface, score: number) => IndexHit<Item> | undefined,
): Promise<IndexHit<Item>[]> {
  const find = store.finder(text);
  for (let wanted = maxResults; ; wanted = Math.min(wanted * GROWTH, MAX_FETCHED)) {
    const matches = await find(wanted);
    const hits = new Map<Item, IndexHit<Item>>();
    for (const [document, score] of matches) {
      const hit = toHit(document, score);
      if (hit && !hits.has(hit.item)) hits.set(hit.item, hit);
    }
    if (hits.size >= maxResults || matches.length < wanted || wanted >= MAX_FETCHED) {
      return [...hits.values()].sort((a, b) => b.score - a.score);
    }
  }
}

function toScore(cosine: number): number {
  if (!Number.isFinite(cosine))
    throw new RangeError(`expected a finite score from the vector store, got \`${cosine}\``);
  return angularScore(withoutRounding(cosine));
}

/** A document with an id, as stores accept it. */
type StoredDocument = DocumentInterface & { readonly id: string };

/** Access of an index to a store's documents. */
interface StoreAccess {
  /** Documents per insertion. */
  readonly batchSize: number;
  add(documents: readonly StoredDocument[]): Promise<void>;
  /** Returns a search for a text, which can be repeated with a larger count. */
  finder(text: string): (count: number) => Promise<[DocumentInterface, number][]>;
}

const BATCH = 128;

/** Access to a store that computes its own vectors. */
function storeAccess(store: VectorStoreInterface): StoreAccess {
  return {
    batchSize: BATCH,
    add: async (documents) => {
      await store.addDocuments([...documents], { ids: documents.map(({ id }) => id) });
    },
    finder: (text) => (count) => store.similaritySearchWithScore(text, count),
  };
}

/**
 * Access to a store that receives unit vectors. All texts are embedded before the first vector is added.
 *
 * @throws ModelError if vectors differ in length
 */
function vectorAccess(store: VectorStoreInterface, embeddings: EmbeddingsInterface): StoreAccess {
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

/**
 * The index of a configuration without a store: LangChain's `MemoryVectorStore` if there are embeddings, words and
 * letters otherwise. The first search loads the store.
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
  const store = async (): Promise<VectorStoreInterface> => {
    const { MemoryVectorStore } = await import("@langchain/classic/vectorstores/memory");
    return new MemoryVectorStore(checked, { similarity: cosineOfUnits });
  };
  return createVectorIndex({ ...rest, store, embeddings: checked });
}

/** INVARIANT: never NaN, which the store could not sort; a zero vector is orthogonal to all others. */
function cosineOfUnits(a: readonly number[], b: readonly number[]): number {
  let cosine = 0;
  for (let at = 0; at < a.length; at += 1) cosine += (a[at] as number) * (b[at] as number);
  return withoutRounding(cosine);
}

import type { BaseRetriever } from "@langchain/core/retrievers";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { ChunkItem, KnowledgeBase, OpenKnowledge } from "../../retrieval/knowledge-base.js";
import { createMemoryIndex, createVectorIndex } from "./vector-index.js";
import { chunkOfDocument } from "../values/evidence.js";
import type { CreateIndex, DialogItem, IndexItem } from "../../retrieval/embedding-index.js";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { MatcherEmbeddings } from "./matcher-embeddings.js";
import { isObject } from "../values/message-kinds.js";

/**
 * A retriever as the knowledge base. It decides how many documents are right, and runs as a child of the call.
 *
 * @example
 * ```ts
 * const kb = retrieverKnowledge(store.asRetriever(5));
 * const chunks = await kb.search("how long is the warranty?");
 * ```
 */
function retrieverKnowledge(retriever: BaseRetriever): KnowledgeBase {
  return {
    search: async (query, maxResults, { config, signal } = {}) => {
      const documents: unknown = await retriever.invoke(query, {
        ...config,
        ...(signal === undefined ? {} : { signal }),
      });
      if (!Array.isArray(documents)) throw new InputShapeError("a retriever must give a list of documents");
      return documents.slice(0, maxResults).map(chunkOfDocument);
    },
  };
}

/** The documents of `kb/` in memory, over embeddings where there are some. */
export const memoryKnowledge: OpenKnowledge = async (options) => {
  if (options.documents.length === 0) return null;
  const { createKnowledgeBase } = await import("../../retrieval/knowledge-base.js");
  return createKnowledgeBase({ ...options, createIndex: createMemoryIndex });
};

/** Knowledge base from the options `retriever` and `vectorStore`; undefined if neither is given. */
function knowledgeSource(
  retriever: BaseRetriever | undefined,
  stores: VectorStores | undefined,
): OpenKnowledge | undefined {
  if (retriever !== undefined) {
    if (typeof (retriever as { invoke?: unknown }).invoke !== "function") {
      throw new InputShapeError("`retriever` must be a LangChain retriever");
    }
    return async () => retrieverKnowledge(retriever);
  }
  const source = stores?.knowledgeBase;
  if (stores === undefined || source === undefined) return undefined;
  return async (options) => {
    if (options.documents.length === 0 && !stores.isKnowledge) return null;
    const { createKnowledgeBase } = await import("../../retrieval/knowledge-base.js");
    return createKnowledgeBase({
      ...options,
      createIndex: ({ items, embeddings, threshold }) =>
        createVectorIndex<ChunkItem>({
          store: openSource(source, embeddings),
          items,
          threshold,
          scoreToSimilarity: stores.scoreToSimilarity,
          ...(stores.isKnowledge ? { adopt: toChunkItem } : {}),
        }),
    });
  };
}

function toChunkItem(document: Parameters<typeof chunkOfDocument>[0]): ChunkItem {
  const { score: _own, ...meta } = chunkOfDocument(document);
  return { text: document.pageContent, meta };
}

/** Options that replace the built-in lookup. */
interface LookupOptions {
  readonly vectorStore?: VectorStoreSource | VectorStoreOptions;
  readonly retriever?: BaseRetriever;
}

/** Which parts of a configuration have embeddings. */
export interface EmbeddedParts {
  readonly dialog: boolean;
  readonly knowledge: boolean;
}

export interface Lookups {
  readonly createIndex: CreateIndex<DialogItem> | undefined;
  readonly openKnowledge: OpenKnowledge | undefined;
}

/**
 * Replacement of the embedded matcher: the stores and the retriever of the options, else a store in memory
 * where there are embeddings.
 *
 * @throws InputShapeError when a store or a retriever is none
 */
export function createLookups({ vectorStore, retriever }: LookupOptions, has: EmbeddedParts): Lookups {
  const stores = vectorStore === undefined ? undefined : readVectorStores(vectorStore);
  return {
    createIndex: dialogIndexes(stores) ?? (has.dialog ? createMemoryIndex : undefined),
    openKnowledge: knowledgeSource(retriever, stores) ?? (has.knowledge ? memoryKnowledge : undefined),
  };
}

/** Makes a store over the embeddings of the configuration; called once for each index. */
export type VectorStoreFactory = (
  embeddings: EmbeddingsInterface,
) => VectorStoreInterface | Promise<VectorStoreInterface>;

export type VectorStoreSource = VectorStoreInterface | VectorStoreFactory;

/** Which store serves what. */
export interface VectorStoreOptions {
  /** Examples of user messages, intents, bot messages and flows. */
  readonly dialog?: VectorStoreSource;
  /** The documents of `kb/`, and whatever documents the store holds already. */
  readonly knowledgeBase?: VectorStoreSource;
  /**
   * The cosine that a score of the store means, for stores whose scores are none: `(distance) => 1 - distance` where
   * they are cosine distances.
   */
  readonly scoreToSimilarity?: (score: number) => number;
}

const OPTIONS: OptionTable<VectorStoreOptions> = {
  dialog: "any",
  knowledgeBase: "any",
  scoreToSimilarity: "function",
};

/** The option `vectorStore`, read. */
interface VectorStores {
  readonly dialog: VectorStoreSource | undefined;
  readonly knowledgeBase: VectorStoreSource | undefined;
  /** True if the option `knowledgeBase` names the store, so that documents already in it are knowledge. */
  readonly isKnowledge: boolean;
  readonly scoreToSimilarity: ((score: number) => number) | undefined;
}

/**
 * Reads the option `vectorStore`. A store or factory alone serves the dialog and the documents of `kb/`.
 *
 * @throws InputShapeError when it is neither a store, nor a factory, nor says which store serves what
 */
export function readVectorStores(value: VectorStoreSource | VectorStoreOptions): VectorStores {
  if (isSource(value)) {
    return { dialog: value, knowledgeBase: value, isKnowledge: false, scoreToSimilarity: undefined };
  }
  const isPlain = isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
  if (isPlain) checkOptions("vectorStore", value, OPTIONS);
  const { dialog, knowledgeBase, scoreToSimilarity }: VectorStoreOptions = isObject(value) ? value : {};
  const sources: readonly unknown[] = [dialog, knowledgeBase].filter((source) => source !== undefined);
  if (sources.length === 0 || !sources.every(isSource)) {
    throw new InputShapeError(
      "`vectorStore` must be a LangChain vector store, a function that makes one, or `{ dialog, knowledgeBase }` with such",
    );
  }
  return { dialog, knowledgeBase, isKnowledge: knowledgeBase !== undefined, scoreToSimilarity };
}

/** How a source is opened; without embeddings in the configuration a factory is given the embedded matcher. */
export function openSource(
  source: VectorStoreSource,
  embeddings: EmbeddingsInterface | undefined,
): VectorStoreInterface | (() => VectorStoreInterface | Promise<VectorStoreInterface>) {
  return typeof source === "function" ? () => source(embeddings ?? new MatcherEmbeddings()) : source;
}

/** Indexes of the dialog over a store; undefined when none is given. */
function dialogIndexes<Item extends IndexItem>(stores: VectorStores | undefined): CreateIndex<Item> | undefined {
  const source = stores?.dialog;
  if (source === undefined) return undefined;
  return ({ items, embeddings, threshold }) =>
    createVectorIndex({
      store: openSource(source, embeddings),
      items,
      threshold,
      scoreToSimilarity: stores?.scoreToSimilarity,
    });
}

function isSource(value: unknown): value is VectorStoreSource {
  if (typeof value === "function") return true;
  return isObject(value) && typeof value["similaritySearchWithScore"] === "function";
}

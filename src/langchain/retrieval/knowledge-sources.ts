import type { DocumentInterface } from "@langchain/core/documents";
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

/** Documents of `kb/` in memory, over embeddings if configured. */
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
    // The retriever decides how many documents are relevant, and runs as a child of the call.
    const search: KnowledgeBase["search"] = async (query, maxResults, { config, signal } = {}) => {
      const documents: unknown = await retriever.invoke(query, { ...config, ...(signal && { signal }) });
      if (!Array.isArray(documents)) throw new InputShapeError("expected a retriever to return a list of documents");
      return documents.slice(0, maxResults).map(chunkOfDocument);
    };
    return async () => ({ search });
  }
  if (stores?.knowledgeBase === undefined) return undefined;
  const createIndex = indexesOver<ChunkItem>(
    stores.knowledgeBase,
    stores,
    stores.isKnowledge ? toChunkItem : undefined,
  );
  return async (options) => {
    if (options.documents.length === 0 && !stores.isKnowledge) return null;
    const { createKnowledgeBase } = await import("../../retrieval/knowledge-base.js");
    return createKnowledgeBase({ ...options, createIndex });
  };
}

function toChunkItem(document: DocumentInterface): ChunkItem {
  const { score: _own, ...meta } = chunkOfDocument(document);
  return { text: document.pageContent, meta };
}

/**
 * Replacement of the embedded matcher: the stores and the retriever of the options, otherwise a store in memory if
 * there are embeddings.
 *
 * @param has - parts of the configuration that use embeddings
 * @throws InputShapeError if a store or retriever is invalid
 */
export function createLookups(
  vectorStore: VectorStoreSource | VectorStoreOptions | undefined,
  retriever: BaseRetriever | undefined,
  has: { readonly dialog: boolean; readonly knowledge: boolean },
) {
  const stores = vectorStore === undefined ? undefined : readVectorStores(vectorStore);
  const dialog = stores?.dialog === undefined ? undefined : indexesOver<DialogItem>(stores.dialog, stores);
  return {
    createIndex: dialog ?? (has.dialog ? createMemoryIndex : undefined),
    hasDialogStore: dialog !== undefined,
    openKnowledge: knowledgeSource(retriever, stores) ?? (has.knowledge ? memoryKnowledge : undefined),
  };
}

/** Makes a store over the embeddings of the configuration; called once for each index. */
export type VectorStoreFactory = (
  embeddings: EmbeddingsInterface,
) => VectorStoreInterface | Promise<VectorStoreInterface>;

export type VectorStoreSource = VectorStoreInterface | VectorStoreFactory;

/** The store for each kind of content. */
export interface VectorStoreOptions {
  /** Store of examples of user messages, intents, bot messages and flows. */
  readonly dialog?: VectorStoreSource;
  /** Store of the documents of `kb/`. Documents that it already holds are found, too. */
  readonly knowledgeBase?: VectorStoreSource;
  /**
   * Converts a score of the store to a cosine similarity, if it is not one: `(distance) => 1 - distance` for cosine
   * distances.
   */
  readonly scoreToSimilarity?: (score: number) => number;
}

const OPTIONS: OptionTable<VectorStoreOptions> = {
  dialog: "any",
  knowledgeBase: "any",
  scoreToSimilarity: "function",
};

/** The option `vectorStore`, normalised. */
interface VectorStores extends VectorStoreOptions {
  /** True if the option `knowledgeBase` names the store, so that documents already in it are knowledge. */
  readonly isKnowledge: boolean;
}

/**
 * Reads the option `vectorStore`. A single store or factory serves both the dialog and the documents of `kb/`.
 *
 * @throws InputShapeError unless it is a store, a factory, or an object with one for each kind of content
 */
export function readVectorStores(value: VectorStoreSource | VectorStoreOptions): VectorStores {
  if (isSource(value)) return { dialog: value, knowledgeBase: value, isKnowledge: false };
  const isPlain = isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
  if (isPlain) checkOptions("vectorStore", value, OPTIONS);
  const stores: VectorStoreOptions = isObject(value) ? value : {};
  const sources: readonly unknown[] = [stores.dialog, stores.knowledgeBase].filter((source) => source !== undefined);
  if (sources.length === 0 || !sources.every(isSource)) {
    throw new InputShapeError(
      "`vectorStore` must be a LangChain vector store, a function that makes one, or `{ dialog, knowledgeBase }` with such",
    );
  }
  return { ...stores, isKnowledge: stores.knowledgeBase !== undefined };
}

/** Indexes over a store. Without configured embeddings, a factory receives the embedded matcher. */
function indexesOver<Item extends IndexItem>(
  source: VectorStoreSource,
  { scoreToSimilarity }: VectorStores,
  adopt?: (document: DocumentInterface) => Item,
): CreateIndex<Item> {
  return ({ items, embeddings, threshold }) => {
    const store = typeof source === "function" ? () => source(embeddings ?? new MatcherEmbeddings()) : source;
    return createVectorIndex({ store, items, threshold, scoreToSimilarity, adopt });
  };
}

function isSource(value: unknown): value is VectorStoreSource {
  if (typeof value === "function") return true;
  return isObject(value) && typeof value["similaritySearchWithScore"] === "function";
}

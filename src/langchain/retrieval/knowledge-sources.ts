import type { BaseRetriever } from "@langchain/core/retrievers";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { ChunkItem, KnowledgeBase, OpenKnowledge } from "../../retrieval/knowledge-base.js";
import { createMemoryIndex } from "./memory-index.js";
import { chunkOfDocument } from "./retrieved-chunk.js";
import { createVectorIndex } from "./vector-index.js";
import {
  openSource,
  type VectorStores,
  dialogIndexes,
  readVectorStores,
  type VectorStoreOptions,
  type VectorStoreSource,
} from "./vector-stores.js";
import type { CreateIndex, DialogItem } from "../../retrieval/embedding-index.js";

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

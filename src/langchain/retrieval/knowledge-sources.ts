import type { BaseRetriever } from "@langchain/core/retrievers";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { ChunkItem, KnowledgeBase, OpenKnowledge } from "../../retrieval/knowledge-base.js";
import { createMemoryIndex } from "./memory-index.js";
import { chunkOfDocument } from "./retrieved-chunk.js";
import { createVectorIndex } from "./vector-index.js";
import { openSource, type VectorStores } from "./vector-stores.js";

/**
 * A retriever as the knowledge base. It decides how many documents are right, and runs as a child of the call.
 *
 * @example
 * ```ts
 * const kb = retrieverKnowledge(store.asRetriever(5));
 * const chunks = await kb.search("how long is the warranty?");
 * ```
 */
export function retrieverKnowledge(retriever: BaseRetriever): KnowledgeBase {
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

/** What `retriever` and `vectorStore` put in the place of the index in memory; undefined when neither is given. */
export function knowledgeSource(
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

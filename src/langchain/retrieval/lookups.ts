import type { BaseRetriever } from "@langchain/core/retrievers";
import type { CreateIndex, DialogItem } from "../../retrieval/embedding-index.js";
import type { OpenKnowledge } from "../../retrieval/knowledge-base.js";
import { knowledgeSource, memoryKnowledge } from "./knowledge-sources.js";
import { createMemoryIndex } from "./memory-index.js";
import { dialogIndexes, readVectorStores, type VectorStoreOptions, type VectorStoreSource } from "./vector-stores.js";

/** What the caller gave to look texts up in. */
export interface LookupOptions {
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
 * What stands in the place of the embedded matcher: the stores and the retriever of the options, else a store in memory
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

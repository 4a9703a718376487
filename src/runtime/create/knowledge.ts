import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { RailsConfig } from "../../config/rails-config.js";
import { createKnowledgeBase, type KnowledgeBase, type OpenKnowledge } from "../../retrieval/knowledge-base.js";
import { positiveNumber, provideEmbeddings, searchThreshold } from "./embedding-provider.js";

interface KnowledgeInput {
  readonly embeddings?: EmbeddingsInterface | undefined;
  readonly knowledgeEmbeddings?: EmbeddingsInterface | undefined;
  readonly openKnowledge?: OpenKnowledge | undefined;
}

const inMemory: OpenKnowledge = (options) => (options.documents.length > 0 ? createKnowledgeBase(options) : null);

/** The knowledge base of a configuration as `knowledge_base.embedding_search_provider.parameters` asks for it. */
export async function openKnowledgeBase(config: RailsConfig, input: KnowledgeInput): Promise<KnowledgeBase | null> {
  const { parameters } = config.settings.knowledge_base.embedding_search_provider;
  const open = input.openKnowledge ?? inMemory;
  return open({
    documents: config.documents,
    embeddings: await provideEmbeddings(config, "knowledge_base", input.knowledgeEmbeddings ?? input.embeddings),
    topK: wholeNumber(parameters["top_k"]),
    chunkSize: wholeNumber(parameters["chunk_size"]),
    minScore: searchThreshold(config, "knowledge_base"),
  });
}

/** Counts of less than one make no sense, and parts of one neither. */
function wholeNumber(value: unknown): number | undefined {
  const number = positiveNumber(value);
  return number === undefined ? undefined : Math.max(1, Math.floor(number));
}

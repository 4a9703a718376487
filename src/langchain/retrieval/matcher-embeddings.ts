import { Embeddings } from "@langchain/core/embeddings";
import { embedText } from "../../retrieval/matcher/ngram-index.js";

/**
 * The embedded matcher as LangChain embeddings: 1,024 dimensions from the words and letter pieces of a text. Stateless,
 * deterministic, no key, no download and no model; good at matching short texts that share words.
 *
 * @example
 * ```ts
 * const store = await MemoryVectorStore.fromTexts(texts, metadata, new MatcherEmbeddings());
 * ```
 */
export class MatcherEmbeddings extends Embeddings {
  constructor() {
    super({});
  }

  override async embedDocuments(documents: string[]): Promise<number[][]> {
    return documents.map((document) => Array.from(embedText(document)));
  }

  override async embedQuery(document: string): Promise<number[]> {
    return Array.from(embedText(document));
  }
}

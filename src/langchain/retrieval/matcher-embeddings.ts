import { Embeddings } from "@langchain/core/embeddings";
import { embedText } from "../../retrieval/matcher/ngram-index.js";

/**
 * The embedded matcher as LangChain embeddings: 1,024 dimensions from the words and character n-grams of a text.
 * Stateless and deterministic, without key, download or model; suited to matching short texts that share words.
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

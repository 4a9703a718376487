import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { GuardrailsError, LimitError } from "../diagnostics/errors.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { CreateIndex, EmbeddingIndex, IndexItem } from "./embedding-index.js";
import { chunkMarkdown, chunkText } from "./markdown-chunks.js";
import { createNgramIndex } from "./matcher/ngram-index.js";

/** A document as it is given to us. */
export interface SourceDocument {
  readonly path: string;
  readonly content: string;
}

/** What a search finds. */
export interface KnowledgeChunk {
  readonly title: string;
  readonly body: string;
  /** Path of the document. */
  readonly file: string;
  /** What the document says about itself in its first fenced block. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Absent when a retriever does not tell. */
  readonly score?: number;
}

/** The surroundings of a search. */
export interface KnowledgeCall {
  readonly config?: RunnableConfig | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The port of knowledge: the documents of a configuration, a vector store, a retriever. */
export interface KnowledgeBase {
  /** The chunks nearest to a question, best first; as many as the knowledge base thinks right unless told. */
  search(query: string, maxResults?: number, call?: KnowledgeCall): Promise<readonly KnowledgeChunk[]>;
}

/** A chunk as it lies in an index. */
export type ChunkItem = IndexItem<Omit<KnowledgeChunk, "score">>;

export interface KnowledgeBaseOptions {
  readonly documents: readonly SourceDocument[];
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Chunks per search when it does not say; 3. */
  readonly topK?: number | undefined;
  /** Chunks below this score are never found. */
  readonly minScore?: number | undefined;
  /** Characters after which a blank line ends a chunk; 400. */
  readonly chunkSize?: number | undefined;
  /** Needed where embeddings are given; `createNgramIndex` otherwise. */
  readonly createIndex?: CreateIndex<ChunkItem> | undefined;
}

/** Makes the knowledge base of a configuration, or nothing when there is nothing to know. */
export type OpenKnowledge = (options: KnowledgeBaseOptions) => KnowledgeBase | null | Promise<KnowledgeBase | null>;

const DEFAULT_TOP_K = 3;
const MAX_DOCUMENT = 20_000_000;
const MAX_CHUNKS = 100_000;
const MAX_METADATA_VALUES = 10_000;
const MAX_METADATA_DEPTH = 32;

/**
 * A knowledge base over markdown documents. Their sizes are checked at once; cutting and embedding wait for the first
 * search.
 *
 * @throws LimitError when a document is too large
 *
 * @example
 * ```ts
 * const kb = createKnowledgeBase({ documents: [{ path: "kb/bikes.md", content: "# Bikes\n\nWe sell bikes." }] });
 * const [best] = await kb.search("do you sell bikes?");
 * ```
 */
export function createKnowledgeBase(options: KnowledgeBaseOptions): KnowledgeBase {
  for (const { path, content } of options.documents) {
    if (content.length > MAX_DOCUMENT) {
      const message = `document \`${path}\` has ${content.length} characters, more than the ${MAX_DOCUMENT} a knowledge base takes`;
      throw new LimitError(message, { limit: "knowledge_document_length", maximum: MAX_DOCUMENT });
    }
  }
  let building: Promise<EmbeddingIndex<ChunkItem>> | undefined;
  const ready = (): Promise<EmbeddingIndex<ChunkItem>> => {
    building ??= buildIndex(options).catch((error: unknown) => {
      building = undefined;
      throw error;
    });
    return building;
  };
  return {
    search: async (query, maxResults = options.topK ?? DEFAULT_TOP_K) => {
      const index = await ready();
      const hits = await index.search(query, maxResults);
      return hits.map(({ item, score }) => ({ ...item.meta, score }));
    },
  };
}

async function buildIndex(options: KnowledgeBaseOptions): Promise<EmbeddingIndex<ChunkItem>> {
  const items: ChunkItem[] = [];
  for (const { path, content } of options.documents) {
    const { chunks, metadata: yaml } = chunkMarkdown(content, options.chunkSize);
    const metadata = yaml === undefined ? {} : await readMetadata(yaml, path);
    if (items.length + chunks.length > MAX_CHUNKS) {
      const message = `the documents give more than ${MAX_CHUNKS} chunks`;
      throw new LimitError(message, { limit: "knowledge_chunks", maximum: MAX_CHUNKS });
    }
    for (const chunk of chunks) items.push({ text: chunkText(chunk), meta: { ...chunk, file: path, metadata } });
  }
  const createIndex = options.createIndex ?? createNgramIndex;
  return createIndex({ items, embeddings: options.embeddings, threshold: options.minScore });
}

async function readMetadata(yaml: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { load } = await import("js-yaml");
  let value: unknown;
  try {
    value = yaml.trim() === "" ? {} : load(yaml);
  } catch (error) {
    const message = `the first block of document \`${path}\` is no YAML`;
    throw new GuardrailsError(message, { code: "CF-102", cause: error });
  }
  if (!isSmall(value, 0, { left: MAX_METADATA_VALUES })) {
    const message =
      `the first block of document \`${path}\` holds more than ${MAX_METADATA_VALUES} values, ` +
      `or nests deeper than ${MAX_METADATA_DEPTH}`;
    throw new LimitError(message, { limit: "knowledge_metadata", maximum: MAX_METADATA_VALUES });
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** INVARIANT: aliases of aliases stand for billions of values, and one inside its own anchor for endlessly many. */
function isSmall(value: unknown, depth: number, budget: { left: number }): boolean {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_METADATA_DEPTH) return false;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every((inner) => isSmall(inner, depth + 1, budget));
}

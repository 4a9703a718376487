import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { CreateIndex, IndexItem } from "../../retrieval/embedding-index.js";
import { MatcherEmbeddings } from "./matcher-embeddings.js";
import { isObject } from "../values/message-kinds.js";
import { createVectorIndex } from "./vector-index.js";

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
export interface VectorStores {
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
export function dialogIndexes<Item extends IndexItem>(stores: VectorStores | undefined): CreateIndex<Item> | undefined {
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

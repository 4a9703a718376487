import type { DocumentInterface } from "@langchain/core/documents";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { KnowledgeChunk } from "../../retrieval/knowledge-base.js";
import { isObject } from "../values/message-kinds.js";

/** Metadata keys under which LangChain's loaders and retrievers note a document's source, the usual one first. */
const FILE_KEYS = ["source", "file", "path", "url"] as const;
const SCORE_KEYS = ["score", "relevanceScore", "relevance_score"] as const;

/**
 * A LangChain document as a chunk of knowledge: title, place and score are taken from its metadata as far as they are there.
 *
 * @throws InputShapeError when it is no document
 */
export function chunkOfDocument(document: DocumentInterface): KnowledgeChunk {
  if (!isObject(document) || typeof document.pageContent !== "string") {
    throw new InputShapeError("a retriever must give documents, objects with `pageContent`");
  }
  const metadata: Readonly<Record<string, unknown>> = isObject(document.metadata) ? document.metadata : {};
  const { title } = metadata;
  const file = FILE_KEYS.map((key) => metadata[key]).find((value) => typeof value === "string") ?? document.id;
  const score = SCORE_KEYS.map((key) => metadata[key]).find((value) => Number.isFinite(value));
  return {
    title: typeof title === "string" ? title : "",
    body: document.pageContent,
    file: typeof file === "string" ? file : "",
    metadata,
    ...(typeof score === "number" ? { score } : {}),
  };
}

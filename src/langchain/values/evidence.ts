import { omitUndefined } from "../../engine/plain-data.js";
import type { DocumentInterface } from "@langchain/core/documents";
import type { ChunkSource } from "../../turn/result.js";
import { redactData } from "../../turn/redact-data.js";
import type { Redactor } from "../../turn/redactor.js";
import { isMessage, isObject, copyOf } from "./message-kinds.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { KnowledgeChunk } from "../../retrieval/knowledge-base.js";

/**
 * `reviewed`: retrieval rails have seen the evidence; `compared`: rails judge the response by it, so it stays separate.
 */
export type EvidenceReader = "reviewed" | "compared";

/** Texts of documents, strings or objects with `pageContent`; undefined if the value is not evidence. */
export function evidenceTexts(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(chunkText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

export function chunkText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isObject(value) || isMessage(value)) return undefined;
  return typeof value["pageContent"] === "string" ? value["pageContent"] : undefined;
}

/** Returns the sources of evidence, in the order of its texts; a plain text has none. */
export function evidenceSources(value: unknown): readonly ChunkSource[] | undefined {
  const texts = evidenceTexts(value);
  const items: readonly unknown[] | undefined = texts !== undefined && Array.isArray(value) ? value : texts;
  return items?.map((item) => {
    if (!isObject(item)) return { title: "", file: "" };
    const { title, file, score } = chunkOfDocument(item as unknown as DocumentInterface);
    return omitUndefined({ title, file, score });
  });
}

/** Returns the evidence without quotes of hidden texts; each document keeps its position and class. */
export function redactEvidence(value: unknown, redactor: Redactor | undefined): unknown {
  if (redactor === undefined) return value;
  return Array.isArray(value) ? value.map((item) => redactChunk(item, redactor)) : redactChunk(value, redactor);
}

function redactChunk(item: unknown, redactor: Redactor): unknown {
  if (typeof item === "string") return redactor.redact(item);
  const text = chunkText(item);
  if (text === undefined || !isObject(item)) return redactData(item, redactor);
  const metadata = redactData(item["metadata"], redactor);
  if (!redactor.quotes(text) && metadata === item["metadata"]) return item;
  return copyOf(item, { pageContent: redactor.redact(text), metadata: metadata ?? {} });
}

/** Metadata keys in which LangChain's loaders and retrievers note a document's source, most common first. */
const FILE_KEYS = ["source", "file", "path", "url"] as const;

const SCORE_KEYS = ["score", "relevanceScore", "relevance_score"] as const;

/**
 * A LangChain document as a knowledge chunk, with title, source and score from its metadata if present.
 *
 * @throws InputShapeError if it is not a document
 */
export function chunkOfDocument(document: DocumentInterface): KnowledgeChunk {
  if (!isObject(document) || typeof document.pageContent !== "string") {
    throw new InputShapeError("expected a retriever to return documents, objects with `pageContent`");
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

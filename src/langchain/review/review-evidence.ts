import { type GuardrailsMetadata, type Block, blockWith } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import { governParts } from "./govern-parts.js";
import { readDocuments } from "../values/document-lines.js";
import { evidenceTexts } from "../values/evidence.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";

/** What the retrieval rails made of evidence. */
export interface EvidenceReview {
  /** The evidence afterwards, of the same type: as it was, rewritten, or empty when it was blocked. */
  readonly evidence: unknown;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
}

const HINT =
  "pass documents, strings, or an object that carries them under `context` (or name yours with `contextKey`)";

/**
 * Runs the retrieval rails over documents or texts.
 *
 * @throws InputShapeError when the value is no evidence: what cannot be read must not pass unreviewed
 */
export async function reviewEvidence(
  evidence: unknown,
  call: GuardedCall,
  question: string | undefined,
): Promise<EvidenceReview> {
  const documents = readDocuments(evidence);
  if (documents === undefined) throw shapeError("there are no documents to check", evidence, HINT);
  const empty = typeof evidence === "string" ? "" : [];
  const unseen = await governParts(call, "retrieval", () => documents.unseen);
  if (unseen.block !== undefined) return { evidence: empty, verdict: unseen.block.verdict, block: unseen.block };
  const subject = { relevantChunks: documents.wholes, userMessage: question };
  const { block, ...result } = await call.conversation.retrieval(subject);
  const decisions = [...unseen.decisions, ...result.verdict.decisions];
  if (block !== undefined) {
    const full = blockWith(block, decisions);
    return { evidence: empty, verdict: full.verdict, block: full };
  }
  const verdict = { ...result.verdict, decisions };
  if (result.status !== "modified") return { evidence, verdict };
  const { evidence: left, pages } = documents.rewrite(result.relevantChunks);
  // INVARIANT: only retrieval rails see the lines beside the texts of documents.
  call.conversation.assign({ relevant_chunks: pages.join("\n"), relevant_chunks_sep: [...pages] });
  return { evidence: left, verdict };
}

/** Returns true for a chunk of a stream whose end may hold evidence: retrieval rails see it before anything leaves. */
export function mayHoldEvidence(chunk: unknown, { conversation }: GuardedCall): boolean {
  return isObject(chunk) && !isMessage(chunk) && conversation.guards("retrieval");
}

/** Evidence that a retrieval rail blocked inside a guarded call: it ends the call like any other block. */
export class EvidenceBlocked extends Error {
  override name = "EvidenceBlocked";
  readonly block: Block;

  constructor(block: Block) {
    super("a retrieval rail blocked the evidence");
    this.block = block;
  }
}

/**
 * The object with its evidence as the retrieval rails left it; the same object if it holds none, or nothing changes.
 *
 * @throws EvidenceBlocked when a rail blocks; InputShapeError for a named key whose evidence cannot be read
 */
export async function reviewEvidenceIn<Value>(
  value: Value,
  call: GuardedCall,
  { contextKey, question }: { readonly contextKey?: string | undefined; readonly question?: string | undefined },
): Promise<Value> {
  const key = contextKey ?? "context";
  if (!isObject(value) || isMessage(value) || !Object.hasOwn(value, key)) return value;
  const given = value[key];
  const isRead = evidenceTexts(given) !== undefined || (contextKey !== undefined && given !== undefined);
  if (!isRead || !call.conversation.guards("retrieval")) return value;
  const { evidence, block } = await reviewEvidence(given, call, question);
  if (block !== undefined) throw new EvidenceBlocked(block);
  if (evidence === given) return value;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return Object.assign(Object.create(prototype) as object, value, { [key]: evidence }) as Value;
}

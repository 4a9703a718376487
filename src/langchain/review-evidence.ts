import type { GuardrailsMetadata } from "../turn/decision.js";
import type { Block } from "../turn/block.js";
import type { GuardedCall } from "./call.js";
import { distributeText } from "./values/content.js";
import { evidenceTexts } from "./values/evidence.js";
import { shapeError } from "./shape-error.js";

/** What the retrieval rails made of evidence. */
export interface EvidenceReview {
  /** The evidence afterwards, of the same type: as it was, rewritten, or empty when it was blocked. */
  readonly evidence: unknown;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
}

const REMEDY =
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
  const chunks = evidenceTexts(evidence);
  if (chunks === undefined) throw shapeError("there are no documents to check", evidence, REMEDY);
  const subject = { relevantChunks: chunks, userMessage: question };
  const { block, ...result } = await call.conversation.retrieval(subject);
  if (block !== undefined) {
    return { evidence: typeof evidence === "string" ? "" : [], verdict: block.verdict, block };
  }
  const changed = result.status === "modified";
  return {
    evidence: changed ? replaceChunks(evidence, chunks, result.relevantChunks) : evidence,
    verdict: result.verdict,
  };
}

/** Each document keeps its own lines where they can be told apart; one that lost all of them goes. */
function replaceChunks(evidence: unknown, chunks: readonly string[], text: string): unknown {
  if (!Array.isArray(evidence)) return text;
  const parts = distributeText(chunks, "\n", text);
  return evidence.flatMap((item: unknown, index) => {
    const part = parts[index] ?? "";
    if (part === chunks[index]) return [item];
    if (part === "") return [];
    if (typeof item === "string") return [part];
    const prototype = Object.getPrototypeOf(item) as object | null;
    return [Object.assign(Object.create(prototype) as object, item, { pageContent: part })];
  });
}

import { blockWith, type Block, type GuardrailsMetadata } from "../../turn/decision.js";
import type { StageResult } from "../../turn/result.js";
import type { GuardedCall } from "../call.js";
import { shapeError } from "../shape-error.js";
import type { BotResponse, ResponseOptions } from "../values/response.js";
import { copyObject, readResponse } from "../values/read-response.js";
import { copyOf, isMessage, isObject, type PlainObject } from "../values/message-kinds.js";
import { blocked } from "../../runtime/review.js";
import { type ResponseReview, reviewResponse, withDecisions } from "./review.js";
import { governParts } from "./unseen-parts.js";
import { joinLines, splitOff } from "../../turn/extra-text.js";
import { readGetters } from "../values/plain-object.js";
import { distributeText } from "../values/content.js";
import { chunkText, evidenceTexts } from "../values/evidence.js";
import { type ExtraKeys, readExtraKeys } from "../values/extra-keys.js";
import type { UnseenPart } from "../values/unseen.js";
import type { Atoms } from "../structured/structured-text.js";

/** Reads and reviews a value of the bot's side: its evidence by the retrieval rails, the rest as a response. */
export function reviewOutputValue(
  value: unknown,
  call: GuardedCall,
  options: ResponseOptions = {},
): Promise<ResponseReview> {
  const evidence = call.conversation.evidenceReader;
  const review = async (): Promise<ResponseReview> =>
    reviewResponse(readResponse(await reviewEvidenceIn(value, call, options), { ...options, evidence }), call);
  return reviewWithEvidence(call, review, () => readResponse(value, { ...options, evidence }));
}

/** Returns the review of a response with the decisions on its evidence, or the block of the evidence. */
export async function reviewWithEvidence(
  call: GuardedCall,
  review: () => Promise<ResponseReview>,
  response: () => BotResponse,
): Promise<ResponseReview> {
  try {
    const reviewed = await review();
    return withDecisions(reviewed, call.retrieved);
  } catch (error) {
    if (!(error instanceof EvidenceBlocked)) throw error;
    const given = response();
    return { ...blocked([given.text], error.block), status: "blocked", response: given };
  }
}

/** A value after the retrieval rails. */
interface EvidenceReview {
  /** The evidence after the rails, of the same type: unchanged, rewritten, or emptied by a block. */
  readonly evidence: unknown;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
}

/** Several values after one review by the retrieval rails. */
interface PassagesReview extends Omit<EvidenceReview, "evidence"> {
  readonly values: readonly unknown[];
}

const EVIDENCE_HINT =
  "pass documents, strings, or an object that carries them under `context` (or name yours with `contextKey`)";

/**
 * Runs the retrieval rails over documents or texts.
 *
 * @throws InputShapeError if the value is not evidence: unreadable content must not pass unreviewed
 */
export async function reviewEvidence(evidence: unknown, call: GuardedCall, question?: string): Promise<EvidenceReview> {
  const { values, ...review } = await reviewPassages([readEvidence(evidence)], call, question);
  return { ...review, evidence: values[0] };
}

/** Runs the retrieval rails once over the texts of several values. */
export async function reviewPassages(
  values: readonly Passages[],
  call: GuardedCall,
  question?: string,
): Promise<PassagesReview> {
  const emptied = (block: Block): PassagesReview => ({
    values: values.map(({ empty }) => empty),
    verdict: block.verdict,
    block,
  });
  const unseen = await governParts(call, "retrieval", () => values.flatMap((passages) => passages.unseen));
  if (unseen.block !== undefined) return emptied(unseen.block);
  const wholes = values.flatMap((passages) => passages.wholes);
  const { block, ...result } = await call.conversation.retrieval({ relevantChunks: wholes, userMessage: question });
  const decisions = [...unseen.decisions, ...result.verdict.decisions];
  if (block !== undefined) return emptied(blockWith(block, decisions));
  const verdict = { ...result.verdict, decisions };
  if (result.status !== "modified") return { values: values.map(({ value }) => value), verdict };
  const parts = partsAfter(wholes, result);
  let start = 0;
  const rewrites = values.map(({ wholes: places, rewrite }) => rewrite(parts.slice(start, (start += places.length))));
  const pages = rewrites.flatMap((rewritten) => rewritten.pages);
  // INVARIANT: only retrieval rails see the lines added to the texts of documents.
  call.conversation.assign({ relevant_chunks: pages.join("\n"), relevant_chunks_sep: pages });
  return { values: rewrites.map(({ value }) => value), verdict };
}

/** The texts after the rails, each at its place; an empty one was removed. */
function partsAfter(wholes: readonly string[], { chunks, relevantChunks }: StageResult): readonly string[] {
  // Rails that rewrite all chunks as one text keep their lines.
  if (chunks === undefined) return distributeText(wholes, "\n", relevantChunks);
  const left = new Map(chunks.map(({ place, text }) => [place, text]));
  return wholes.map((_, index) => left.get(index) ?? "");
}

/** Returns true for a chunk whose stream may end with evidence: retrieval rails see it before anything is released. */
export function mayHoldEvidence(chunk: unknown, { conversation }: GuardedCall): boolean {
  return isObject(chunk) && !isMessage(chunk) && conversation.guards("retrieval");
}

/** Evidence that a retrieval rail blocked inside a guarded call; ends the call like any other block. */
export class EvidenceBlocked extends Error {
  override name = "EvidenceBlocked";
  readonly block: Block;

  constructor(block: Block) {
    super("a retrieval rail blocked the evidence");
    this.block = block;
  }
}

/**
 * Returns the object with its evidence as the retrieval rails left it; the same object if it has none or nothing
 * changes.
 *
 * @throws EvidenceBlocked if a rail blocks; InputShapeError if evidence under a named key cannot be read
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
  const { evidence, block, verdict } = await reviewEvidence(given, call, question);
  if (block !== undefined) throw new EvidenceBlocked(block);
  call.retrieved = [...call.retrieved, ...verdict.decisions];
  if (evidence === given) return value;
  return copyOf(value, { [key]: evidence });
}

/** The texts of a value for the retrieval rails. */
export interface Passages {
  readonly value: unknown;
  /** The value without its texts, as a block leaves it. */
  readonly empty: unknown;
  readonly wholes: readonly string[];
  readonly unseen: readonly UnseenPart[];
  /** Returns the value with rewritten texts, and its texts that count as evidence. */
  rewrite(parts: readonly string[]): { readonly value: unknown; readonly pages: readonly string[] };
}

interface ReadDocument {
  readonly item: unknown;
  readonly page: string;
  readonly others: ExtraKeys | undefined;
}

/**
 * Reads documents, objects with `pageContent`, and texts. `wholes` are the texts of the documents, each followed by its
 * extra texts line by line; `pages` are the texts alone, after a rewrite.
 *
 * @throws InputShapeError if the value is not evidence
 */
export function readEvidence(evidence: unknown): Passages {
  if (evidenceTexts(evidence) === undefined) throw shapeError("expected documents or texts", evidence, EVIDENCE_HINT);
  const items: readonly unknown[] = Array.isArray(evidence) ? evidence : evidence === "" ? [] : [evidence];
  const documents = items.map((given): ReadDocument => {
    const item = isObject(given) ? readGetters(given) : given;
    const others = isObject(item) ? readExtraKeys(item, (key) => key === "pageContent") : undefined;
    return { item, page: chunkText(item) ?? "", others };
  });
  const wholes = documents.map(({ page, others }) => joinLines(page, others?.text ?? ""));
  return {
    value: evidence,
    empty: typeof evidence === "string" ? "" : [],
    wholes,
    unseen: documents.flatMap(({ others }, index): readonly UnseenPart[] =>
      (others?.unseen ?? []).map(({ path, kind }) => ({ path: `[${index}].${path}`, kind })),
    ),
    rewrite: (parts) => {
      if (!Array.isArray(evidence)) return { value: parts.join("\n"), pages: parts.filter((page) => page !== "") };
      const left = documents.flatMap((document, index) =>
        parts[index] === wholes[index] ? [document] : rewriteDocument(document, parts[index] ?? ""),
      );
      return { value: left.map(({ item }) => item), pages: left.map(({ page }) => page) };
    },
  };
}

/** Reads the entries of an object that are not evidence, as lines of the same review. */
export function readEntries(value: PlainObject, isKnown: (key: string) => boolean, atoms: Atoms): Passages {
  const { text, keys, unreadKeys, unseen, rewrite } = readExtraKeys(value, isKnown, atoms);
  const read = [...keys, ...unreadKeys];
  return {
    value,
    empty: copyObject(value, Object.fromEntries(read.map((key) => [key, undefined])), read),
    wholes: text === "" ? [] : [text],
    unseen,
    rewrite: ([after = text]) => ({ value: copyObject(value, rewrite(after), keys), pages: [] }),
  };
}

/** A document without remaining text is removed; each extra line returns to its key, or is removed. */
function rewriteDocument({ item, page, others }: ReadDocument, text: string): readonly Omit<ReadDocument, "others">[] {
  const after = splitOff(page, others?.text ?? "", text);
  if (after.main === "" && (page !== "" || after.others === "")) return [];
  if (!isObject(item) || others === undefined) return [{ item: after.main, page: after.main }];
  const changed: Record<string, unknown> = { ...item, ...others.rewrite(after.others), pageContent: after.main };
  // The constructor of a document always sets metadata.
  if ("metadata" in changed) changed["metadata"] ??= {};
  return [{ item: copyObject(item, changed, others.keys), page: after.main }];
}

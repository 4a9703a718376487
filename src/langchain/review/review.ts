import type { BaseMessage } from "@langchain/core/messages";
import {
  type RailDecision,
  summarizeDecisions,
  blockWith,
  type GuardrailsMetadata,
  type Block,
  type RailsStage,
} from "../../turn/decision.js";
import type { StageReview } from "../../rails/stage-check.js";
import type { Review } from "../../runtime/review.js";
import { subjectOf } from "../../runtime/guarded-answer.js";
import type { GuardedCall } from "../call.js";
import { shapeError } from "../shape-error.js";
import { type CallSettings, type CallsReview, reviewToolCalls } from "../tools/tool-review.js";
import { keyOfAnswer, readToolCalls } from "../tools/tool-calls.js";
import { type Answer, type AnswerOptions, type Caller } from "../values/answer.js";
import { readAnswer } from "../values/read-answer.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { toHistory, toPendingTexts, unseenInInput } from "../values/read-user-input.js";
import { type UserInput } from "../values/input-object.js";
import { readDocuments } from "../values/document-lines.js";
import { evidenceTexts } from "../values/evidence.js";
import { governUnseen, type UnseenPart } from "../values/unseen.js";
import { announceDecisions } from "../verdict.js";

export type { Review };

const TOOL_CALL_HINT = "wrap the model that asks for tools itself, or leave the arguments as they are";

/**
 * Checks all messages of the user's side since the last answer, results of tools included.
 *
 * @param seen - indexes of pending messages that rails have checked already
 */
export async function reviewInput(input: UserInput, call: GuardedCall, seen?: ReadonlySet<number>): Promise<Review> {
  const unseen = await governParts(call, "input", () => unseenInInput(input, seen));
  const pending = toPendingTexts(input, seen);
  if (unseen.block !== undefined) {
    const { block } = unseen;
    return { status: "blocked", texts: pending.map(({ text }) => text), verdict: block.verdict, block, blockedAt: 0 };
  }
  const review = await call.conversation.input({ pending, history: toHistory(input) });
  return withDecisions(review, unseen.decisions);
}

function withDecisions(review: Review, earlier: readonly RailDecision[]): Review {
  if (earlier.length === 0) return review;
  const decisions = [...earlier, ...review.verdict.decisions];
  if (review.block === undefined) return { ...review, verdict: { ...review.verdict, decisions } };
  const block = blockWith(review.block, decisions);
  return { ...review, verdict: block.verdict, block };
}

export interface AnswerReview extends Review {
  /** The answer afterwards, but for its text. */
  readonly answer: Answer;
}

/** Checks an answer by the output rails, and the tool calls in it by the rails on tools. */
export async function reviewAnswer(
  answer: Answer,
  call: GuardedCall,
  options: CallSettings & { readonly session?: StageReview | undefined } = {},
): Promise<AnswerReview> {
  const { conversation } = call;
  const unseen = await governParts(call, "output", () => answer.unseen?.() ?? []);
  if (unseen.block !== undefined) {
    options.session?.close();
    return { status: "blocked", texts: [answer.text], verdict: unseen.block.verdict, block: unseen.block, answer };
  }
  const subject = subjectOf(answer, conversation.readsReasoning);
  const review = withDecisions(await conversation.output(subject, options.session, answer.parts), unseen.decisions);
  if (review.block !== undefined) return { ...review, answer };
  const reasoned = replaceReasoning(answer, review.reasoning);
  const calls = await reviewCallers(answer, call, { userText: answer.userText, ...options });
  if (calls.decisions.length === 0) return { ...review, answer: reasoned };
  const decisions = [...review.verdict.decisions, ...calls.decisions];
  const checked = withCalls(reasoned, calls);
  if (calls.block !== undefined) {
    const block = blockWith(calls.block, decisions);
    return { ...review, status: "blocked", verdict: block.verdict, block, answer: checked };
  }
  const modified = decisions.some(({ status }) => status === "modified");
  const status = review.status === "passed" && modified ? "modified" : review.status;
  return { ...review, status, verdict: summarizeDecisions(decisions, false), answer: checked };
}

/** Reads a value of the bot's side and reviews it: its evidence by the retrieval rails, the rest as an answer. */
export function reviewOutputValue(
  value: unknown,
  call: GuardedCall,
  options: AnswerOptions = {},
): Promise<AnswerReview> {
  const evidence = call.conversation.evidenceReader;
  const review = async (): Promise<AnswerReview> =>
    reviewAnswer(readAnswer(await reviewEvidenceIn(value, call, options), { ...options, evidence }), call);
  return reviewWithEvidence(review, () => readAnswer(value, { ...options, evidence }));
}

/** The review of an answer; of one whose evidence was blocked, that block. */
export async function reviewWithEvidence(
  review: () => Promise<AnswerReview>,
  answer: () => Answer,
): Promise<AnswerReview> {
  try {
    return await review();
  } catch (error) {
    if (!(error instanceof EvidenceBlocked)) throw error;
    const { block } = error;
    const blocked = answer();
    return { status: "blocked", texts: [blocked.text], verdict: block.verdict, block, answer: blocked };
  }
}

/** Returns the answer with the reasoning that the rails left; unchanged where they did not review it. */
export function replaceReasoning(answer: Answer, reasoning: string | undefined): Answer {
  return reasoning === undefined || reasoning === answer.reasoning() ? answer : answer.replaceReasoning(reasoning);
}

/** Reviews of the calls in each message that asks for tools, by its place. */
interface CallersReview extends Omit<CallsReview, "apply"> {
  readonly applied: ReadonlyMap<number | undefined, NonNullable<CallsReview["apply"]>>;
}

/** INVARIANT: the receiver of the answer may run the calls of every message in it, so all of them are reviewed. */
export function reviewCallers(
  { message, callers = message === undefined ? [] : [{ message }] }: Answer,
  call: GuardedCall,
  options: CallSettings,
): Promise<CallersReview> | CallersReview {
  const asking = callers.filter((caller) => readToolCalls(caller.message).length > 0);
  return asking.length === 0 ? NO_CALLS : reviewAll(asking, call, options);
}

const NO_CALLS: CallersReview = { decisions: [], applied: new Map() };

async function reviewAll(callers: readonly Caller[], call: GuardedCall, options: CallSettings): Promise<CallersReview> {
  const decisions: RailDecision[] = [];
  const applied = new Map<number | undefined, NonNullable<CallsReview["apply"]>>();
  for (const caller of callers) {
    const review = await reviewToolCalls(caller.message, call, options);
    decisions.push(...review.decisions);
    if (review.block !== undefined) return { decisions, applied, block: blockWith(review.block, decisions) };
    if (review.apply !== undefined) applied.set(caller.index, review.apply);
  }
  return { decisions, applied };
}

/** @throws InputShapeError when a changed call cannot be put back into the shape of the answer */
export function withCalls(answer: Answer, { applied }: CallersReview): Answer {
  if (applied.size === 0) return answer;
  const change = (value: unknown, depth = 0): unknown => {
    const own = applied.get(undefined);
    if (isMessage(value) && own !== undefined) return own(value);
    if (Array.isArray(value) && value.every((_, index) => !applied.has(index) || isMessage(value[index]))) {
      return value.map((item: unknown, index) => applied.get(index)?.(item as BaseMessage) ?? item);
    }
    if (isObject(value) && depth === 0) {
      const key = keyOfAnswer(value);
      if (key !== undefined) return { ...value, [key]: change(value[key], 1) };
    }
    throw shapeError("a rail changed a tool call inside a value in which it cannot be replaced", value, TOOL_CALL_HINT);
  };
  return { ...answer, rewrite: (text) => change(answer.rewrite(text)) };
}

/** Evidence after the retrieval rails. */
interface EvidenceReview {
  /** The evidence afterwards, of the same type: as it was, rewritten, or empty when it was blocked. */
  readonly evidence: unknown;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
}

const EVIDENCE_HINT =
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
  if (documents === undefined) throw shapeError("there are no documents to check", evidence, EVIDENCE_HINT);
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

interface GovernedParts {
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

const NO_PARTS: GovernedParts = { decisions: [] };

/** The decision about parts of a value that no rail of the stage can read. */
export function governParts(
  call: GuardedCall,
  stage: RailsStage,
  parts: () => readonly UnseenPart[],
): Promise<GovernedParts> | GovernedParts {
  const decision = call.hasRails(stage) ? governUnseen(parts(), call.unseen, stage) : undefined;
  return decision === undefined ? NO_PARTS : announceParts(decision, call);
}

async function announceParts(decision: RailDecision, call: GuardedCall): Promise<GovernedParts> {
  const decisions = [decision];
  await announceDecisions(decisions, call.announce);
  if (decision.status !== "blocked") return { decisions };
  return { decisions, block: { refusal: "", verdict: { ...summarizeDecisions(decisions), blocked: true } } };
}

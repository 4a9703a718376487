import type { BaseMessage } from "@langchain/core/messages";
import { type RailDecision, summarizeDecisions, blockWith, type Block, type RailsStage } from "../../turn/decision.js";
import type { StageReview } from "../../rails/stage-check.js";
import { blocked, type Review } from "../../runtime/review.js";
import { subjectOf } from "../../runtime/guarded-answer.js";
import type { GuardedCall } from "../call.js";
import { shapeError } from "../shape-error.js";
import { type CallSettings, type CallsReview, reviewToolCalls } from "../tools/tool-review.js";
import { keyOfAnswer, readToolCalls } from "../tools/tool-calls.js";
import { type Answer, type Caller } from "../values/answer.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { toHistory, toPendingTexts, unseenInInput } from "../values/read-user-input.js";
import { type UserInput } from "../values/input-object.js";
import type { UnseenPart, UnseenPolicy } from "../values/unseen.js";
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
    const texts = pending.map(({ text }) => text);
    return blocked(texts, unseen.block, 0);
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
    return { ...blocked([answer.text], unseen.block), answer };
  }
  const subject = subjectOf(answer, conversation.readsReasoning);
  const review = withDecisions(await conversation.output(subject, options.session, answer.parts), unseen.decisions);
  if (review.block !== undefined) return { ...review, answer };
  const reasoned = replaceReasoning(answer, review.reasoning);
  const calls = await reviewCallers(answer, call, () => ({ userText: answer.userText, ...options }));
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
  options: () => CallSettings,
): Promise<CallersReview> | CallersReview {
  const asking = callers.filter((caller) => readToolCalls(caller.message).length > 0);
  return asking.length === 0 ? NO_CALLS : reviewAll(asking, call, options());
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

export interface GovernedParts {
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

export const NO_PARTS: GovernedParts = { decisions: [] };

/** The decision about parts of a value that no rail of the stage can read. */
export function governParts(
  call: GuardedCall,
  stage: RailsStage,
  parts: () => readonly UnseenPart[],
): Promise<GovernedParts> | GovernedParts {
  const decision = call.hasRails(stage) ? governUnseen(parts(), call.host.unseen, stage) : undefined;
  return decision === undefined ? NO_PARTS : announceParts(decision, call);
}

/** Kinds that applications send and receive on purpose. Parts of any other kind have a shape that no reader knows. */
const KNOWN_KINDS: ReadonlySet<string> = new Set([
  "image",
  "audio",
  "video",
  "file",
  "artifact",
  "invalid tool call",
  "tool message",
  "key",
]);

/** Name of the decision about these parts. */
const UNSEEN_RAIL = "unseen parts";

const MAX_LISTED = 20;

/**
 * Decides about the parts of a value that no rail can read; undefined when nothing has to be decided.
 *
 * @param policy - for parts of every kind; unset, known kinds are reported and others block
 */
function governUnseen(
  parts: readonly UnseenPart[],
  policy: UnseenPolicy | undefined,
  stage: RailsStage,
): RailDecision | undefined {
  if (parts.length === 0 || policy === "allow") return undefined;
  const blocking = parts.filter(({ kind }) => (policy ?? (KNOWN_KINDS.has(kind) ? "report" : "block")) === "block");
  const first = blocking[0];
  const unseen = [...blocking, ...parts.filter((part) => !blocking.includes(part))].slice(0, MAX_LISTED);
  return {
    status: first === undefined ? "passed" : "blocked",
    stage,
    rail: UNSEEN_RAIL,
    ...(first === undefined ? {} : { reason: `no rail can read the part \`${first.path}\`` }),
    durationMs: 0,
    metadata: { unseen },
  };
}

async function announceParts(decision: RailDecision, call: GuardedCall): Promise<GovernedParts> {
  const decisions = [decision];
  await announceDecisions(decisions, call.announce);
  if (decision.status !== "blocked") return { decisions };
  return { decisions, block: { refusal: "", verdict: { ...summarizeDecisions(decisions), blocked: true } } };
}

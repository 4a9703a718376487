import type { BaseMessage } from "@langchain/core/messages";
import { type GuardrailsMetadata, type RailDecision, summarizeDecisions } from "../turn/decision.js";
import type { StageReview } from "../runtime/port.js";
import type { Answer } from "./values/answer.js";
import { toolNames } from "./values/answer-tools.js";
import { type AwaitedInput, readAwaited } from "./awaited-results.js";
import type { Block } from "./blocked.js";
import type { GuardedCall } from "./call.js";
import { extractText } from "./values/content.js";
import { type GuardedTurn, takeGuardedTurn, type TurnOutcome } from "./guarded-turn.js";
import type { Host } from "./host.js";
import { isMessage, isObject, roleOf } from "./values/message-kinds.js";
import { type Review, rethink, reviewAnswer, reviewInput } from "./review.js";
import { shapeError } from "./shape-error.js";
import { type ProposedCall, readToolCalls } from "./tool-calls.js";
import { type CallsReview, reviewResult, reviewToolCalls } from "./tool-review.js";
import { pendingTexts, settleMessages, type UserInput } from "./values/user-input.js";

const REMEDY = "wrap the model that asks for tools itself, or leave the arguments as they are";

export interface ToolTurnOptions {
  /** The tools that the model was offered. */
  readonly tools?: readonly unknown[] | undefined;
  /** Leave blocked calls in the answer without their arguments, instead of refusing the answer. */
  readonly strip?: boolean | undefined;
  /** The results of tools were reviewed when the tools had run. */
  readonly knowsResults?: boolean | undefined;
  /** Calls are how the model was asked for its answer: the output rails read them, and no tool runs. */
  readonly callsAreAnswers?: boolean | undefined;
}

/** Input whose results of tools were reviewed, and the turn that has to be taken with it. */
interface ToolInput {
  readonly input: UserInput;
  /** Set when a result was blocked; then nobody is asked. */
  readonly block?: Block;
  /** Which of the pending messages holds it. */
  readonly blockedAt?: number;
  readonly decisions: readonly RailDecision[];
}

/**
 * Reviews the results of tools since the last answer by the rails on results. Those of tools without such rails stay
 * pending, and the input rails look at them.
 */
async function reviewToolResults({
  host,
  input,
  call,
}: Pick<GuardedTurn, "host" | "input" | "call">): Promise<ToolInput> {
  const settled = new Map<number, string>();
  const decisions: RailDecision[] = [];
  const userText = userTextOf(input);
  for (const [position, index] of input.pending.entries()) {
    const message = input.messages[index];
    if (message === undefined || roleOf(message) !== "tool") continue;
    const about = callOfResult(input, index);
    if (host.runtime.toolRails("tool_input", about.name, call.options).length === 0) continue;
    const failed = (message as { readonly status?: unknown }).status === "error";
    const review = await reviewResult(host, { call: about, text: extractText(message), failed }, call, { userText });
    decisions.push(...review.decisions);
    if (review.block !== undefined) {
      const block = { ...review.block, verdict: { ...review.block.verdict, decisions } };
      return { input, decisions, block, blockedAt: position };
    }
    settled.set(index, review.text);
  }
  return { input: settled.size === 0 ? input : settleMessages(input, settled), decisions };
}

/** What the input rails make of a value whose results of tools have rails of their own. */
export async function reviewInputAndResults(
  host: Host,
  given: UserInput,
  call: GuardedCall,
): Promise<{ readonly review: Review; readonly input: UserInput }> {
  const { input, decisions, block, blockedAt = 0 } = await reviewToolResults({ host, input: given, call });
  if (block !== undefined) {
    const texts = pendingTexts(input);
    return { input, review: { status: "blocked", texts, verdict: block.verdict, block, blockedAt } };
  }
  const review = await reviewInput(host, input, call);
  return { input, review: joinReviews(decisions, review) };
}

/** What the output rails make of an answer, and the rails on tools of the calls it asks for. */
export async function reviewAnswerAndCalls(
  host: Host,
  answer: Answer,
  call: GuardedCall,
  options: ToolTurnOptions & { readonly session?: StageReview | undefined } = {},
): Promise<Review & { readonly answer: Answer }> {
  const review = await reviewAnswer(host, answer, call, options.session);
  if (review.block !== undefined) return { ...review, answer };
  if (answer.message === undefined) return { ...review, answer: rethink(answer, review.reasoning) };
  const calls = await reviewCallers(host, answer, call, { ...options, userText: answer.userText });
  const joined = joinReviews(review.verdict.decisions, {
    status: calls.block === undefined ? review.status : "blocked",
    texts: review.texts,
    verdict: calls.block?.verdict ?? summarizeDecisions(calls.decisions, false),
    ...(calls.block === undefined ? {} : { block: calls.block }),
  });
  return { ...joined, answer: withCalls(rethink(answer, review.reasoning), calls) };
}

/** The review with what was decided before it. */
function joinReviews(decisions: readonly RailDecision[], review: Review): Review {
  if (decisions.length === 0) return review;
  const verdict: GuardrailsMetadata = { ...review.verdict, decisions: [...decisions, ...review.verdict.decisions] };
  const modified = decisions.some((decision) => decision.status === "modified");
  const status = review.status === "passed" && modified ? "modified" : review.status;
  return { ...review, status, verdict, ...(review.block === undefined ? {} : { block: { ...review.block, verdict } }) };
}

/**
 * A guarded turn whose tools are guarded too: their results before anybody is asked, their calls before they leave.
 *
 * @param turn - makes the turn for what is left of the input
 */
export async function takeTurnWithTools(
  turn: (input: UserInput) => GuardedTurn,
  given: UserInput,
  options: ToolTurnOptions = {},
): Promise<TurnOutcome> {
  const unreviewed: ToolInput = { input: given, decisions: [] };
  // Most input holds no results of tools, and then there is nothing to wait for.
  const hasResults = given.messages.some((message) => roleOf(message) === "tool");
  const before = options.knowsResults === true || !hasResults ? unreviewed : await reviewToolResults(turn(given));
  if (before.block !== undefined) {
    return { kind: "blocked", block: before.block, blockedAt: before.blockedAt ?? 0 };
  }
  const awaited: AwaitedInput = hasResults
    ? await readAwaited(turn(before.input), options.knowsResults === true)
    : { input: before.input, decisions: [] };
  if (awaited.block !== undefined) {
    return withDecisions({ kind: "blocked", block: awaited.block, blockedAt: awaited.blockedAt }, before.decisions);
  }
  // A key that is new goes first: behind a spread it gives each object a hidden class of its own.
  const guarded: GuardedTurn = { tools: toolNames(options.tools ?? []), ...turn(awaited.input) };
  const taken = await takeGuardedTurn(guarded);
  const outcome = options.callsAreAnswers ? taken : await reviewOutcome(guarded, taken, userTextOf(given), options);
  return withDecisions(outcome, [...before.decisions, ...awaited.decisions]);
}

async function reviewOutcome(
  { host, call }: GuardedTurn,
  outcome: TurnOutcome,
  userText: string,
  options: ToolTurnOptions,
): Promise<TurnOutcome> {
  if (outcome.kind !== "answer" || outcome.answer.message === undefined) return outcome;
  const review = await reviewCallers(host, outcome.answer, call, { userText, ...options });
  if (review.decisions.length === 0) return outcome;
  const decisions = [...outcome.verdict.decisions, ...review.decisions];
  if (review.block !== undefined) {
    const block = { ...review.block, verdict: { ...review.block.verdict, decisions } };
    return { ...outcome, kind: "blocked", block };
  }
  const verdict: GuardrailsMetadata = { ...outcome.verdict, decisions };
  return { ...outcome, verdict, answer: withCalls(outcome.answer, review) };
}

/** What the rails made of the calls of each message that asks for tools, by its place. */
interface CallersReview extends Omit<CallsReview, "apply"> {
  readonly applied: ReadonlyMap<number | undefined, NonNullable<CallsReview["apply"]>>;
}

/** INVARIANT: whoever gets the answer may run the calls of every message in it, so all of them are reviewed. */
async function reviewCallers(
  host: Host,
  { message, callers }: Answer,
  call: GuardedCall,
  options: Parameters<typeof reviewToolCalls>[3],
): Promise<CallersReview> {
  const decisions: RailDecision[] = [];
  const applied = new Map<number | undefined, NonNullable<CallsReview["apply"]>>();
  for (const caller of callers ?? (message === undefined ? [] : [{ message }])) {
    const review = await reviewToolCalls(host, caller.message, call, options);
    decisions.push(...review.decisions);
    const { block } = review;
    if (block !== undefined)
      return { decisions, applied, block: { ...block, verdict: { ...block.verdict, decisions } } };
    if (review.apply !== undefined) applied.set(caller.index, review.apply);
  }
  return { decisions, applied };
}

function withCalls(answer: Answer, { applied }: CallersReview): Answer {
  if (applied.size === 0) return answer;
  const change = (value: unknown, depth = 0): unknown => {
    const own = applied.get(undefined);
    if (isMessage(value) && own !== undefined) return own(value);
    if (Array.isArray(value) && value.every((_, index) => !applied.has(index) || isMessage(value[index]))) {
      return value.map((item: unknown, index) => applied.get(index)?.(item as BaseMessage) ?? item);
    }
    if (isObject(value) && depth === 0) {
      const key = Object.keys(value).find((name) => holdsAnswer(value[name]));
      if (key !== undefined) return { ...value, [key]: change(value[key], 1) };
    }
    throw shapeError("a rail changed a tool call inside a value in which it cannot be replaced", value, REMEDY);
  };
  return { ...answer, rewrite: (text) => change(answer.rewrite(text)) };
}

function holdsAnswer(value: unknown): boolean {
  const messages = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return messages.some((message) => isMessage(message) && roleOf(message) === "assistant");
}

function withDecisions(outcome: TurnOutcome, decisions: readonly RailDecision[]): TurnOutcome {
  if (decisions.length === 0) return outcome;
  const join = (verdict: GuardrailsMetadata): GuardrailsMetadata => ({
    ...verdict,
    decisions: [...decisions, ...verdict.decisions],
  });
  if (outcome.kind !== "blocked") return { ...outcome, verdict: join(outcome.verdict) };
  return { ...outcome, block: { ...outcome.block, verdict: join(outcome.block.verdict) } };
}

/** What the user asked for, for rails that judge a call by it. */
function userTextOf(input: UserInput): string {
  const last = input.messages.findLast((message) => roleOf(message) === "user");
  return last === undefined ? "" : extractText(last);
}

/** The call that a result answers, found by its id. */
function callOfResult(input: UserInput, index: number): ProposedCall {
  const { tool_call_id: id, name } = input.messages[index] as {
    readonly tool_call_id?: string;
    readonly name?: string;
  };
  const asked = input.messages.slice(0, index).flatMap(readToolCalls);
  const call = asked.findLast((candidate) => candidate.id !== undefined && candidate.id === id);
  return call ?? { name: name ?? "", args: {}, id };
}

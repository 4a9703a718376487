import type { LanguageModel } from "../../llm/model.js";
import type { AnswerOutcome, AnswerRequest, Responder } from "../../runtime/answer-request.js";
import { blockWith } from "../../turn/decision.js";
import type { TurnMessage, TurnOptions } from "../../turn/options.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import type { GuardedCall } from "../call.js";
import {
  announceDelegated,
  type DelegatedCall,
  delegatedOf,
  signCalls,
  readToolCalls,
  toolNames,
} from "../tools/tool-calls.js";
import { governParts, replaceReasoning, reviewCallers, withCalls, type GovernedParts, NO_PARTS } from "./review.js";
import type { Answer } from "../values/answer.js";
import { wholeTexts, toTurnMessages, unseenInInput, userTextOf, readUserInput } from "../values/read-user-input.js";
import type { UserInput, UserInputOptions } from "../values/input-object.js";
import { answerInput } from "../../runtime/guarded-answer.js";
import type { BaseMessage } from "@langchain/core/messages";
import { indexesRefused, verdictOf } from "../verdict.js";
import { hiddenMessage } from "../graph/message-updates.js";
import { rewriteWhole, wholeText } from "../values/message-extras.js";
import { extractText } from "../values/content.js";
import { roleOf } from "../values/message-kinds.js";

/** End of a guarded turn. */
export type TurnOutcome = AnswerOutcome<Answer> & {
  /** Tool calls that flows ask for; none in a turn that was blocked. */
  readonly calls?: readonly DelegatedCall[];
};

export interface GuardedTurn {
  readonly call: GuardedCall;
  readonly input: UserInput;
  /** Events that the caller sends with the input. */
  readonly events?: readonly TurnMessage[];
  readonly main?: LanguageModel | undefined;
  /** Absent when the configuration's own prompts answer. */
  readonly responder?: Responder<Answer> | undefined;
  /** True if asking has no side effects, so that it may begin before the input verdict. */
  readonly asksAhead?: boolean;
  /** Set when the caller reads a stream. */
  readonly stream?: StreamPlan | undefined;
  readonly writeText?: TurnOptions["writeText"];
  readonly emitText?: TurnOptions["emitText"];
  /** The tools that the model was offered. */
  readonly tools?: readonly unknown[] | undefined;
  /** Leave blocked calls in the answer without their arguments, instead of refusing the answer. */
  readonly strip?: boolean | undefined;
  /** True if rails have checked the results of tools where the tools ran. */
  readonly knowsResults?: boolean | undefined;
  /** True if calls are how the model was asked for its answer: the output rails read them, and no tool runs. */
  readonly callsAreAnswers?: boolean | undefined;
}

/** Takes one turn around something that answers, its tools included. */
export async function takeGuardedTurn(turn: GuardedTurn): Promise<TurnOutcome> {
  const { call, input, tools = [] } = turn;
  const governed = governParts(call, "input", () => unseenInInput(input));
  const unseen = governed instanceof Promise ? await governed : governed;
  if (unseen.block !== undefined)
    return { kind: "blocked", block: unseen.block, blockedAt: 0, texts: wholeTexts(input) };
  const names = toolNames(tools);
  const answered = await answerInput(call.conversation, requestOf(turn, names));
  const taken = withDelegated(answered, names);
  if (taken !== answered && taken.turn !== undefined) await announceDelegated(taken.turn, call.announce);
  const parts = answered.kind === "answer" ? answered.answer.unseen : undefined;
  const governing = parts === undefined ? NO_PARTS : governParts(call, "output", parts);
  const later = governing instanceof Promise ? await governing : governing;
  const outcome = withUnseen(taken, unseen, later);
  if (outcome.kind !== "answer") return outcome;
  const { answer, reasoning } = outcome;
  const reasoned = withAnswer(outcome, replaceReasoning(answer, reasoning));
  return turn.callsAreAnswers === true ? reasoned : reviewCalls(turn, reasoned);
}

/** The outcome with the answer as it leaves; the same outcome if nothing changes. */
function withAnswer(
  outcome: TurnOutcome & { readonly kind: "answer" },
  answer: Answer,
): TurnOutcome & { readonly kind: "answer" } {
  const text = onlyAsksForTools(answer) ? "" : outcome.text;
  return answer === outcome.answer && text === outcome.text ? outcome : { ...outcome, text, answer };
}

/** The outcome with the decisions about parts of the input and of the answer that no rail can read. */
function withUnseen(outcome: TurnOutcome, earlier: GovernedParts, later: GovernedParts): TurnOutcome {
  if (earlier.decisions.length + later.decisions.length === 0) return outcome;
  const own = outcome.kind === "blocked" ? outcome.block.verdict : outcome.verdict;
  const decisions = [...earlier.decisions, ...own.decisions, ...later.decisions];
  if (outcome.kind === "blocked") return { ...outcome, block: blockWith(outcome.block, decisions) };
  if (later.block !== undefined) return { ...outcome, kind: "blocked", block: blockWith(later.block, decisions) };
  return { ...outcome, verdict: { ...outcome.verdict, decisions } };
}

function requestOf(turn: GuardedTurn, tools: readonly string[]): AnswerRequest<Answer> {
  const { input, responder, main, asksAhead, stream, writeText, emitText, knowsResults } = turn;
  const { events = [] } = turn;
  const messages = [...events, ...toTurnMessages(input)];
  const pending = input.pending.map((index) => index + events.length);
  return { messages, pending, responder, main, asksAhead, stream, writeText, emitText, tools, knowsResults };
}

function withDelegated(outcome: AnswerOutcome<Answer>, tools: readonly string[]): TurnOutcome {
  if (outcome.turn === undefined) return outcome;
  const { calls, events } = delegatedOf(outcome.turn, tools);
  if (calls.length === 0 && events.length === 0) return outcome;
  if (outcome.kind === "blocked") return { ...outcome, calls };
  const { verdict } = outcome;
  const emitted = events.length === 0 ? {} : { events };
  return { ...outcome, calls, verdict: { ...verdict, decisions: signCalls(verdict.decisions, calls), ...emitted } };
}

/** A message that only asks for tools has no text, and no text takes its place. */
function onlyAsksForTools({ text, message }: Answer): boolean {
  return text === "" && message !== undefined && readToolCalls(message).length > 0;
}

function reviewCalls(
  { call, input, tools, strip }: GuardedTurn,
  outcome: TurnOutcome & { readonly kind: "answer" },
): Promise<TurnOutcome> | TurnOutcome {
  const { answer, verdict } = outcome;
  const reviewing = reviewCallers(answer, call, () => ({ userText: userTextOf(input), tools, strip }));
  if (!(reviewing instanceof Promise)) return outcome;
  return reviewing.then((review): TurnOutcome => {
    if (review.decisions.length === 0) return outcome;
    const decisions = [...verdict.decisions, ...review.decisions];
    if (review.block !== undefined) return { ...outcome, kind: "blocked", block: blockWith(review.block, decisions) };
    return { ...outcome, verdict: { ...verdict, decisions }, answer: withCalls(answer, review) };
  });
}

/** Reads the user's side of a value for one call: its variables are set, and its history is checked. */
export function readGuardedInput(
  value: unknown,
  call: GuardedCall,
  options: UserInputOptions = {},
): Promise<UserInput> {
  return openInput(
    readUserInput(value, { ...options, trustedKeys: options.trustedKeys ?? call.host.trustedKeys }),
    call,
  );
}

/**
 * Sets the variables of an input and checks its earlier messages, as the option `history` says: what a rail masked in an
 * earlier turn comes again with every request that sends the conversation again.
 */
export async function openInput(input: UserInput, call: GuardedCall): Promise<UserInput> {
  if (Object.keys(input.variables).length > 0) call.conversation.assign(input.variables);
  if (call.host.history === "trust") return input;
  const lists = [input.messages.slice(0, input.pending[0] ?? 0), ...input.histories].filter(({ length }) => length > 0);
  if (lists.length === 0) return input;
  const refused = new Set(lists.flatMap((list) => refusedMessages(list, call)));
  const users = lists.flat().filter((message) => roleOf(message) === "user" && !refused.has(message));
  const texts = new Set(users.map((message) => wholeText(message)).filter((text) => text !== ""));
  const reviewed = await call.conversation.history([...texts], call.host.history);
  if (refused.size === 0 && reviewed.size === 0) return input;
  return input.edited((message) => {
    if (refused.has(message)) return hiddenMessage(message);
    const text = roleOf(message) === "user" ? wholeText(message) : "";
    if (!reviewed.has(text)) return message;
    const left = reviewed.get(text);
    return left === undefined ? hiddenMessage(message) : rewriteWhole(message, left);
  });
}

/** Messages that a refusal of this runtime answered. Around a chain of texts a refusal carries no verdict. */
function refusedMessages(list: readonly BaseMessage[], { conversation }: GuardedCall): readonly BaseMessage[] {
  const isRefusal = (message: BaseMessage): boolean =>
    verdictOf(message) === undefined && conversation.isRefusal(extractText(message));
  const refused = indexesRefused(list, isRefusal, roleOf);
  return list.filter((_, index) => refused.has(index));
}

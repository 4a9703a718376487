import { andThen, type MaybePromise } from "../../engine/async.js";
import type { BaseMessage } from "@langchain/core/messages";
import { type RailDecision, hasStatus, summarizeDecisions, blockWith } from "../../turn/decision.js";
import type { StageReview } from "../../rails/stage-check.js";
import { blocked, type Review } from "../../runtime/review.js";
import { subjectOf, respondToInput } from "../../runtime/guarded-response.js";
import { runAndClose, type GuardedCall } from "../call.js";
import { shapeError } from "../shape-error.js";
import { type CallSettings, type CallsReview, reviewToolCalls } from "../tools/tool-review.js";
import {
  keyOfResponse,
  readToolCalls,
  announceDelegated,
  type DelegatedCall,
  delegatedOf,
  signCalls,
  toolNames,
} from "../tools/tool-calls.js";
import { type BotResponse, type Caller, withoutUnreadReasoning } from "../values/response.js";
import { isMessage, isObject, roleOf } from "../values/message-kinds.js";
import {
  rewriteMessages,
  toHistory,
  toPendingTexts,
  wholeTexts,
  toTurnMessages,
  userTextOf,
  readUserInput,
} from "../values/read-user-input.js";
import type { UserInput, UserInputOptions } from "../values/input-object.js";
import { hiddenMessage, indexesRefused, verdictOf } from "../verdict.js";
import type { GuardedTurnOutcome, TurnRequest } from "../../runtime/responder.js";
import type { TurnMessage } from "../../turn/options.js";
import { hideValues } from "../values/restore.js";
import { type GovernedParts, governInput, governParts, hideEarlierParts, NO_PARTS } from "./unseen-parts.js";
import { rewriteWhole, wholeText } from "../values/message-extras.js";
import { extractText } from "../values/content.js";
import { isMediaKind } from "../values/media.js";
import { withoutEscapes } from "../values/escaped-text.js";

export type { Review };

const TOOL_CALL_HINT = "wrap the model that asks for tools itself, or leave the arguments as they are";

/**
 * Checks all messages of the user's side since the last response, including tool results.
 *
 * @param seen - indexes of pending messages that rails have already checked
 */
export function reviewInput(input: UserInput, call: GuardedCall, seen?: ReadonlySet<number>): MaybePromise<Review> {
  const governed = governInput(call, input, seen);
  return andThen<GovernedParts, Review>(governed, (unseen) => {
    const pending = toPendingTexts(input, seen);
    if (unseen.block !== undefined) {
      const texts = pending.map(({ text }) => text);
      return blocked(texts, unseen.block, 0);
    }
    const reviewing = call.conversation.input(pending, toHistory(input));
    return andThen(reviewing, (review) => withDecisions(review, unseen.decisions));
  });
}

/** Returns the review with earlier decisions of the same call in its verdict. */
export function withDecisions<Reviewed extends Review>(review: Reviewed, earlier: readonly RailDecision[]): Reviewed {
  if (earlier.length === 0) return review;
  const decisions = [...earlier, ...review.verdict.decisions];
  if (review.block === undefined) return { ...review, verdict: { ...review.verdict, decisions } };
  const block = blockWith(review.block, decisions);
  return { ...review, verdict: block.verdict, block };
}

export interface ResponseReview extends Review {
  /** The reviewed response, except for its text. */
  readonly response: BotResponse;
}

/** Reviews a response by the output rails, and its tool calls by the tool rails. */
export async function reviewResponse(
  original: BotResponse,
  call: GuardedCall,
  options: CallSettings & { readonly session?: StageReview | undefined } = {},
): Promise<ResponseReview> {
  const { conversation } = call;
  const isRead = conversation.readsReasoning || !conversation.guards("output");
  const response = isRead ? original : withoutUnreadReasoning(original);
  const unseen = await governParts(call, "output", () => response.unseen?.() ?? []);
  if (unseen.block !== undefined) {
    options.session?.close();
    return { ...blocked([response.text], unseen.block), response };
  }
  const subject = subjectOf(response, conversation.readsReasoning);
  const review = withDecisions(await conversation.output(subject, options.session, response.parts), unseen.decisions);
  if (review.block !== undefined) return { ...review, response };
  const reasoned = replaceReasoning(response, review.reasoning);
  const calls = await reviewCallers(response, call, () => ({ userText: response.userText, ...options }));
  if (calls.decisions.length === 0) return { ...review, response: reasoned };
  const decisions = [...review.verdict.decisions, ...calls.decisions];
  const checked = withCalls(reasoned, calls);
  if (calls.block !== undefined) {
    const block = blockWith(calls.block, decisions);
    return { ...review, status: "blocked", verdict: block.verdict, block, response: checked };
  }
  const modified = hasStatus(decisions, "modified");
  const status = review.status === "passed" && modified ? "modified" : review.status;
  return { ...review, status, verdict: summarizeDecisions(decisions, false), response: checked };
}

/** Returns the response with the reasoning that the rails left; unchanged if they did not review it. */
function replaceReasoning(response: BotResponse, reasoning: string | undefined): BotResponse {
  return reasoning === undefined || reasoning === response.reasoning()
    ? response
    : response.replaceReasoning(reasoning);
}

/** Reviews of the calls in each message with tool calls, by its index. */
interface CallersReview extends Omit<CallsReview, "apply"> {
  readonly applied: ReadonlyMap<number | undefined, NonNullable<CallsReview["apply"]>>;
}

/** INVARIANT: the receiver of the response may run the calls of every message in it, so all of them are reviewed. */
function reviewCallers(
  { message, callers = message === undefined ? [] : [{ message }] }: BotResponse,
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

/** @throws InputShapeError if a changed call cannot be put back into the response */
function withCalls(response: BotResponse, { applied }: CallersReview): BotResponse {
  if (applied.size === 0) return response;
  const change = (value: unknown, depth = 0): unknown => {
    const applyToMessage = applied.get(undefined);
    if (isMessage(value) && applyToMessage !== undefined) return applyToMessage(value);
    if (Array.isArray(value) && value.every((_, index) => !applied.has(index) || isMessage(value[index]))) {
      return value.map((item: unknown, index) => applied.get(index)?.(item as BaseMessage) ?? item);
    }
    if (isObject(value) && depth === 0) {
      const key = keyOfResponse(value);
      if (key !== undefined) return { ...value, [key]: change(value[key], 1) };
    }
    throw shapeError("expected a message for a tool call that a rail changed", value, TOOL_CALL_HINT);
  };
  return { ...response, rewrite: (text) => change(response.rewrite(text)) };
}

/** Outcome of a guarded turn. */
export type TurnOutcome = GuardedTurnOutcome<BotResponse> & {
  /** Tool calls of flows; none in a blocked turn. */
  readonly calls?: readonly DelegatedCall[];
};

export interface GuardedTurn extends Omit<TurnRequest<BotResponse>, "messages" | "pending" | "tools"> {
  readonly call: GuardedCall;
  readonly input: UserInput;
  /** Events that the caller sends with the input. */
  readonly events?: readonly TurnMessage[];
  /** Tools offered to the model. */
  readonly tools?: readonly unknown[] | undefined;
  /** Keep blocked calls in the response without their arguments, instead of refusing the response. */
  readonly strip?: boolean | undefined;
  /** True if calls are the requested form of the response: output rails read them, and no tool runs. */
  readonly callsAreResponses?: boolean | undefined;
}

/** Runs one turn around a responder and its tools. */
export async function takeGuardedTurn(turn: GuardedTurn): Promise<TurnOutcome> {
  const { call, input, events = [], tools = [] } = turn;
  const governed = governInput(call, input);
  const unseen = governed instanceof Promise ? await governed : governed;
  if (unseen.block !== undefined)
    return { kind: "blocked", block: unseen.block, blockedAt: 0, texts: wholeTexts(input) };
  const names = toolNames(tools);
  const messages = [...events, ...toTurnMessages(input)];
  const pending = input.pending.map((index) => index + events.length);
  // Written out, since a spread in each call sets the keys one by one.
  const answered = await respondToInput(call.conversation, {
    messages,
    pending,
    tools: names,
    responder: turn.responder,
    main: turn.main,
    isSideEffectFree: turn.isSideEffectFree,
    stream: turn.stream,
    writeText: turn.writeText,
    emitText: turn.emitText,
    knowsResults: turn.knowsResults,
    saysNothing: hasNoText,
  });
  const taken = withDelegated(answered, names);
  if (taken !== answered && taken.turn !== undefined) await announceDelegated(taken.turn, call.announce);
  const parts = answered.kind === "response" ? answered.response.unseen : undefined;
  const governing = parts === undefined ? NO_PARTS : governParts(call, "output", parts);
  const later = governing instanceof Promise ? await governing : governing;
  const outcome = withUnseen(withRetrieved(taken, call.retrieved), unseen, later);
  if (outcome.kind === "utterance") return outcome.text.includes("\\") ? reviewUnescaped(outcome, turn) : outcome;
  if (outcome.kind !== "response") return outcome;
  const response = replaceReasoning(outcome.response, outcome.reasoning);
  const text = hasNoText(response) ? response.text : outcome.text;
  const reasoned = response === outcome.response && text === outcome.text ? outcome : { ...outcome, text, response };
  return turn.callsAreResponses === true ? reasoned : reviewCalls(turn, reasoned);
}

/** Returns true for a message of tool calls or media alone: it stays without a text, and there is none to review. */
function hasNoText({ text, message, unseen = () => [] }: BotResponse): boolean {
  if (text.trim() !== "" || message === undefined) return false;
  return readToolCalls(message).length > 0 || unseen().some(({ kind }) => isMediaKind(kind));
}

/** Reviews a bot message without escapes of JSON; a response has them in its text. The turn is over. */
function reviewUnescaped(
  outcome: TurnOutcome & { readonly kind: "utterance" },
  { call, input }: GuardedTurn,
): MaybePromise<TurnOutcome> {
  const decoded = withoutEscapes(outcome.text);
  if (decoded === undefined || !call.conversation.guards("output")) return outcome;
  return runAndClose(call.with({}), async (turnCall): Promise<TurnOutcome> => {
    const review = await turnCall.conversation.output({ botMessage: decoded, userMessage: userTextOf(input) });
    const decisions = [...outcome.verdict.decisions, ...review.verdict.decisions];
    if (review.block !== undefined) return { ...outcome, kind: "blocked", block: blockWith(review.block, decisions) };
    const [text = decoded] = review.texts;
    const verdict = { ...outcome.verdict, decisions };
    return text === decoded ? { ...outcome, verdict } : { ...outcome, text, verdict };
  });
}

/** The outcome with the decisions on evidence, before those on the response. */
function withRetrieved(outcome: TurnOutcome, retrieved: readonly RailDecision[]): TurnOutcome {
  if (retrieved.length === 0) return outcome;
  return changeDecisions(outcome, (decisions) => {
    const at = decisions.findIndex(({ stage }) => stage === "output");
    return decisions.toSpliced(at === -1 ? decisions.length : at, 0, ...retrieved);
  });
}

/** The outcome with the decisions about unreadable parts of input and response. */
function withUnseen(outcome: TurnOutcome, earlier: GovernedParts, later: GovernedParts): TurnOutcome {
  if (earlier.decisions.length + later.decisions.length === 0) return outcome;
  const complete = changeDecisions(outcome, (decisions) => [...earlier.decisions, ...decisions, ...later.decisions]);
  if (complete.kind === "blocked" || later.block === undefined) return complete;
  return { ...complete, kind: "blocked", block: blockWith(later.block, complete.verdict.decisions) };
}

function changeDecisions(
  outcome: TurnOutcome,
  change: (decisions: readonly RailDecision[]) => readonly RailDecision[],
): TurnOutcome {
  if (outcome.kind === "blocked") {
    return { ...outcome, block: blockWith(outcome.block, change(outcome.block.verdict.decisions)) };
  }
  return { ...outcome, verdict: { ...outcome.verdict, decisions: change(outcome.verdict.decisions) } };
}

function withDelegated(outcome: GuardedTurnOutcome<BotResponse>, tools: readonly string[]): TurnOutcome {
  if (outcome.turn === undefined) return outcome;
  const { calls, events } = delegatedOf(outcome.turn, tools);
  if (calls.length === 0 && events.length === 0) return outcome;
  if (outcome.kind === "blocked") return { ...outcome, calls };
  const { verdict } = outcome;
  const emitted = events.length === 0 ? {} : { events };
  return { ...outcome, calls, verdict: { ...verdict, decisions: signCalls(verdict.decisions, calls), ...emitted } };
}

function reviewCalls(
  { call, input, tools, strip }: GuardedTurn,
  outcome: TurnOutcome & { readonly kind: "response" },
): Promise<TurnOutcome> | TurnOutcome {
  const { response, verdict } = outcome;
  const reviewing = reviewCallers(response, call, () => ({ userText: userTextOf(input), tools, strip }));
  if (!(reviewing instanceof Promise)) return outcome;
  return reviewing.then((review): TurnOutcome => {
    if (review.decisions.length === 0) return outcome;
    const decisions = [...verdict.decisions, ...review.decisions];
    if (review.block !== undefined) return { ...outcome, kind: "blocked", block: blockWith(review.block, decisions) };
    return { ...outcome, verdict: { ...verdict, decisions }, response: withCalls(response, review) };
  });
}

/** Reads the user's side of a value for one call, sets its variables and checks its history. */
export function readGuardedInput(
  value: unknown,
  call: GuardedCall,
  options: UserInputOptions = {},
): MaybePromise<UserInput> {
  return openInput(
    readUserInput(value, { ...options, trustedKeys: options.trustedKeys ?? call.host.trustedKeys }),
    call,
  );
}

const NO_TEXTS: ReadonlyMap<string, string | undefined> = new Map();

/**
 * Sets the variables of an input and checks its earlier messages according to the option `history`: text that a rail
 * masked in an earlier turn returns unmasked when the conversation is sent again.
 */
export function openInput(input: UserInput, call: GuardedCall): MaybePromise<UserInput> {
  if (Object.keys(input.variables).length > 0) call.conversation.assign(input.variables);
  const { messages, pending, histories } = input;
  if (call.host.history === "trust" || (pending[0] === 0 && histories.length === 0)) return input;
  const lists = [messages.slice(0, pending[0] ?? 0), ...histories].filter(({ length }) => length > 0);
  return lists.length === 0 ? input : reviewHistory(input, call, lists);
}

/** Messages of an input as the model receives them, with the pending texts as the rails left them. */
export function sentMessages(input: UserInput, texts: readonly string[], call: GuardedCall): readonly BaseMessage[] {
  return sentValue(rewriteMessages(input, texts), call);
}

/** Returns a value as the model receives it: values in assistant messages are replaced by their pseudonyms. */
export function sentValue<Value>(value: Value, { conversation }: GuardedCall): Value {
  const { table } = conversation.pseudonyms;
  // The shape is unchanged: only texts change.
  return table === undefined ? value : (hideValues(value, table) as Value);
}

async function reviewHistory(
  input: UserInput,
  call: GuardedCall,
  lists: readonly (readonly BaseMessage[])[],
): Promise<UserInput> {
  const { conversation, host } = call;
  // A refusal of this runtime answered these messages. In a chain of texts, a refusal carries no verdict.
  const isRefusal = (message: BaseMessage): boolean =>
    verdictOf(message) === undefined && conversation.isRefusal(extractText(message));
  const refused = new Set<BaseMessage | undefined>();
  if (conversation.hasRefused) {
    for (const list of lists) for (const at of indexesRefused(list, isRefusal, roleOf)) refused.add(list[at]);
  }
  const texts = new Set<string>();
  if (conversation.reviewsHistory(host.history)) {
    for (const message of lists.flat()) {
      if (roleOf(message) === "user" && !refused.has(message)) texts.add(wholeText(message));
    }
    texts.delete("");
  }
  const reviewed = await conversation.history([...texts], host.history);
  if (host.history === "review") {
    for (const list of lists) {
      const shown = list.filter(
        (message) =>
          !refused.has(message) &&
          (!reviewed.has(wholeText(message)) || reviewed.get(wholeText(message)) !== undefined),
      );
      for (const message of await hideEarlierParts(call, shown)) refused.add(message);
    }
  }
  const responses = conversation.pseudonyms.isUsed
    ? lists.flatMap((list) =>
        list.filter((message) => roleOf(message) === "assistant").map((message) => wholeText(message)),
      )
    : [];
  const hidden =
    responses.length === 0 ? NO_TEXTS : await conversation.pseudonyms.replaceEarlier([...new Set(responses)]);
  if (refused.size === 0 && reviewed.size === 0 && hidden.size === 0) return input;
  return input.edited((message) => {
    if (refused.has(message)) return hiddenMessage(message);
    if (roleOf(message) === "assistant" && hidden.has(wholeText(message))) {
      const left = hidden.get(wholeText(message));
      return left === undefined ? hiddenMessage(message) : rewriteWhole(message, left);
    }
    const text = roleOf(message) === "user" ? wholeText(message) : "";
    if (!reviewed.has(text)) return message;
    const left = reviewed.get(text);
    return left === undefined ? hiddenMessage(message) : rewriteWhole(message, left);
  });
}

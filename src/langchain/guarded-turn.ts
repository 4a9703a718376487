import type { RunnableConfig } from "@langchain/core/runnables";
import { Cancellation } from "../engine/cancellation.js";
import type { LanguageModel } from "../llm/model.js";
import type { GuardrailsMetadata } from "../turn/decision.js";
import type { AnswerReview, Generator, GeneratorRequest, TellWords, TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { StreamPlan } from "../turn/stream-plan.js";
import type { Answer } from "./values/answer.js";
import type { Block } from "./blocked.js";
import type { GuardedCall } from "./call.js";
import { announceHandedOut, type HandedOutCall, handedOutOf, signCalls } from "./handed-out.js";
import type { Host } from "./host.js";
import type { Upstream } from "./streaming/upstream.js";
import { reviewsReasoning } from "./values/reasoning.js";
import { openReview, rethink, reviewAnswer, reviewInput } from "./review.js";
import { readToolCalls } from "./tool-calls.js";
import { endsWithToolResult, pendingTexts, toTurnMessages, type UserInput } from "./values/user-input.js";
import { announceDecisions, withoutQuotes } from "./verdict.js";

/**
 * Asks the guarded thing, with the user's texts as the input rails left them. With a review, what it says may be handed on
 * part by part.
 */
export interface Ask {
  (
    texts: readonly string[],
    config: RunnableConfig,
    review?: AnswerReview,
    /** What `open` gave for the same texts; only read with a review. */
    opened?: Promise<Upstream>,
  ): Promise<Answer>;
  /** Opens the stream of an answer; absent where the caller reads none. */
  readonly open?: ((texts: readonly string[], config: RunnableConfig) => Promise<Upstream>) | undefined;
}

/** What was begun beside the input rails: a whole answer, or the stream of one. */
type Begun = { readonly answer: Promise<Answer> } | { readonly upstream: Promise<Upstream> };

/** How a turn ended: the guarded thing's answer, a text of a flow, or a block. */
export type TurnOutcome = TurnEnd & {
  /** What the runtime told of the turn; absent where a tool's result was answered. */
  readonly turn?: TurnResult;
  /** Calls of tools that flows ask for; none in a turn that was blocked. */
  readonly calls?: readonly HandedOutCall[];
};

type TurnEnd =
  | { readonly kind: "answer"; readonly answer: Answer; readonly text: string; readonly verdict: GuardrailsMetadata }
  | { readonly kind: "spoken"; readonly text: string; readonly verdict: GuardrailsMetadata }
  | {
      readonly kind: "blocked";
      readonly block: Block;
      readonly answer?: Answer | undefined;
      readonly blockedAt?: number | undefined;
    };

export interface GuardedTurn {
  readonly host: Host;
  readonly input: UserInput;
  readonly call: GuardedCall;
  readonly main?: LanguageModel | undefined;
  /** Absent when the configuration's own prompts answer. */
  readonly ask?: Ask | undefined;
  /** Whether asking changes nothing, so that it may begin before the input rails have decided. */
  readonly asksAhead?: boolean;
  /** Set when the caller reads a stream. */
  readonly stream?: StreamPlan | undefined;
  /** Hands on what the configuration's own prompts say, when the caller reads a stream. */
  readonly tell?: TellWords | undefined;
  /** Hands on what flows say, when the caller reads a stream. */
  readonly say?: TurnOptions["say"];
  /** Names of the tools that the caller can run. */
  readonly tools?: readonly string[] | undefined;
}

/** One turn around something that answers: input rails, flows, the answer, output rails. */
export function takeGuardedTurn(turn: GuardedTurn): Promise<TurnOutcome> {
  // A tool's result is content to check but no utterance, so no flow may answer it that has not asked for it.
  if (turn.ask !== undefined && turn.input.hasAwaited !== true && endsWithToolResult(turn.input))
    return takeToolTurn({ ...turn, ask: turn.ask });
  return takeFullTurn(turn);
}

async function takeFullTurn(turn: GuardedTurn): Promise<TurnOutcome> {
  const { host, input, call, main, ask, asksAhead, stream, tell, say, tools } = turn;
  let answer: Answer | undefined;
  let failure: { readonly error: unknown } | undefined;
  const reviews = reviewsReasoning(host);
  const make = async (request: GeneratorRequest): Promise<Answer> => {
    if (ask === undefined) throw new TypeError("there is nothing to ask");
    const { config, signal, review } = request;
    const begun = request.begun as Begun | undefined;
    if (begun !== undefined && "answer" in begun) return begun.answer;
    return ask(textsOf(input, request), { ...config, signal }, review, review && begun?.upstream);
  };
  const begin = (request: GeneratorRequest): Begun | undefined => {
    const { config, signal, streams } = request;
    return ask && beginAsking(ask, textsOf(input, request), { ...config, signal }, streams === true);
  };
  const answering = async (request: GeneratorRequest) => {
    try {
      // INVARIANT: of what was begun and never asked for, neither answer nor failure is heard of.
      answer = await make(request);
      const { text, value, relevantChunks, sources } = answer;
      return { text, value, relevantChunks, sources, ...(reviews ? { reasoning: answer.reasoning() } : {}) };
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const generator: Generator = asksAhead === true ? Object.assign(answering, { begin }) : answering;
  // New keys go first: behind a spread they give each object a hidden class of its own.
  const telling = tell === undefined ? call.options : { tell, say, stream, ...call.options };
  const asking = ask === undefined ? telling : { generator, stream, say, ...call.options };
  const answered = main === undefined ? asking : { main, ...asking };
  const options = tools === undefined || tools.length === 0 ? answered : { tools, ...answered };
  const result = await settle(host.runtime.turn(toTurnMessages(input), options), () => failure);
  const thoughts = reviews ? answer?.reasoning() : undefined;
  const looked = [...pendingTexts(input), answer?.text, thoughts, ...(answer?.parts ?? [])];
  const decisions = withoutQuotes(result.decisions, looked);
  await announceDecisions(decisions, call.announce);
  await announceHandedOut(result, call.announce);
  const { calls, events } = handedOutOf(result, tools ?? []);
  const told = events.length === 0 ? {} : { events };
  const signed = { decisions: signCalls(decisions, calls), ...told };
  return { turn: result, calls, ...conclude(result, signed, answer, thoughts) };
}

/** INVARIANT: what the guarded thing threw reaches the caller as it is, and never as an answer. */
async function settle<Result>(
  running: Promise<Result>,
  failure: () => { readonly error: unknown } | undefined,
): Promise<Result> {
  try {
    const result = await running;
    const failed = failure();
    if (failed !== undefined) throw failed.error;
    return result;
  } catch (error) {
    const failed = failure();
    throw failed === undefined ? error : failed.error;
  }
}

/** @param thoughts - of the answer, where the output rails should have looked at them */
function conclude(
  result: TurnResult,
  { decisions, ...events }: Pick<GuardrailsMetadata, "decisions" | "events">,
  answer: Answer | undefined,
  thoughts = "",
): TurnEnd {
  const verdict: GuardrailsMetadata = { ...result.verdict, decisions };
  if (result.status === "blocked" || result.status === "exception") {
    const block = { refusal: result.text, exception: result.exception, verdict: { ...verdict, blocked: true } };
    return { kind: "blocked", block, answer };
  }
  const sources = result.sources?.filter(({ title, file }) => title !== "" || file !== "") ?? [];
  const told = { ...verdict, ...events, ...(sources.length === 0 ? {} : { sources }) };
  if (result.generated !== undefined && answer !== undefined && result.generated.value === answer.value) {
    // A message that only asks for tools says nothing, and nothing has to be said in its place.
    const isSilent = answer.text === "" && answer.message !== undefined && readToolCalls(answer.message).length > 0;
    // INVARIANT: where a flow has led the answer past its rails, no thought leaves that they should have seen.
    const unseen = thoughts !== "" && decisions.some(({ stage }) => stage === "output") ? "" : undefined;
    const rethought = rethink(answer, result.reasoning ?? unseen);
    return { kind: "answer", answer: rethought, text: isSilent ? "" : result.text, verdict: told };
  }
  return { kind: "spoken", text: result.text, verdict: told };
}

async function takeToolTurn(turn: GuardedTurn & { readonly ask: Ask }): Promise<TurnOutcome> {
  const own = Cancellation.following(turn.call.config.signal);
  try {
    return await takeToolTurnUnder(own, turn);
  } finally {
    own.release();
  }
}

/** @param own - ends a question that was asked ahead */
async function takeToolTurnUnder(own: Cancellation, turn: GuardedTurn & { readonly ask: Ask }): Promise<TurnOutcome> {
  const { host, input, call, ask } = turn;
  const ahead = turn.asksAhead === true && host.runtime.asksAhead(call.options) ? askAhead(own, turn) : undefined;
  const before = await reviewInput(host, input, call).catch((error: unknown) => {
    ahead?.giveUp();
    throw error;
  });
  if (before.block) {
    ahead?.giveUp();
    return { kind: "blocked", block: before.block, blockedAt: before.blockedAt };
  }
  const session = openReview(host, call, turn.stream);
  const asked = ahead?.answerTo(before.texts, session?.review) ?? ask(before.texts, call.config, session?.review);
  const answer = await asked.catch((error: unknown) => {
    session?.close();
    throw error;
  });
  const after = await reviewAnswer(host, answer, call, session);
  const decisions = [...before.verdict.decisions, ...after.verdict.decisions];
  if (after.block) {
    return { kind: "blocked", block: { ...after.block, verdict: { ...after.block.verdict, decisions } }, answer };
  }
  const rethought = rethink(answer, after.reasoning);
  return { kind: "answer", answer: rethought, text: after.texts[0] ?? "", verdict: { ...after.verdict, decisions } };
}

/** Its stream, where it is going to be read as one; else the whole answer. */
function beginAsking(ask: Ask, texts: readonly string[], config: RunnableConfig, streams: boolean): Begun {
  if (!streams || ask.open === undefined) {
    const answer = ask(texts, config);
    answer.catch(() => undefined);
    return { answer };
  }
  // A stream that nobody reads learns of its end only when it is left; one that has not begun, by a signal of its own.
  const own = new Cancellation();
  let opened: Upstream | undefined;
  const upstream = ask.open(texts, { ...config, signal: own.signal }).then((stream) => {
    // It may have begun although its signal had fired.
    if (own.aborted) stream.leave();
    return (opened = stream);
  });
  upstream.catch(() => undefined);
  // The signal is that of this one question and ends with it.
  const outer = Cancellation.following(config.signal);
  outer.onAbort(() => (opened === undefined ? own.abort(outer.reason) : opened.leave()));
  return { upstream };
}

/** The question as it is now, asked before its rails have decided. */
function askAhead(own: Cancellation, { input, call, ask, stream }: GuardedTurn & { readonly ask: Ask }) {
  const texts = pendingTexts(input);
  const config = { ...call.config, signal: own.signal };
  const begun = beginAsking(ask, texts, config, stream !== undefined);
  const giveUp = (): void => own.abort(new DOMException("the answer is not needed", "AbortError"));
  return {
    giveUp,
    /** Undefined when the rails left other texts, or a stream has to be read as a whole: then it is asked anew. */
    answerTo(left: readonly string[], review: AnswerReview | undefined): Promise<Answer> | undefined {
      if (left.length === texts.length && left.every((text, index) => text === texts[index])) {
        if ("answer" in begun) return begun.answer;
        if (review !== undefined) return ask(texts, config, review, begun.upstream);
      }
      giveUp();
      return undefined;
    },
  };
}

function textsOf(input: UserInput, request: GeneratorRequest): readonly string[] {
  const pending = pendingTexts(input);
  if (request.userMessages?.length === pending.length) return request.userMessages;
  return request.rewritten ? [...pending.slice(0, -1), request.userMessage] : pending;
}

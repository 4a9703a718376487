import type { RunnableConfig } from "@langchain/core/runnables";
import type { LanguageModel } from "../llm/model.js";
import type { GuardrailsMetadata, RailDecision } from "../runtime/decision.js";
import type { AnswerReview, Generator, GeneratorRequest } from "../runtime/options.js";
import type { TurnResult } from "../runtime/result.js";
import type { StreamPlan } from "../runtime/streaming/stream-plan.js";
import type { Answer } from "./answer.js";
import type { Block } from "./blocked.js";
import type { GuardedCall } from "./call.js";
import type { Host } from "./host.js";
import { openReview, reviewAnswer, reviewInput } from "./review.js";
import { readToolCalls } from "./tool-calls.js";
import { endsWithToolResult, pendingTexts, toTurnMessages, type UserInput } from "./user-input.js";
import { announceDecisions, withoutQuotes } from "./verdict.js";

/**
 * Asks the guarded thing, with the user's texts as the input rails left them. With a review, what it says may be handed on
 * part by part.
 */
export type Ask = (texts: readonly string[], config: RunnableConfig, review?: AnswerReview) => Promise<Answer>;

/** How a turn ended: the guarded thing's answer, a text of a flow, or a block. */
export type TurnOutcome =
  | { readonly kind: "answer"; readonly answer: Answer; readonly text: string; readonly verdict: GuardrailsMetadata }
  | { readonly kind: "spoken"; readonly text: string; readonly verdict: GuardrailsMetadata }
  | { readonly kind: "blocked"; readonly block: Block; readonly answer?: Answer | undefined };

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
}

/** One turn around something that answers: input rails, flows, the answer, output rails. */
export function takeGuardedTurn(turn: GuardedTurn): Promise<TurnOutcome> {
  // A tool's result is content to check but no utterance, so no flow may answer it.
  if (turn.ask !== undefined && endsWithToolResult(turn.input)) return takeToolTurn({ ...turn, ask: turn.ask });
  return takeFullTurn(turn);
}

async function takeFullTurn({ host, input, call, main, ask, asksAhead, stream }: GuardedTurn): Promise<TurnOutcome> {
  let answer: Answer | undefined;
  let failure: { readonly error: unknown } | undefined;
  const begin = async (request: GeneratorRequest): Promise<Answer> => {
    if (ask === undefined) throw new TypeError("there is nothing to ask");
    return ask(textsOf(input, request), { ...request.config, signal: request.signal }, request.review);
  };
  const answering = async (request: GeneratorRequest) => {
    try {
      // INVARIANT: of what was begun and never asked for, neither answer nor failure is heard of.
      answer = await ((request.begun as Promise<Answer> | undefined) ?? begin(request));
      return { text: answer.text, value: answer.value, relevantChunks: answer.relevantChunks, sources: answer.sources };
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const generator: Generator = asksAhead === true ? Object.assign(answering, { begin }) : answering;
  const result = await settle(
    host.runtime.turn(toTurnMessages(input), {
      ...call.options,
      ...(main === undefined ? {} : { main }),
      ...(ask === undefined ? {} : { generator, stream }),
    }),
    () => failure,
  );
  const decisions = withoutQuotes(result.decisions, [...pendingTexts(input), answer?.text, ...(answer?.parts ?? [])]);
  await announceDecisions(decisions, call.announce);
  return conclude(result, decisions, answer);
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

function conclude(result: TurnResult, decisions: readonly RailDecision[], answer: Answer | undefined): TurnOutcome {
  const verdict: GuardrailsMetadata = { ...result.verdict, decisions };
  if (result.status === "blocked" || result.status === "exception") {
    const block = { refusal: result.text, exception: result.exception, verdict: { ...verdict, blocked: true } };
    return { kind: "blocked", block, answer };
  }
  const sources = result.sources?.filter(({ title, file }) => title !== "" || file !== "") ?? [];
  const told = sources.length === 0 ? verdict : { ...verdict, sources };
  if (result.generated !== undefined && answer !== undefined && result.generated.value === answer.value) {
    // A message that only asks for tools says nothing, and nothing has to be said in its place.
    const isSilent = answer.text === "" && answer.message !== undefined && readToolCalls(answer.message).length > 0;
    return { kind: "answer", answer, text: isSilent ? "" : result.text, verdict: told };
  }
  return { kind: "spoken", text: result.text, verdict: told };
}

async function takeToolTurn(turn: GuardedTurn & { readonly ask: Ask }): Promise<TurnOutcome> {
  const { host, input, call, ask } = turn;
  const ahead = turn.asksAhead === true && host.runtime.asksAhead(call.options) ? askAhead(turn) : undefined;
  const before = await reviewInput(host, input, call).catch((error: unknown) => {
    ahead?.giveUp();
    throw error;
  });
  if (before.block) {
    ahead?.giveUp();
    return { kind: "blocked", block: before.block };
  }
  const session = openReview(host, call, turn.stream);
  const answer = await (ahead?.answerTo(before.texts) ?? ask(before.texts, call.config, session?.review));
  const after = await reviewAnswer(host, answer, call, session);
  const decisions = [...before.verdict.decisions, ...after.verdict.decisions];
  if (after.block) {
    return { kind: "blocked", block: { ...after.block, verdict: { ...after.block.verdict, decisions } }, answer };
  }
  return { kind: "answer", answer, text: after.texts[0] ?? "", verdict: { ...after.verdict, decisions } };
}

/** The question as it is now, asked before its rails have decided. */
function askAhead({ input, call, ask }: GuardedTurn & { readonly ask: Ask }) {
  const own = new AbortController();
  const { signal: caller } = call.config;
  const signal = caller === undefined ? own.signal : AbortSignal.any([caller, own.signal]);
  const texts = pendingTexts(input);
  const answer = ask(texts, { ...call.config, signal });
  answer.catch(() => undefined);
  const giveUp = (): void => own.abort(new DOMException("the answer is not needed", "AbortError"));
  return {
    giveUp,
    /** Undefined when the rails left other texts: these have to be asked anew. */
    answerTo(left: readonly string[]): Promise<Answer> | undefined {
      if (left.length === texts.length && left.every((text, index) => text === texts[index])) return answer;
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

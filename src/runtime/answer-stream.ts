import type { GuardrailsEvent } from "../engine/events.js";
import { untilAborted } from "../engine/async.js";
import type { ParentSpan } from "../engine/span.js";
import { ReviewSession } from "../rails/review/review-session.js";
import type { LanguageModel } from "../llm/model.js";
import type { RailServices } from "../rails/services.js";
import type { GeneratedAnswer, Generator, WriteText } from "../turn/answer.js";
import type { ActionRun } from "./action-context.js";

/** A run in which an answer is made, as the reviewer of a stream needs it. */
export interface AnsweringRun {
  readonly services: RailServices;
  readonly run: ActionRun;
  /** Returns the context variables at this moment. */
  context(): Readonly<Record<string, unknown>>;
  /** Returns the events before the answer, as prompts of rails show them. */
  past(): readonly GuardrailsEvent[];
  /** Returns true once the bot has spoken in this turn, so that the answer is only a part of the text. */
  hasSpoken(): boolean;
  /** Returns all user texts without an answer so far, as the input rails left them. */
  userTexts(): readonly string[];
  /** Span of the action that answers, if the call is traced. */
  readonly span?: ParentSpan | undefined;
}

/**
 * Opens the review of the answer that is about to be made in a turn that streams. Undefined if it must be seen as a whole:
 * the plan, a rail or a flow of the configuration asks for that, or the bot has spoken in this turn already.
 *
 * @param updates - variables that change with the answer
 */
function openReview(
  answering: AnsweringRun,
  updates: Readonly<Record<string, unknown>> = {},
): ReviewSession | undefined {
  const { services, run } = answering;
  const { turn, config, cancellation } = run;
  const plan = turn.options.stream;
  if (plan === undefined || answering.hasSpoken()) return undefined;
  const context = { ...answering.context(), ...updates };
  const request = { turn, stage: "output", context, config, cancellation, past: () => answering.past() } as const;
  return ReviewSession.open(services, request, plan);
}

/**
 * Returns the writer through which an action emits text while a model writes it; undefined if the turn is not read as a
 * stream, or the answer must be seen as a whole. INVARIANT: a speculative run emits nothing: its text waits for the verdict.
 *
 * @param unlimited - takes the time limit off the action
 */
export function openWriter(answering: AnsweringRun, unlimited: (() => void) | undefined): WriteText | undefined {
  const { turn, scope, cancellation } = answering.run;
  const { writeText } = turn.options;
  if (writeText === undefined || scope === "rail" || openReview(answering) === undefined) return undefined;
  const { speculation } = turn;
  return async (words, updates) => {
    if (speculation?.isSpeculative === true)
      return untilAborted(new Promise<never>(() => undefined), cancellation.signal);
    const review = openReview(answering, updates);
    if (review === undefined) {
      let text = "";
      for await (const piece of words) text += piece;
      return text;
    }
    turn.answerReview = review;
    // The reader of the stream decides from here on how long it takes.
    unlimited?.();
    return writeText(words, review);
  };
}

/** Returns the wrapped chain or model as actions call it; undefined in a rail, which never answers with it. */
export function guardedGenerator(answering: AnsweringRun): Generator | undefined {
  const { services, run } = answering;
  const { turn } = run;
  const { generator } = turn.options;
  if (generator === undefined || run.scope === "rail") return undefined;
  // INVARIANT: an action stays on its side of the verdict, speculative or committed.
  const { speculation } = turn;
  return (request) => {
    turn.countModelCall();
    const review = openReview(answering);
    turn.answerReview = review;
    const asked = { userMessages: [...answering.userTexts()], ...request, ...(review === undefined ? {} : { review }) };
    const ask = (): Promise<GeneratedAnswer> => speculation?.answer(generator, asked) ?? generator(asked);
    const span = answering.span ?? turn.span;
    return (span === undefined ? ask() : askInSpan(span, turn.options.main, ask)).then((answer) => {
      turn.answered(answer, services.config.settings.rails.output.apply_to_reasoning_traces);
      return answer;
    });
  };
}

/** Name of the task of a wrapped chain or model in traces. */
const ANSWER_TASK = "answer";

/**
 * Asks the wrapped chain or model in a span of its own.
 *
 * @param model - the wrapped runnable, where it is a model itself
 */
export async function askInSpan<Answer extends { readonly text: string; readonly value?: unknown }>(
  parent: ParentSpan,
  model: LanguageModel | undefined,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const span = parent.start({ kind: "model", task: ANSWER_TASK, provider: model?.engine, model: model?.name });
  try {
    const answer = await span.run(ask);
    span.end({ text: answer.text, message: answer.value });
    return answer;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

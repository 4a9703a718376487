import type { GuardrailsEvent } from "../engine/events.js";
import { untilAborted } from "../engine/async.js";
import type { ParentSpan } from "../engine/span.js";
import { ReviewSession } from "../rails/review/review-session.js";
import { withMarkers } from "../rails/stage-outcome.js";
import type { LanguageModel } from "../llm/model.js";
import type { RailServices } from "../rails/services.js";
import type { GeneratedResponse, Generator, WriteText } from "../turn/response.js";
import type { ReviewedResponse } from "../turn/turn.js";
import type { ActionRun } from "./action-context.js";

/** The run that produces a response, as the reviewer of its stream needs it. */
export interface RespondingRun {
  readonly services: RailServices;
  readonly run: ActionRun;
  /** Returns the current context variables. */
  context(): Readonly<Record<string, unknown>>;
  /** Returns the events before the response, as prompts of rails show them. */
  past(): readonly GuardrailsEvent[];
  /** Returns true if the bot has spoken in this turn, so the response is only part of the text. */
  hasEmittedText(): boolean;
  /** Returns all unanswered user texts, as the input rails left them. */
  userTexts(): readonly string[];
  /** Span of the answering action, if the call is traced. */
  readonly span?: ParentSpan | undefined;
}

/**
 * Opens the review of a streamed response before it is generated. Undefined if the response must be reviewed whole: because
 * of the plan, a rail or a flow, or because the bot has already spoken in this turn.
 *
 * @param updates - variables that change with the response
 */
function openReview(
  responding: RespondingRun,
  updates: Readonly<Record<string, unknown>> = {},
): ReviewSession | undefined {
  const { services, run } = responding;
  const { turn, config, cancellation } = run;
  const plan = turn.options.stream;
  if (plan === undefined || responding.hasEmittedText()) return undefined;
  const context = { ...responding.context(), ...updates };
  const request = { turn, stage: "output", context, config, cancellation, past: () => responding.past() } as const;
  return ReviewSession.open(services, request, plan);
}

/**
 * Returns the writer through which an action emits a model's text as it is generated; undefined if the turn is not
 * streamed or the response must be reviewed whole. INVARIANT: a speculative run emits nothing: its text waits for the
 * verdict.
 *
 * @param unlimited - removes the action's time limit
 */
export function openWriter(responding: RespondingRun, unlimited: (() => void) | undefined): WriteText | undefined {
  const { turn, scope, cancellation } = responding.run;
  const { writeText } = turn.options;
  if (writeText === undefined || scope === "rail" || openReview(responding) === undefined) return undefined;
  const { speculation } = turn;
  return async (words, updates) => {
    if (speculation?.isSpeculative === true)
      return untilAborted(new Promise<never>(() => undefined), cancellation.signal);
    const review = openReview(responding, updates);
    if (review === undefined) {
      let text = "";
      for await (const piece of words) text += piece;
      return text;
    }
    turn.responseReview = review;
    // From here on the reader of the stream determines the duration.
    unlimited?.();
    return writeText(words, review);
  };
}

/** Returns the wrapped chain or model for actions; undefined in a rail, which never answers with it. */
export function guardedGenerator(responding: RespondingRun): Generator | undefined {
  const { services, run } = responding;
  const { turn } = run;
  const { generator } = turn.options;
  if (generator === undefined || run.scope === "rail") return undefined;
  // INVARIANT: an action stays on its side of the verdict, speculative or committed.
  const { speculation } = turn;
  return (request) => {
    turn.countModelCall();
    const review = openReview(responding);
    turn.responseReview = review;
    const asked = {
      userMessages: [...responding.userTexts()],
      ...request,
      ...(review === undefined ? {} : { review }),
    };
    const ask = (): Promise<GeneratedResponse> => speculation?.generate(generator, asked) ?? generator(asked);
    const span = responding.span ?? turn.span;
    return (span === undefined ? ask() : callInSpan(span, turn.options.main, ask)).then((response) => {
      turn.recordResponse(response, services.config.settings.rails.output.apply_to_reasoning_traces);
      if (response.saysNothing === true && turn.reasoning === undefined)
        turn.responseReview = reviewOfNothing(services, review);
      return response;
    });
  };
}

/** Review of a response without a text: flows see the text for an empty response, which no rail needs to read. */
function reviewOfNothing(services: RailServices, review: ReviewSession | undefined): ReviewedResponse {
  const { no_answer } = services.config.settings.messages;
  return {
    finishReasoning: () => false,
    outcomeFor: (text) => {
      const known = review?.outcomeFor(text);
      if (known !== undefined || text !== no_answer) return known;
      return withMarkers(services, "output", { blocked: false, entries: [] });
    },
  };
}

/** Name of the task of a wrapped chain or model in traces. */
const RESPONSE_TASK = "answer";

/**
 * Calls the wrapped chain or model in its own span.
 *
 * @param model - the wrapped runnable, if it is a model itself
 */
export async function callInSpan<BotResponse extends { readonly text: string; readonly value?: unknown }>(
  parent: ParentSpan,
  model: LanguageModel | undefined,
  ask: () => Promise<BotResponse>,
): Promise<BotResponse> {
  const { engine: provider, name, defaults: parameters } = model ?? {};
  const span = parent.start({ kind: "model", task: RESPONSE_TASK, provider, model: name, parameters });
  try {
    const response = await span.run(ask);
    span.end({ text: response.text, message: response.value });
    return response;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

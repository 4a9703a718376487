import type { RunnableConfig } from "@langchain/core/runnables";
import type { GuardrailsEvent } from "../engine/events.js";
import type { AnswerReview, GeneratedAnswer, Generator } from "./answer.js";
import type { LanguageModel } from "../llm/model.js";
import type { ExtraText } from "./extra-text.js";
import type { OptionRule, OptionTable } from "../diagnostics/options.js";
import { ALL_STAGES, type RailStage } from "./decision.js";
import type { StreamPlan } from "./stream-plan.js";
import type { BudgetSettings, LimitSettings } from "../config/settings.js";
import type { EngineLimits } from "../engine/limits.js";

export type { AnswerReview, GeneratedAnswer, Generator };

/** A message of the conversation for the runtime. */
export type TurnMessage =
  | { readonly role: "assistant" | "system"; readonly content: string }
  /** `extra`: lines that input rails read with the text of the user. */
  | { readonly role: "user"; readonly content: string; readonly extra?: ExtraText }
  | ToolTurnMessage
  | { readonly role: "context"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly role: "event"; readonly event: GuardrailsEvent };

/** The result of a tool. */
export interface ToolTurnMessage {
  readonly role: "tool";
  readonly content: string;
  /** Extra lines, such as those of an artifact. */
  readonly extra?: string | undefined;
  readonly toolCallId?: string;
  /** The tool failed, and the content says how. */
  readonly failed?: boolean;
  /** Rails have looked at it, so no other ones do. */
  readonly reviewed?: boolean;
  /** The call that it answers, as far as the conversation holds it. */
  readonly call?: { readonly tool: string; readonly args: unknown; readonly callId?: string | undefined };
}

/** Which rails run in a call: a boolean for a stage, or the names of its rails. */
export type RailSelection = Partial<Record<RailStage, boolean | readonly string[]>>;

/** Selects all rails of these stages, and none of the others. */
export function selectOnly(stages: readonly RailStage[]): RailSelection {
  return Object.fromEntries(ALL_STAGES.map((stage) => [stage, stages.includes(stage)]));
}

/** INVARIANT: a misspelt stage is an error. Ignored, it would turn rails on or off that the caller did not mean. */
export const RAIL_SELECTION = {
  options: Object.fromEntries(ALL_STAGES.map((stage) => [stage, "switch or names"])) as OptionTable<RailSelection>,
} satisfies OptionRule;

export interface LogOptions {
  /** Log the rails and flows that ran, with their actions and model calls. */
  readonly activatedRails?: boolean;
  /** Log the model calls, with prompts, completions and tokens. */
  readonly llmCalls?: boolean;
  /** Log the events of the engine. */
  readonly internalEvents?: boolean;
  /** Log the conversation as Colang. */
  readonly colangHistory?: boolean;
}

export const LOG_OPTIONS = {
  options: { activatedRails: "boolean", llmCalls: "boolean", internalEvents: "boolean", colangHistory: "boolean" },
} satisfies OptionRule & { readonly options: OptionTable<LogOptions> };

/**
 * Writes text of a model to the reader, as the review passes it. Resolves to all text that was read.
 *
 * @param pieces - pieces of the text; closing the iterator ends the model's call
 */
export type WriteReviewedText = (pieces: AsyncIterableIterator<string>, review: AnswerReview) => Promise<string>;

/** The options of one call. */
export interface TurnOptions {
  readonly rails?: RailSelection | undefined;
  readonly llmParams?: Readonly<Record<string, unknown>> | undefined;
  readonly llmOutput?: boolean | undefined;
  readonly outputVars?: true | readonly string[] | undefined;
  readonly log?: LogOptions | undefined;
  /** Record model calls and the history for the caller's explanation, whether `log` asks for them or not. */
  readonly explain?: boolean | undefined;
  /** Variables set before the turn. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** State of an earlier result; `{}` begins a conversation. Wins over `configurable.thread_id`. */
  readonly state?: unknown;
  /** Callbacks, tags, metadata, signal and `configurable.thread_id`. */
  readonly config?: RunnableConfig | undefined;
  /** Replaces the configured main model in this call (`wrap(model)`). */
  readonly main?: LanguageModel | undefined;
  /** Passthrough: answers instead of the message task (`wrap`). */
  readonly generator?: Generator | undefined;
  /** Names of the tools that the caller can run. An action that is delegated is asked for by the name of its tool. */
  readonly tools?: readonly string[] | undefined;
  /** Set when the caller reads a stream: the answer may then be handed on while it is made. */
  readonly stream?: StreamPlan | undefined;
  /** Writes the text that the configuration's own prompts generate, when the caller reads a stream. */
  readonly writeText?: WriteReviewedText | undefined;
  /** Receives each bot utterance of a flow at once, in order, when the caller reads a stream; the turn waits for it. */
  readonly emitText?: ((text: string) => Promise<void>) | undefined;
}

/** The bounds of a turn that a configuration asks for. */
export function turnLimits(settings: LimitSettings, { calls, tokens, milliseconds }: BudgetSettings): EngineLimits {
  const isBounded = calls !== null || tokens !== null || milliseconds !== null;
  const railBudget = {
    calls: calls ?? Number.POSITIVE_INFINITY,
    tokens: tokens ?? Number.POSITIVE_INFINITY,
    milliseconds: milliseconds ?? Number.POSITIVE_INFINITY,
  };
  return {
    railBudget: isBounded ? railBudget : undefined,
    eventsPerTurn: settings.events_per_turn,
    llmCallsPerTurn: settings.llm_calls_per_turn,
    slideSteps: settings.slide_steps,
    callDepth: settings.call_depth,
  };
}

import type { KnownFindings } from "../actions/known-findings.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { FlowReferenceParameter } from "../engine/flow-reference.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Span } from "../engine/span.js";
import type { MaybePromise, Cancellation } from "../engine/async.js";
import type { Entry, RailsStage, ToolStage, RailDecision } from "../turn/decision.js";
import type { VerdictDetails } from "../actions/action.js";
import type { LlmCallRecord } from "../llm/task/call-model.js";
import type { ExecutedAction } from "../turn/result.js";
import type { Turn } from "../turn/turn.js";

/** A rail to be run. */
export interface RailStart {
  readonly request: RailRequest;
  readonly flow: string;
  readonly parameters: readonly FlowReferenceParameter[];
  /** Child config for everything it calls. */
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
  readonly notes: RailNotes;
}

/** Result of the run of a rail. */
export interface RailRun {
  /** Variables after the run. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly isBlocked: boolean;
  readonly utterances: readonly string[];
  readonly exception?: GuardrailsEvent | undefined;
  /** Events for the conversation. */
  readonly entries: readonly Entry[];
}

/** Runs the rails of one dialect. Everything else about rails is independent of the dialect. */
export interface RailDialect {
  has(flow: string): boolean;
  readonly names: Iterable<string>;
  /** Returns the stage that a rail is written for, by the library or by the texts it reads; undefined if unknown. */
  stageOf(reference: string): RailsStage | ToolStage | undefined;
  /** Returns true for a rail that compares a text with evidence. */
  needsEvidence(reference: string): boolean;
  /** Returns how much of a streamed response a listed output rail must see at once. */
  scopeOf(reference: string): RailScope;
  /** Returns true if a listed output rail always rewrites the response. */
  rewritesResponse(reference: string): boolean;
  /** Returns true if a response that passed its output rails becomes the bot utterance unchanged. */
  emitsReviewedText(): boolean;
  /** Returns the refusal for a rail that fails; undefined if the configuration defines none. */
  refusal(context: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** Returns true for a literal text that a flow passes to an event. */
  isWritten(text: string): boolean;
  /**
   * Runs a rail with its own state, over a copy of the request's variables.
   *
   * @throws the error of the failed rail
   */
  run(start: RailStart): MaybePromise<RailRun>;
}

/** Notes by a rail's actions during its run. */
export interface RailNotes {
  details: VerdictDetails;
  readonly llmCalls: LlmCallRecord[];
  readonly steps: string[];
  readonly actions: ExecutedAction[];
  /** Span of the rail, if the call is traced. */
  span: Span | undefined;
  /** Known findings in the part of a stream that it checks. */
  known: KnownFindings | undefined;
  /** Texts written in the configuration; output rails review the rail's other utterances. */
  readonly written: Set<string>;
}

/**
 * How much of a streamed response a rail must see at once. `window`: it only judges, so parts suffice. `word`, `line`: it
 * rewrites each word or line independently. `findings`: it rewrites its findings, so parts that split no finding
 * suffice. `response`: the whole response, which is then held back.
 */
export type RailScope = "window" | "word" | "line" | "findings" | "answer";

/** Request to run the rails of a stage. */
export interface StageRequest {
  readonly turn: Turn;
  readonly stage: RailsStage;
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
  /** Returns the events of earlier turns, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  /** Returns those of them that carry messages, where that takes less work; default: `past`. */
  readonly pastMessages?: (() => readonly GuardrailsEvent[]) | undefined;
  /** Findings in the part of a stream that a rail of the scope `findings` checks. */
  readonly known?: KnownFindings | undefined;
  /** Set if the output rails review the model's reasoning, or another rail's utterance. */
  readonly about?: "reasoning" | "refusal" | undefined;
  /**
   * Called with the variables after the last rail that may change the text, if others follow: unless one of those
   * blocks, the turn continues with this text.
   */
  readonly onFinalText?: ((context: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Called as soon as the stage is certain to block, possibly before the blocking rail is known. */
  readonly onBlock?: (() => void) | undefined;
}

/** Request to run one rail. */
export interface RailRequest extends Omit<StageRequest, "stage"> {
  readonly stage: RailsStage | ToolStage;
  /** Reference as configured, with parameters: `content safety check $model=guard`. */
  readonly rail: string;
  /** Rails whose utterances are under review and who do not review them themselves. */
  readonly utteringRails?: readonly string[] | undefined;
  /** True for a rail that only decides and reports. */
  readonly isShadow?: true | undefined;
}

/** Outcome of one rail. */
export interface RailOutcome {
  readonly reference: string;
  readonly flow: string;
  readonly blocked: boolean;
  readonly contextUpdates: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  readonly refusal?: string | undefined;
  readonly exception?: GuardrailsEvent | undefined;
  readonly decision: RailDecision;
}

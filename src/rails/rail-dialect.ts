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

/** A rail that is about to run. */
export interface RailStart {
  readonly request: RailRequest;
  readonly flow: string;
  readonly parameters: readonly FlowReferenceParameter[];
  /** The child config of everything it calls. */
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
  readonly notes: RailNotes;
}

/** Result of the run of a rail. */
export interface RailRun {
  /** The variables afterwards. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly isBlocked: boolean;
  readonly utterances: readonly string[];
  readonly exception?: GuardrailsEvent | undefined;
  /** Events that reach the conversation. */
  readonly entries: readonly Entry[];
}

/** Runs the rails of one dialect. Everything else about rails is the same for both dialects. */
export interface RailDialect {
  has(flow: string): boolean;
  readonly names: Iterable<string>;
  /** The stage that a rail is written for, by the library or by the texts it reads; undefined if that shows nothing. */
  stageOf(reference: string): RailsStage | ToolStage | undefined;
  /** True for a rail that compares a text with evidence. */
  needsEvidence(reference: string): boolean;
  /** How much of a streamed answer a listed output rail has to see at once. */
  scopeOf(reference: string): RailScope;
  /** Returns true if a listed output rail always rewrites the answer. */
  rewritesAnswer(reference: string): boolean;
  /** Returns true if an answer that passed its output rails becomes the bot utterance unchanged. */
  saysWhatPassed(): boolean;
  /** Returns the refusal for a rail that fails; undefined if the configuration defines none. */
  refusal(context: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** Returns true for a text that a flow gives to an event literally. */
  isWritten(text: string): boolean;
  /**
   * Runs a rail in a state of its own, over a copy of the variables of the request.
   *
   * @throws what the rail failed with
   */
  run(start: RailStart): MaybePromise<RailRun>;
}

/** Notes of a rail's actions while it runs. */
export interface RailNotes {
  details: VerdictDetails;
  readonly llmCalls: LlmCallRecord[];
  readonly steps: string[];
  readonly actions: ExecutedAction[];
  /** Span of the rail, if the call is traced. */
  span: Span | undefined;
  /** Findings in the part of a stream that it checks. */
  known: KnownFindings | undefined;
  /** Texts that the configuration words; output rails review the rail's other utterances. */
  readonly written: Set<string>;
}

/**
 * How much of a streamed answer a rail has to see at once. `window`: it only judges, and parts of the answer will do.
 * `word`, `line`: it rewrites, each word or line for itself. `findings`: it rewrites what it finds, and parts that cut no finding
 * will do. `answer`: everything, so the answer is held back.
 */
export type RailScope = "window" | "word" | "line" | "findings" | "answer";

/** Request to the rails of a stage. */
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
  /** Set where the output rails look at the reasoning of the model, or at what another rail says. */
  readonly about?: "reasoning" | "refusal" | undefined;
  /**
   * Called with the variables once the rails that may change the text are through, when there are others left: unless one
   * of these blocks, this is the text that the turn goes on with.
   */
  readonly onFinalText?: ((context: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Called as soon as it is certain that the stage blocks, which may be before it is known which rail does. */
  readonly onBlock?: (() => void) | undefined;
}

/** Request to one rail. */
export interface RailRequest extends Omit<StageRequest, "stage"> {
  readonly stage: RailsStage | ToolStage;
  /** As configured, with parameters: `content safety check $model=guard`. */
  readonly rail: string;
  /** Rails whose utterances are under review; they do not review their own. */
  readonly speakers?: readonly string[] | undefined;
  /** True for a rail that decides and reports, and changes nothing. */
  readonly isShadow?: true;
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

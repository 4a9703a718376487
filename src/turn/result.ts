import type { FlowExplanation, TraceEvent } from "../engine/explain.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { ChunkSource } from "./response.js";
import type { LlmCallRecord } from "../llm/task/call-model.js";
import type { GuardrailsMetadata, RailDecision, RailStage, RailStatus } from "./decision.js";
import type { ExtraTexts } from "./extra-text.js";
import type { GeneratedResponse } from "./options.js";

/** A rail or flow that ran, for the log. Times are milliseconds since 1970. */
export interface ActivatedRail {
  readonly type: RailStage | "generation";
  readonly name: string;
  readonly decisions: readonly string[];
  readonly executedActions: readonly ExecutedAction[];
  readonly stop: boolean;
  /** Further fields of a rail's verdict: `reason`, `categories`, `score`, `threshold`, `metadata`. */
  readonly additionalInfo?: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly durationMs: number;
}

export interface ExecutedAction {
  readonly actionName: string;
  readonly actionParams: Readonly<Record<string, unknown>>;
  readonly returnValue: unknown;
  readonly llmCalls: readonly LlmCallRecord[];
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly durationMs: number;
}

export interface TurnStats {
  readonly inputRailsDurationMs: number;
  readonly dialogRailsDurationMs: number;
  readonly generationRailsDurationMs: number;
  readonly outputRailsDurationMs: number;
  readonly totalDurationMs: number;
  readonly llmCallsDurationMs: number;
  readonly llmCallsCount: number;
  readonly llmCallsTotalPromptTokens: number;
  readonly llmCallsTotalCompletionTokens: number;
  readonly llmCallsTotalTokens: number;
}

/** A problem in the turn. The user only saw `messages.internal_error`; this is the cause. */
export interface TurnProblem {
  readonly code: string;
  readonly message: string;
  readonly flow?: string;
  readonly action?: string;
  readonly cause?: unknown;
}

export interface TurnLog {
  readonly stats: TurnStats;
  readonly errors: readonly TurnProblem[];
  /** Non-fatal problems: an undefined variable in a message, rails that overwrote each other. */
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly flow?: string }[];
  /** Reason for an empty reply. */
  readonly reason?: string;
  readonly activatedRails?: readonly ActivatedRail[];
  readonly llmCalls?: readonly LlmCallRecord[];
  readonly internalEvents?: readonly GuardrailsEvent[];
  readonly colangHistory?: string;
  /**
   * Explains why a flow ran in this turn or did not: which flow won, what it waited for, where it failed.
   *
   * @throws DiagnosticError `CO-204` if no flow has that name
   *
   * @example
   * ```ts
   * const { log } = await guardrails.generate("what does it cost?");
   * console.log(log.why("ask price").reasons.join("\n"));
   * ```
   */
  why(flow: string): FlowExplanation;
}

export type { ChunkSource, FlowExplanation };

/** An action delegated to the caller as a tool call. Its result is passed back as a message of the role `tool`. */
export interface ActionCall {
  /** Uid of the action. */
  readonly id: string;
  /** Name of the caller's tool for the action, otherwise of the action itself. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Set for expressions (gestures, timers, scenes), which a front end performs rather than a tool. */
  readonly modality?: string;
}

/** Result of a turn. */
export interface TurnResult {
  readonly status: "answered" | "blocked" | "exception" | "failed";
  /** All bot utterances of the turn joined by newlines; the refusal on a block; empty for an exception. */
  readonly text: string;
  readonly utterances: readonly string[];
  /** The last `…Exception` event, if `status` is `exception`. */
  readonly exception?: GuardrailsEvent;
  readonly decisions: readonly RailDecision[];
  readonly verdict: GuardrailsMetadata;
  /** The user's text after the input rails. */
  readonly userMessage: string;
  /** All user texts since the last response, after the input rails. */
  readonly userMessages?: readonly string[];
  /** Reasoning of the wrapped model after the output rails; absent if they did not review it. */
  readonly reasoning?: string;
  /** Set if the reply is the generator's or main model's own text, unchanged or rewritten by output rails. */
  readonly generated?: GeneratedResponse;
  readonly outputData?: Readonly<Record<string, unknown>>;
  readonly llmOutput?: unknown;
  /** Sources of the chunks from the knowledge base; absent if no flow searched it. */
  readonly sources?: readonly ChunkSource[];
  /** Colang 2.x: requests of delegated actions, as `Start…Action` events. */
  readonly actions?: readonly GuardrailsEvent[];
  /** Colang 2.x: requested actions as tool calls, without those that flows have stopped; empty after a block. */
  readonly toolCalls?: readonly ActionCall[];
  /** Colang 2.x: all other events that flows sent. */
  readonly events?: readonly GuardrailsEvent[];
  readonly log: TurnLog;
  /** Returns the steps of the flows, without texts that rails blocked. */
  readonly trace?: () => readonly TraceEvent[];
  /** State to pass to the next call; present if `state` was given. */
  readonly state?: unknown;
}

/** Texts and variables for the rails of one stage. */
export interface RailSubject {
  readonly userMessage?: string | undefined;
  /** All pending user texts, oldest first, if there are several; the last one is the user message. */
  readonly userMessages?: readonly string[] | undefined;
  /** Lines that input rails read with these texts. */
  readonly extras?: ExtraTexts | undefined;
  readonly botMessage?: string | undefined;
  /** The model's reasoning; reviewed if `apply_to_reasoning_traces` is set. */
  readonly reasoning?: string | undefined;
  readonly relevantChunks?: string | readonly string[] | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** Earlier messages, for rails that read the history. */
  readonly history?: readonly { readonly role: "user" | "assistant"; readonly content: string }[] | undefined;
}

/** Result of the rails of one stage. */
export interface StageResult {
  readonly status: RailStatus;
  readonly userMessage: string;
  /** All pending user texts with their extra lines, after the input rails. */
  readonly userMessages: readonly string[];
  /** Index of the blocked text among the pending user texts; later texts were not checked. */
  readonly blockedAt?: number;
  readonly botMessage: string;
  readonly relevantChunks: string;
  /** The retrieved chunks that are left, by their position in the subject; absent if rails have joined them. */
  readonly chunks?: readonly { readonly place: number; readonly text: string }[];
  /** The model's reasoning after the output rails; absent if they did not review it. */
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
  readonly decisions: readonly RailDecision[];
  readonly verdict: GuardrailsMetadata;
}

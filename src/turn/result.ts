import type { FlowExplanation, TraceEvent } from "../engine/explain.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { ChunkSource } from "./answer.js";
import type { LlmCallRecord } from "../llm/task/call-model.js";
import type { GuardrailsMetadata, RailDecision, RailStage, RailStatus } from "./decision.js";
import type { ExtraTexts } from "./extra-text.js";
import type { GeneratedAnswer } from "./options.js";

/** A rail or flow that ran, for the log. Times are milliseconds since 1970. */
export interface ActivatedRail {
  readonly type: RailStage | "generation";
  readonly name: string;
  readonly decisions: readonly string[];
  readonly executedActions: readonly ExecutedAction[];
  readonly stop: boolean;
  /** Fields of a rail's verdict besides its status: `reason`, `categories`, `score`, `threshold`, `metadata`. */
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

/** A problem met in the turn: what was shown to the user is only `messages.internal_error`; the cause is here. */
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
  /** Problems that are no reason to fail: an undefined variable in a message, rails that overwrote each other. */
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly flow?: string }[];
  /** Why the reply is empty, when it is. */
  readonly reason?: string;
  readonly activatedRails?: readonly ActivatedRail[];
  readonly llmCalls?: readonly LlmCallRecord[];
  readonly internalEvents?: readonly GuardrailsEvent[];
  readonly colangHistory?: string;
  /**
   * Why a flow ran in this turn, or why it did not: who came first, what it waited for, where it failed.
   *
   * @throws DiagnosticError `CO-204` when no flow has that name
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

/** An action that is performed outside, as the call of a tool. Its result comes back as a message of the role `tool`. */
export interface ActionCall {
  /** The action's uid. */
  readonly id: string;
  /** The name of the caller's tool for the action, or else of the action itself. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Set for ways of expression (gestures, timers, scenes), which a front end performs and no tool. */
  readonly modality?: string;
}

/** Result of a turn. */
export interface TurnResult {
  readonly status: "answered" | "blocked" | "exception" | "failed";
  /** All bot utterances of the turn joined by newlines; the refusal when blocked; empty for an exception. */
  readonly text: string;
  readonly utterances: readonly string[];
  /** The last `…Exception` event, when `status` is `exception`. */
  readonly exception?: GuardrailsEvent;
  readonly decisions: readonly RailDecision[];
  readonly verdict: GuardrailsMetadata;
  /** The user's text after the input rails. */
  readonly userMessage: string;
  /** All texts of the user since the last answer, after the input rails. */
  readonly userMessages?: readonly string[];
  /** Reasoning of the wrapped model after the output rails; absent if they did not review it. */
  readonly reasoning?: string;
  /** Set when the reply is the generator's or main model's own text, unchanged or rewritten by output rails. */
  readonly generated?: GeneratedAnswer;
  readonly outputData?: Readonly<Record<string, unknown>>;
  readonly llmOutput?: unknown;
  /** Sources of the chunks from the knowledge base; absent if no flow searched it. */
  readonly sources?: readonly ChunkSource[];
  /** Colang 2.x: the requests of actions that are performed outside, as `Start…Action` events. */
  readonly actions?: readonly GuardrailsEvent[];
  /** The same as calls of tools, without those that flows have stopped again; none in a turn that was blocked. */
  readonly toolCalls?: readonly ActionCall[];
  /** Colang 2.x: the other events that flows sent. */
  readonly events?: readonly GuardrailsEvent[];
  readonly log: TurnLog;
  /** Returns the steps of the flows, without texts that rails blocked. */
  readonly trace?: () => readonly TraceEvent[];
  /** To be passed in again; present when `state` was given. */
  readonly state?: unknown;
}

/** Texts and variables for the rails of one stage. */
export interface RailSubject {
  readonly userMessage?: string | undefined;
  /** All pending user texts, oldest first, where there are several; the last one is the user message. */
  readonly userMessages?: readonly string[] | undefined;
  /** Lines that input rails read with these texts. */
  readonly extras?: ExtraTexts | undefined;
  readonly botMessage?: string | undefined;
  /** Reasoning of the model; reviewed if `apply_to_reasoning_traces` is set. */
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
  /** Index of the pending user text that was blocked; the texts after it were not checked. */
  readonly blockedAt?: number;
  readonly botMessage: string;
  readonly relevantChunks: string;
  /** Reasoning of the model after the output rails; absent if they did not review it. */
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
  readonly decisions: readonly RailDecision[];
  readonly verdict: GuardrailsMetadata;
}

import type { UsageMetadata } from "@langchain/core/messages";
import type { OnError } from "../diagnostics/errors.js";
import type { GuardrailsEvent, EventDraft } from "../engine/events.js";
import type { ChunkSource } from "./response.js";
import type { LlmCallRecord } from "../llm/task/call-model.js";

export const ALL_STAGES = ["input", "dialog", "retrieval", "execution", "output"] as const;

/** The five stages of rails. */
export type RailStage = (typeof ALL_STAGES)[number];

/** `error` counts as a block, unless `onError` is `allow` for the guardrails or for the rail. */
export type RailStatus = "passed" | "modified" | "blocked" | "error";

/** Decision of one rail. `reason` is for logs, never for end users; no field contains blocked text. */
export interface RailDecision {
  readonly status: RailStatus;
  readonly stage: RailStage;
  readonly rail: string;
  readonly flow?: string;
  readonly reason?: string;
  readonly refusal?: string;
  readonly categories?: readonly string[];
  readonly score?: number;
  readonly threshold?: number;
  readonly durationMs: number;
  readonly usage?: UsageMetadata;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Set if an output rail reviewed the model's reasoning or a rail's text, rather than the response. */
  readonly about?: "reasoning" | "refusal";
  /** Set for a rail in `rails.<stage>.shadow`: the status is hypothetical, and the verdict ignores it. */
  readonly shadow?: true;
  /** Policy for the failed rail, if its settings define one. Default: the option `onError`. */
  readonly onError?: OnError;
}

/** The verdict attached to a response: in `response_metadata.guardrails`, under `verdictKey`, from `check()`. */
export interface GuardrailsMetadata {
  readonly blocked: boolean;
  readonly stage?: RailStage;
  readonly rail?: string;
  readonly decisions: readonly RailDecision[];
  /**
   * Set on the chunk of a refusal that follows released text: the refusal replaces everything read so far. Absent
   * otherwise.
   */
  readonly replaces?: true;
  /** Sources of the evidence for a response, if its documents name them; absent from a blocked response. */
  readonly sources?: readonly ChunkSource[];
  /** Identity of the message that the verdict refers to, if a later stage needs it. */
  readonly fingerprint?: string;
  /** Colang 2.x: requests to a front end besides bot utterances: events, gestures, timers. */
  readonly events?: readonly GuardrailsEvent[];
}

/** Summarizes decisions; the first one that blocked provides stage and rail. */
export function summarizeDecisions(decisions: readonly RailDecision[], blockedOnError = true): GuardrailsMetadata {
  const isBlock = ({ status, onError }: RailDecision): boolean =>
    status === "blocked" || (status === "error" && (onError === undefined ? blockedOnError : onError !== "allow"));
  const blocks = decisions.filter((decision) => decision.shadow === undefined && isBlock(decision));
  // A rail whose own refusal was refused has still blocked.
  const blocking = blocks.find(({ about }) => about !== "refusal") ?? blocks[0];
  return blocking
    ? { blocked: true, stage: blocking.stage, rail: blocking.rail, decisions }
    : { blocked: false, decisions };
}

/** Returns true if a rail decided with one of these statuses; shadow rails do not count. */
export function hasStatus(decisions: readonly RailDecision[], ...statuses: readonly RailStatus[]): boolean {
  return decisions.some(({ status, shadow }) => shadow === undefined && statuses.includes(status));
}

/** Stages whose rails review a text of the conversation. */
export type RailsStage = "input" | "output" | "retrieval";

/** The two sections of the configuration for rails of the stage `execution`: tool calls and tool results. */
export type ToolStage = "tool_output" | "tool_input";

export function isToolStage(stage: RailsStage | ToolStage): stage is ToolStage {
  return stage === "tool_output" || stage === "tool_input";
}

export const RAILS_STAGES = ["input", "output", "retrieval"] as const satisfies readonly RailsStage[];

/** A block by a rail, with the text that replaces the blocked one. */
export interface Block {
  readonly refusal: string;
  readonly exception?: GuardrailsEvent | undefined;
  readonly verdict: GuardrailsMetadata;
}

/** Returns the block with these decisions in its verdict. */
export function blockWith(block: Block, decisions: GuardrailsMetadata["decisions"]): Block {
  return { ...block, verdict: { ...block.verdict, decisions } };
}

/** Total token usage of several calls; undefined if no provider reported any. */
export function sumUsage(calls: readonly LlmCallRecord[]): UsageMetadata | undefined {
  return calls.reduce<UsageMetadata | undefined>((total, { usage }) => addUsage(total, usage), undefined);
}

export function addUsage(left: UsageMetadata | undefined, right: UsageMetadata | undefined): UsageMetadata | undefined {
  if (right === undefined) return left;
  return {
    input_tokens: (left?.input_tokens ?? 0) + right.input_tokens,
    output_tokens: (left?.output_tokens ?? 0) + right.output_tokens,
    total_tokens: (left?.total_tokens ?? 0) + right.total_tokens,
  };
}

/** An event that only records what a rail did; the engine never receives it. */
interface Note {
  readonly type?: undefined;
  readonly note: EventDraft;
  /** True for a pipeline marker, which only a log of all events shows. */
  readonly isMarker?: true;
}

/** An event to process: fed to the engine, or only recorded. */
export type Entry = EventDraft | Note;

/** Returns the events to feed to the engine. */
export function fedEvents(entries: readonly Entry[]): EventDraft[] {
  return entries.filter((entry) => entry.type !== undefined);
}

/** Result of the rails of one stage. */
export interface StageOutcome {
  readonly blocked: boolean;
  /** Variables changed by the rails; absent if there are none. */
  readonly contextUpdates?: Readonly<Record<string, unknown>>;
  /** Markers and bot utterances of the rails, in order. */
  readonly entries: readonly Entry[];
  /** Index of the pending user text that was blocked. */
  readonly textAt?: number;
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
}

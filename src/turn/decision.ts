import type { UsageMetadata } from "@langchain/core/messages";
import type { OnError } from "../diagnostics/errors.js";
import type { GuardrailsEvent, EventDraft } from "../engine/events.js";
import type { ChunkSource } from "./answer.js";
import type { LlmCallRecord } from "../llm/task/call-model.js";

export const ALL_STAGES = ["input", "dialog", "retrieval", "execution", "output"] as const;

/** The five places where rails stand. */
export type RailStage = (typeof ALL_STAGES)[number];

/** `error` counts as a block unless `onError: "allow"`, as the option of the guardrails or a setting of the rail. */
export type RailStatus = "passed" | "modified" | "blocked" | "error";

/** Decision of one rail. `reason` is for logs and never for end users; no field carries blocked text. */
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
  /** Set where an output rail reviewed the reasoning of the model, or the text of a rail, and not the answer. */
  readonly about?: "reasoning" | "refusal";
  /** Set for a rail listed under `rails.<stage>.shadow`: the status is what it would have done, and the verdict ignores it. */
  readonly shadow?: true;
  /** Consequence of the failure, where the settings of a failed rail state one; else that of the option `onError`. */
  readonly onError?: OnError;
}

/** The verdict that travels with an answer: on `response_metadata.guardrails`, under `verdictKey`, from `check()`. */
export interface GuardrailsMetadata {
  readonly blocked: boolean;
  readonly stage?: RailStage;
  readonly rail?: string;
  readonly decisions: readonly RailDecision[];
  /**
   * Set on the chunk of a refusal if text of the same stream has left before it: the refusal stands in the place of all that
   * was read so far. Absent otherwise.
   */
  readonly replaces?: true;
  /** Sources of the knowledge behind an answer, if its documents name them; absent from a blocked one. */
  readonly sources?: readonly ChunkSource[];
  /** Identity of the message that the verdict is about, where a later stage asks for it. */
  readonly fingerprint?: string;
  /** Colang 2.x: requests to a front end besides bot utterances: events, gestures, timers. */
  readonly events?: readonly GuardrailsEvent[];
}

/** The verdict over a list of decisions: the first one that blocked names stage and rail. */
export function summarizeDecisions(decisions: readonly RailDecision[], blockedOnError = true): GuardrailsMetadata {
  const isBlock = ({ status, onError }: RailDecision): boolean =>
    status === "blocked" || (status === "error" && (onError === undefined ? blockedOnError : onError !== "allow"));
  const blocks = decisions.filter((decision) => decision.shadow === undefined && isBlock(decision));
  // A rail whose refusal was refused has blocked all the same.
  const blocking = blocks.find(({ about }) => about !== "refusal") ?? blocks[0];
  return blocking
    ? { blocked: true, stage: blocking.stage, rail: blocking.rail, decisions }
    : { blocked: false, decisions };
}

/** Returns true if a rail has decided so; rails in shadow do not count. */
export function hasStatus(decisions: readonly RailDecision[], ...statuses: readonly RailStatus[]): boolean {
  return decisions.some(({ status, shadow }) => shadow === undefined && statuses.includes(status));
}

/** The stages whose rails look at a text of the conversation. */
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

/** The tokens of several calls together; undefined when no provider reported any. */
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

/** An event that is only written down because it describes what a rail did; the engine never sees it. */
interface Note {
  readonly type?: undefined;
  readonly note: EventDraft;
  /** True for a marker of the pipeline, which only a log of all events shows. */
  readonly isMarker?: true;
}

/** An event to take in: fed to the engine, or noted. */
export type Entry = EventDraft | Note;

/** Returns the events that the engine takes in. */
export function fedEvents(entries: readonly Entry[]): EventDraft[] {
  return entries.filter((entry) => entry.type !== undefined);
}

/** Result of the rails of one stage. */
export interface StageOutcome {
  readonly blocked: boolean;
  /** Variables the rails changed; absent when none. */
  readonly contextUpdates?: Readonly<Record<string, unknown>>;
  /** Markers and bot utterances of the rails, in order. */
  readonly entries: readonly Entry[];
  /** Index of the pending user text that was blocked. */
  readonly textAt?: number;
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
}

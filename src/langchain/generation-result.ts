import { InputShapeError } from "../diagnostics/errors.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { LlmCallRecord } from "../llm/record.js";
import type { RailStage } from "../runtime/decision.js";
import type { LogOptions, RailSelection, TurnOptions } from "../runtime/options.js";
import type { ChunkSource, TurnLog, TurnResult } from "../runtime/result.js";
import type { GuardrailsMetadata } from "../runtime/decision.js";

/** Options of `generate` (spec rails 4.4). */
export interface GenerationOptions {
  /** Which rails run: a map of stages, or the stages that run while the others do not. */
  readonly rails?: RailSelection | readonly RailStage[];
  /** Parameters of the generating call only. */
  readonly llmParams?: Readonly<Record<string, unknown>>;
  /** Return the provider's raw output. */
  readonly llmOutput?: boolean;
  /** Return these context variables, or all. */
  readonly outputVars?: true | readonly string[];
  readonly log?: LogOptions;
  /** Variables set before the turn. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** State of an earlier result; `{}` begins a conversation. */
  readonly state?: unknown;
}

export type GeneratedMessage =
  | { readonly role: "assistant"; readonly content: string }
  | { readonly role: "exception"; readonly content: GuardrailsEvent };

/** What the turn did, for people. */
export interface ExplainInfo {
  readonly llmCalls: readonly LlmCallRecord[];
  readonly colangHistory: string;
  /** One line per model call and the totals. */
  summary(): string;
}

/** The result of `generate` (spec rails 4.5). */
export interface GenerationResult {
  /** A string for a prompt, messages for messages; an exception is always told as a message. */
  readonly response: string | readonly GeneratedMessage[];
  readonly guardrails: GuardrailsMetadata;
  readonly llmOutput?: unknown;
  readonly outputData?: Readonly<Record<string, unknown>>;
  /** Where the chunks that the knowledge base found come from, best first; absent when it was not asked. */
  readonly sources?: readonly ChunkSource[];
  readonly log: TurnLog;
  readonly explain: ExplainInfo;
  readonly state?: unknown;
}

const STAGES = ["input", "dialog", "retrieval", "execution", "output"] as const;

/** The runtime's options of a `generate` call; what `explain` tells is always recorded. */
export function toTurnOptions(options: GenerationOptions): TurnOptions {
  const { rails, log, ...rest } = options;
  return {
    ...rest,
    ...(rails === undefined ? {} : { rails: Array.isArray(rails) ? selectStages(rails) : (rails as RailSelection) }),
    log: { ...log, llmCalls: true, colangHistory: true },
  };
}

export function toGenerationResult(
  result: TurnResult,
  options: GenerationOptions,
  form: "prompt" | "messages",
): GenerationResult {
  const { llmCalls = [], colangHistory = "", ...log } = result.log;
  return {
    response: respond(result, form),
    guardrails: result.verdict,
    // INVARIANT: the raw output of a model is what a rail blocked, so it goes with it.
    ...(result.llmOutput === undefined || result.verdict.blocked ? {} : { llmOutput: result.llmOutput }),
    ...(result.outputData === undefined ? {} : { outputData: result.outputData }),
    ...(result.sources === undefined ? {} : { sources: result.sources }),
    log: {
      ...log,
      ...(options.log?.llmCalls === true ? { llmCalls } : {}),
      ...(options.log?.colangHistory === true ? { colangHistory } : {}),
    },
    explain: { llmCalls, colangHistory, summary: () => summarizeCalls(llmCalls) },
    ...(result.state === undefined ? {} : { state: result.state }),
  };
}

function respond(result: TurnResult, form: "prompt" | "messages"): GenerationResult["response"] {
  if (result.exception !== undefined) return [{ role: "exception", content: result.exception }];
  return form === "prompt" ? result.text : [{ role: "assistant", content: result.text }];
}

/** INVARIANT: a stage that does not exist is an error. A misspelt one would turn all rails off. */
function selectStages(stages: readonly RailStage[]): RailSelection {
  const unknown = stages.find((stage) => !STAGES.includes(stage));
  if (unknown !== undefined) {
    const hint = didYouMean(String(unknown), STAGES) ?? `there are ${STAGES.map((stage) => `\`${stage}\``).join(", ")}`;
    throw new InputShapeError(`\`${String(unknown)}\` is no stage of rails; ${hint}`);
  }
  return Object.fromEntries(STAGES.map((stage) => [stage, stages.includes(stage)]));
}

function summarizeCalls(calls: readonly LlmCallRecord[]): string {
  const lines = calls.map((call, index) => {
    const tokens = call.usage === undefined ? "" : `, ${call.usage.total_tokens} tokens`;
    return `${index + 1}. ${call.task}: ${(call.durationMs / 1000).toFixed(2)} s${tokens}`;
  });
  const seconds = calls.reduce((sum, call) => sum + call.durationMs, 0) / 1000;
  const tokens = calls.reduce((sum, call) => sum + (call.usage?.total_tokens ?? 0), 0);
  return [`${calls.length} model calls, ${seconds.toFixed(2)} s, ${tokens} tokens`, ...lines].join("\n");
}

import type { FlowExplanation } from "../engine/explain.js";
import { redactData } from "../turn/redact-data.js";
import type { Redactor } from "../turn/redactor.js";
import type { TurnLog, TurnStats } from "../turn/result.js";
import { printHistory } from "../llm/print-history.js";
import type { Turn } from "../turn/turn.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { readOwn } from "../engine/variables.js";

/** The parts of a turn's log that its dialect knows. */
export interface LogParts {
  readonly events: readonly GuardrailsEvent[];
  /** Returns all events that a printed history shows. */
  readonly history: () => readonly GuardrailsEvent[];
  /** Set if the bot has emitted nothing. */
  readonly reason: string | undefined;
  readonly why: (flow: string) => FlowExplanation;
  readonly redactor: Redactor | undefined;
}

/** Builds the log of a turn. INVARIANT: no part of it quotes a text that a rail of the turn blocked or rewrote. */
export function turnLog(turn: Turn, { events, history, reason, why, redactor }: LogParts): TurnLog {
  const { log, explain } = turn.options;
  const finishedAt = turn.now();
  const built: TurnLog = {
    stats: turnStats(turn, finishedAt),
    errors: turn.problems,
    warnings: warningsOf(turn),
    ...(reason === undefined ? {} : { reason }),
    ...(turn.activity === undefined ? {} : { activatedRails: turn.activity.rails(finishedAt) }),
    why,
    ...(log?.llmCalls === true || explain === true ? { llmCalls: turn.llmCalls } : {}),
    ...(log?.internalEvents === true ? { internalEvents: events } : {}),
    ...(log?.colangHistory === true || explain === true ? { colangHistory: printHistory(history()) } : {}),
  };
  return redactor === undefined ? built : redactLog(built, redactor);
}

function redactLog({ why, stats, ...log }: TurnLog, redactor: Redactor): TurnLog {
  const kept = redactData(log, redactor, { strings: "mark" }) as typeof log;
  return { stats, ...kept, why: (flow) => redactData(why(flow), redactor, { strings: "mark" }) as FlowExplanation };
}

/** Returns the context variables that the caller asked for. */
export function outputData(
  { options }: Turn,
  context: Readonly<Record<string, unknown>>,
): { outputData?: Readonly<Record<string, unknown>> } {
  const { outputVars: wanted } = options;
  if (wanted === undefined) return {};
  const entries =
    wanted === true
      ? Object.entries(context).filter(([name]) => !name.startsWith("_"))
      : wanted.map((name) => [name, readOwn(context, name) ?? null] as const);
  return { outputData: Object.fromEntries(entries) };
}

function warningsOf({ trace }: Turn): TurnLog["warnings"] {
  const warnings: TurnLog["warnings"][number][] = [];
  for (const entry of trace) {
    if (entry.type !== "warning") continue;
    const { type: _type, ...warning } = entry;
    warnings.push(warning);
  }
  return warnings;
}

/** Durations per stage and what the model calls cost, from the turn's own records. */
function turnStats(turn: Turn, finishedAt: number): TurnStats {
  const total = finishedAt - turn.startedAt;
  const { input, output } = turn.spent;
  const tokens = { prompt: 0, completion: 0, total: 0 };
  let calls = 0;
  let generation = 0;
  for (const { durationMs, usage, rail, task } of turn.llmCalls) {
    calls += durationMs;
    // Rails may ask the same tasks, for samples to compare with; those calls are part of the rails.
    if (rail === undefined && GENERATION_TASKS.has(task)) generation += durationMs;
    tokens.prompt += usage?.input_tokens ?? 0;
    tokens.completion += usage?.output_tokens ?? 0;
    tokens.total += usage?.total_tokens ?? 0;
  }
  return {
    inputRailsDurationMs: input,
    dialogRailsDurationMs: Math.max(0, total - input - output - generation),
    generationRailsDurationMs: generation,
    outputRailsDurationMs: output,
    totalDurationMs: total,
    llmCallsDurationMs: calls,
    llmCallsCount: turn.llmCalls.length,
    llmCallsTotalPromptTokens: tokens.prompt,
    llmCallsTotalCompletionTokens: tokens.completion,
    llmCallsTotalTokens: tokens.total,
  };
}

const GENERATION_TASKS = new Set(["general", "generate_bot_message", "passthrough"]);

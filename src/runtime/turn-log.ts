import type { FlowExplanation } from "../engine/explain.js";
import { redactData } from "../turn/redact-data.js";
import type { Redactor } from "../turn/redactor.js";
import type { TurnLog, TurnStats } from "../turn/result.js";
import type { ActionRun } from "./action-context.js";

/** Durations per stage and what the model calls cost, from the turn's own records. */
export function turnStats(run: Pick<ActionRun, "turn">, finishedAt: number): TurnStats {
  const { turn } = run;
  const total = finishedAt - turn.startedAt;
  const calls = turn.llmCalls;
  const sum = (of: (call: (typeof calls)[number]) => number): number =>
    calls.reduce((value, call) => value + of(call), 0);
  const { input, output } = turn.spent;
  // Rails may ask the same tasks, for samples to compare with; those calls are part of the rails.
  const generation = sum((call) => (call.rail === undefined && GENERATION_TASKS.has(call.task) ? call.durationMs : 0));
  return {
    inputRailsDurationMs: input,
    dialogRailsDurationMs: Math.max(0, total - input - output - generation),
    generationRailsDurationMs: generation,
    outputRailsDurationMs: output,
    totalDurationMs: total,
    llmCallsDurationMs: sum((call) => call.durationMs),
    llmCallsCount: calls.length,
    llmCallsTotalPromptTokens: sum((call) => call.usage?.input_tokens ?? 0),
    llmCallsTotalCompletionTokens: sum((call) => call.usage?.output_tokens ?? 0),
    llmCallsTotalTokens: sum((call) => call.usage?.total_tokens ?? 0),
  };
}

const GENERATION_TASKS = new Set(["general", "generate_bot_message", "passthrough"]);

/** INVARIANT: no part of the log quotes a text that a rail of the turn blocked or rewrote. */
export function redactLog(given: TurnLog, redactor: Redactor | undefined): TurnLog {
  if (redactor === undefined) return given;
  const { why, stats, ...log } = given;
  const kept = redactData(log, redactor, { strings: "mark" }) as typeof log;
  return { stats, ...kept, why: (flow) => redactData(why(flow), redactor, { strings: "mark" }) as FlowExplanation };
}

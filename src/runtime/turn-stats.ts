import type { TurnStats } from "./result.js";
import type { Run } from "./run.js";

/** Durations per stage and what the model calls cost, from the turn's own records. */
export function turnStats(run: Run, finishedAt: number): TurnStats {
  const { turn } = run;
  const stage = (name: "input" | "output"): number =>
    turn.decisions
      .filter((decision) => decision.stage === name)
      .reduce((sum, decision) => sum + decision.durationMs, 0);
  const total = finishedAt - turn.startedAt;
  const calls = turn.llmCalls;
  const sum = (of: (call: (typeof calls)[number]) => number): number =>
    calls.reduce((value, call) => value + of(call), 0);
  const input = stage("input");
  const output = stage("output");
  const generation = sum((call) => (GENERATION_TASKS.has(call.task) ? call.durationMs : 0));
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

const GENERATION_TASKS = new Set(["general", "generate_bot_message"]);

import type { UsageMetadata } from "@langchain/core/messages";

/** What one execution of something took. */
export interface CostSample {
  readonly durationMs: number;
  readonly usage?: UsageMetadata | undefined;
}

/** What a rail or a step took over all samples. Tokens are absent when the model did not tell. */
export interface CostSummary {
  readonly name: string;
  readonly runs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Tokens and latency; undefined when it never ran. */
export function summarizeCost(name: string, samples: readonly CostSample[]): CostSummary | undefined {
  if (samples.length === 0) return undefined;
  const durations = samples.map(({ durationMs }) => durationMs);
  const told = samples.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const sum = (pick: (usage: UsageMetadata) => number): number => told.reduce((total, usage) => total + pick(usage), 0);
  return {
    name,
    runs: samples.length,
    ...(told.length === 0
      ? {}
      : {
          inputTokens: sum((usage) => usage.input_tokens),
          outputTokens: sum((usage) => usage.output_tokens),
          totalTokens: sum((usage) => usage.total_tokens),
        }),
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  };
}

/**
 * The smallest value that at least this share of the values does not exceed (nearest rank); not a number for none.
 *
 * @example
 * ```ts
 * percentile([1, 2, 3, 4], 0.5); // 2
 * ```
 */
export function percentile(values: readonly number[], share: number): number {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN;
}

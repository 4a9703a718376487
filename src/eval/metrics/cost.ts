import { addUsage } from "../../turn/decision.js";
import { groupBy } from "../dataset/sample.js";
import { omitUndefined } from "../../engine/plain-data.js";
import type { UsageMetadata } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";

/** Duration and tokens of one execution. */
export interface CostSample {
  readonly durationMs: number;
  readonly usage?: UsageMetadata | undefined;
}

/** Cost of a rail or a step over all samples. Tokens are absent if the model did not report them. */
export interface CostSummary {
  readonly name: string;
  readonly runs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Tokens and latency; undefined if it never ran. */
export function summarizeCost(name: string, samples: readonly CostSample[]): CostSummary | undefined {
  if (samples.length === 0) return undefined;
  const durations = samples.map(({ durationMs }) => durationMs);
  const usage = samples.reduce<CostSample["usage"]>((total, sample) => addUsage(total, sample.usage), undefined);
  return {
    name,
    runs: samples.length,
    ...omitUndefined({
      inputTokens: usage?.input_tokens,
      outputTokens: usage?.output_tokens,
      totalTokens: usage?.total_tokens,
    }),
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  };
}

/** One execution of a rail or a step. */
export type NamedCost = readonly [name: string, cost: CostSample];

/** Summaries of costs by name, in the order in which the names first occur. */
export function summarizeCosts(costs: Iterable<NamedCost>): readonly CostSummary[] {
  return [...groupBy(costs, ([name]) => name)].flatMap(([name, group]) => {
    const samples = group.map(([, cost]) => cost);
    return summarizeCost(name, samples) ?? [];
  });
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

/** Sums the tokens of all model calls below the run that gets these callbacks. */
export class UsageMeter {
  readonly name = "evaluation usage";
  // INVARIANT: the run ends after its handlers, so every call is counted in time.
  readonly awaitHandlers = true;
  /** Undefined while no call has reported tokens. */
  usage: UsageMetadata | undefined;

  readonly handleLLMEnd = (output: LLMResult): void => {
    for (const generation of output.generations.flat()) {
      const { message } = generation as { message?: { usage_metadata?: UsageMetadata } };
      this.usage = addUsage(this.usage, message?.usage_metadata);
    }
  };
}

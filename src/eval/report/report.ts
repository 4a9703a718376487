import type { CostSummary } from "../metrics/cost.js";
import type { Estimate } from "../metrics/estimate.js";
import type { FactCheckingResult } from "../run/fact-checking.js";
import type { HallucinationResult } from "../run/hallucination.js";
import type { ModerationResult } from "../run/moderation.js";
import type { TopicalResult } from "../run/topical-result.js";

export type EvaluationResult = TopicalResult | ModerationResult | FactCheckingResult | HallucinationResult;

/** A table for people. */
export interface ReportTable {
  readonly title: string;
  /** The first column names the row; the others are figures and stand to the right. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Bars of shares between 0 and 1. */
export interface ReportChart {
  readonly title: string;
  readonly bars: readonly ReportBar[];
}

export interface ReportBar {
  readonly label: string;
  readonly value: number;
  /** The ends of its confidence interval. */
  readonly low?: number;
  readonly high?: number;
}

/** The section of one kind of evaluation. */
export interface ReportSection {
  readonly title: string;
  /** Notes on reading the figures. */
  readonly notes: readonly string[];
  readonly tables: readonly ReportTable[];
  readonly charts: readonly ReportChart[];
}

const NONE = "–";

/** `0.885 [0.840, 0.926]`: the value and its 95% interval. */
export function formatEstimate(estimate: Estimate | undefined): string {
  if (estimate === undefined) return NONE;
  return `${formatShare(estimate.value)} [${formatShare(estimate.low)}, ${formatShare(estimate.high)}]`;
}

export function formatShare(share: number | undefined): string {
  return share === undefined ? NONE : share.toFixed(3);
}

export function formatCount(count: number | undefined): string {
  return count === undefined ? NONE : String(count);
}

/** Milliseconds with three figures that count: `0.123 ms`, `12.3 ms`, `1.23 s`. */
export function formatDuration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return NONE;
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds >= 100) return `${milliseconds.toFixed(0)} ms`;
  return `${milliseconds.toFixed(milliseconds >= 10 ? 1 : 3)} ms`;
}

/** Runs, tokens and latency of everything that was measured. */
export function costTable(
  costs: readonly { readonly of: string; readonly cost: readonly CostSummary[] }[],
): ReportTable {
  return {
    title: "Cost",
    columns: ["what", "runs", "tokens in", "tokens out", "p50", "p95"],
    rows: costs.flatMap(({ of, cost }) =>
      cost.map((summary) => [
        of === "" ? summary.name : `${of}: ${summary.name}`,
        formatCount(summary.runs),
        formatCount(summary.inputTokens),
        formatCount(summary.outputTokens),
        formatDuration(summary.p50Ms),
        formatDuration(summary.p95Ms),
      ]),
    ),
  };
}

/** A bar for an estimate; none where there is no figure. */
export function barOf(label: string, estimate: Estimate | undefined): readonly ReportBar[] {
  if (estimate === undefined) return [];
  const { value, low, high } = estimate;
  return [{ label, value, low, high }];
}

import type { DetectorsResult } from "../detectors/result.js";
import type { FactCheckingResult } from "../run/fact-checking.js";
import type { HallucinationResult } from "../run/hallucination.js";
import type { ModerationResult } from "../run/moderation.js";
import type { TopicalResult } from "../run/topical-result.js";

export type EvaluationResult =
  | TopicalResult
  | ModerationResult
  | FactCheckingResult
  | HallucinationResult
  | DetectorsResult;

/** A table for people. */
export interface ReportTable {
  readonly title: string;
  /** The first column names the row; the others are right-aligned numbers. */
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

/** Curve of shares between 0 and 1 against others. */
export interface ReportPlot {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly label: string }[];
}

/** The section of one kind of evaluation. */
export interface ReportSection {
  readonly title: string;
  /** Notes on reading the figures. */
  readonly notes: readonly string[];
  readonly tables: readonly ReportTable[];
  readonly charts: readonly ReportChart[];
  /** Default: none. */
  readonly plots?: readonly ReportPlot[];
}

import type { Estimate } from "../metrics/estimate.js";
import type { EvaluationSummary } from "../run/run-samples.js";

/** Figures of a row that can have a bar. Cost is in microseconds per 1,000 characters. */
export type DetectorMeasure = "recall" | "precision" | "falsePositiveRate" | "cost";

/** Bound of a figure: the least recall and precision, the greatest rate of false positives and cost. */
export interface DetectorBar {
  readonly measure: DetectorMeasure;
  readonly bound: number;
  readonly holds: boolean;
}

/** Figures of a detector on texts of one kind. */
export interface DetectorRow {
  /** Name of the detector. */
  readonly detector: string;
  /** Name of the data set; `generated` for texts that are made by seed. */
  readonly dataset: string;
  /** Kind of the texts or findings. */
  readonly name: string;
  readonly recall?: Estimate | undefined;
  readonly precision?: Estimate | undefined;
  readonly falsePositiveRate?: Estimate | undefined;
  /** CPU time in microseconds per 1,000 characters. */
  readonly cost?: number | undefined;
  readonly bars: readonly DetectorBar[];
}

/** Recall and rate of false positives at a threshold of the score. */
export interface CurvePoint {
  readonly threshold: number;
  readonly recall: number;
  readonly falsePositiveRate: number;
}

/** Recall of a detector against its rate of false positives, by threshold. */
export interface DetectorCurve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
}

/** Rows and curves of one kind of detector. */
export interface DetectorSection {
  readonly title: string;
  /** Notes on reading the rows. */
  readonly notes: readonly string[];
  readonly rows: readonly DetectorRow[];
  readonly curves: readonly DetectorCurve[];
}

/** Figures of all detectors. */
export interface DetectorsResult extends EvaluationSummary {
  readonly kind: "detectors";
  readonly sections: readonly DetectorSection[];
  /** Data sets that were not there. */
  readonly skipped: readonly string[];
}

/**
 * Returns the rows of which a bar is missed.
 *
 * @example
 * ```ts
 * const result = await evaluateDetectors(openDataFolder("./data"));
 * if (missedRows(result).length > 0) process.exitCode = 1;
 * ```
 */
export function missedRows(result: DetectorsResult): readonly DetectorRow[] {
  return result.sections.flatMap(({ rows }) => rows).filter(({ bars }) => bars.some(({ holds }) => !holds));
}

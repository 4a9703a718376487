import type { Estimate } from "../metrics/estimate.js";
import { wilson } from "../metrics/wilson.js";
import type { CurvePoint, DetectorBar, DetectorCurve, DetectorMeasure, DetectorRow } from "./result.js";

/** Number of samples for which something holds, among all of them. */
export interface Count {
  readonly hits: number;
  readonly of: number;
}

/** Counts of a row, and the bounds of its figures. */
export interface RowCounts extends Pick<DetectorRow, "detector" | "dataset" | "name" | "cost"> {
  readonly recall?: Count;
  readonly precision?: Count;
  readonly falsePositives?: Count;
  readonly bounds?: Readonly<Partial<Record<DetectorMeasure, number>>>;
}

/** Difference below which a figure reaches its bound: shares are quotients. */
const ROUNDING = 1e-9;

/** Returns a row with its intervals, and each bound as a bar that holds or not. A figure without samples has no bar. */
export function rowOf({ recall, precision, falsePositives, bounds = {}, ...named }: RowCounts): DetectorRow {
  const figures = {
    recall: estimateOf(recall),
    precision: estimateOf(precision),
    falsePositiveRate: estimateOf(falsePositives),
  };
  const values: Readonly<Record<DetectorMeasure, number | undefined>> = {
    recall: figures.recall?.value,
    precision: figures.precision?.value,
    falsePositiveRate: figures.falsePositiveRate?.value,
    cost: named.cost,
  };
  const bars = (Object.entries(bounds) as [DetectorMeasure, number][]).flatMap(([measure, bound]): DetectorBar[] => {
    const value = values[measure];
    if (value === undefined) return [];
    const isLeast = measure === "recall" || measure === "precision";
    return [{ measure, bound, holds: isLeast ? value >= bound - ROUNDING : value <= bound + ROUNDING }];
  });
  return { ...named, ...figures, bars };
}

function estimateOf(count: Count | undefined): Estimate | undefined {
  return count === undefined ? undefined : wilson(count.hits, count.of);
}

/** Counts the items for which something holds. */
export function countOf<Item>(items: readonly Item[], holds: (item: Item) => boolean): Count {
  return { hits: items.filter(holds).length, of: items.length };
}

/** Adds up counts. */
export function sumOf(counts: readonly Count[]): Count {
  return counts.reduce(({ hits, of }, next) => ({ hits: hits + next.hits, of: of + next.of }), { hits: 0, of: 0 });
}

/** Steps of the threshold in a curve. */
const STEPS = 20;

/**
 * Returns recall and false positive rate at each threshold from 1 down to 0.05, from the best score of each text (0
 * without findings). Thresholds that change nothing are omitted.
 */
export function curveOf(name: string, attacks: readonly number[], benign: readonly number[]): readonly DetectorCurve[] {
  if (attacks.length === 0 || benign.length === 0) return [];
  const points: CurvePoint[] = [];
  for (let step = STEPS; step > 0; step -= 1) {
    const threshold = step / STEPS;
    const share = (scores: readonly number[]): number =>
      scores.filter((score) => score >= threshold).length / scores.length;
    const point = { threshold, recall: share(attacks), falsePositiveRate: share(benign) };
    const last = points.at(-1);
    if (last?.recall !== point.recall || last.falsePositiveRate !== point.falsePositiveRate) points.push(point);
  }
  return [{ name, points }];
}

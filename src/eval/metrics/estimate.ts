/** A figure with its 95% confidence interval. */
import { createRandom } from "../../retrieval/matcher/random.js";
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Number of samples it was computed from. */
  readonly samples: number;
}

export interface BootstrapOptions {
  readonly seed: number;
  /** Number of resamples. Default: 1,000. */
  readonly rounds?: number;
}

const ROUNDS = 1000;
const TAIL = 0.025;

/**
 * A statistic with its percentile bootstrap interval: samples are drawn with replacement, as many as there are, and the
 * statistic is computed again. Groups are drawn each for itself, so that a balanced set stays balanced.
 *
 * @returns undefined without samples, or if the statistic is not defined for them
 *
 * @example
 * ```ts
 * bootstrap([[1, 0, 1, 1]], ([values = []]) => mean(values), { seed: 42 }); // { value: 0.75, low: 0.25, high: 1, … }
 * ```
 */
export function bootstrap<Sample>(
  groups: readonly (readonly Sample[])[],
  statistic: (groups: readonly (readonly Sample[])[]) => number,
  options: BootstrapOptions,
): Estimate | undefined {
  const value = statistic(groups);
  if (!Number.isFinite(value)) return undefined;
  const random = createRandom(options.seed);
  const draws: number[] = [];
  for (let round = 0; round < (options.rounds ?? ROUNDS); round += 1) {
    const drawn = statistic(
      groups.map((group) => group.map(() => group[Math.floor(random() * group.length)] as Sample)),
    );
    if (Number.isFinite(drawn)) draws.push(drawn);
  }
  draws.sort((a, b) => a - b);
  const at = (share: number): number => draws[Math.round(share * (draws.length - 1))] ?? value;
  const samples = groups.reduce((sum, group) => sum + group.length, 0);
  return { value, low: at(TAIL), high: at(1 - TAIL), samples };
}

/** The share of successes with its interval. */
export function estimateRate(outcomes: readonly boolean[], options: BootstrapOptions): Estimate | undefined {
  const values = outcomes.map(Number);
  return bootstrap([values], ([drawn = []]) => mean(drawn), options);
}

/** The share of rows for which `holds` is true, with its interval. */
export function estimateShare<Row>(
  rows: readonly Row[],
  holds: (row: Row) => boolean | undefined,
  seed: number,
): Estimate | undefined {
  return estimateRate(
    rows.map((row) => holds(row) === true),
    { seed },
  );
}

/** The mean; not a number for an empty list. */
export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

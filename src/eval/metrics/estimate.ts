/** A figure with its 95% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Number of samples it was computed from. */
  readonly samples: number;
}

export interface BootstrapOptions {
  readonly seed: number;
  /** Number of resamples; default: 1,000. */
  readonly rounds?: number;
}

const ROUNDS = 1000;
const TAIL = 0.025;

/**
 * A statistic with its percentile bootstrap interval: samples are drawn with replacement, as many as there are, and the
 * statistic is computed again. Groups are drawn each for itself, so that a balanced set stays balanced.
 *
 * @returns undefined without samples, or where the statistic is not defined for them
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

/** Numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/**
 * A small generator (mulberry32): the same seed gives the same numbers on every machine.
 *
 * @example
 * ```ts
 * const random = createRandom(42);
 * random() === createRandom(42)(); // true
 * ```
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A new list in random order (Fisher and Yates). */
export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const kept = shuffled[last] as Item;
    shuffled[last] = shuffled[other] as Item;
    shuffled[other] = kept;
  }
  return shuffled;
}

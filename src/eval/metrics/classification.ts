/** The truth and the decision about one sample. */
export interface BinaryOutcome {
  /** True for the positive class: harmful, ungrounded, out of scope. */
  readonly actual: boolean;
  readonly flagged: boolean;
}

/** Quality of a classifier; undefined instead of a division by zero. */
export interface BinaryMetrics {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly trueNegatives: number;
  readonly falseNegatives: number;
  readonly precision: number | undefined;
  readonly recall: number | undefined;
  readonly f1: number | undefined;
  readonly accuracy: number | undefined;
  /** The share of the others that was flagged. */
  readonly falsePositiveRate: number | undefined;
}

/**
 * Counts, precision, recall and F1 of the positive class.
 *
 * @example
 * ```ts
 * scoreBinary([{ actual: true, flagged: true }, { actual: false, flagged: true }]).precision; // 0.5
 * ```
 */
export function scoreBinary(outcomes: readonly BinaryOutcome[]): BinaryMetrics {
  const count = (actual: boolean, flagged: boolean): number =>
    outcomes.filter((outcome) => outcome.actual === actual && outcome.flagged === flagged).length;
  const truePositives = count(true, true);
  const falsePositives = count(false, true);
  const trueNegatives = count(false, false);
  const falseNegatives = count(true, false);
  return {
    truePositives,
    falsePositives,
    trueNegatives,
    falseNegatives,
    precision: divide(truePositives, truePositives + falsePositives),
    recall: divide(truePositives, truePositives + falseNegatives),
    f1: divide(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives),
    accuracy: divide(truePositives + trueNegatives, outcomes.length),
    falsePositiveRate: divide(falsePositives, falsePositives + trueNegatives),
  };
}

/**
 * The mean F1 over the classes that occur in the truth, each counting the same.
 *
 * @returns undefined without samples
 */
export function computeMacroF1(
  predictions: readonly { readonly expected: string; readonly predicted: string | undefined }[],
): number | undefined {
  const counts = new Map<string, { right: number; expected: number; predicted: number }>();
  const of = (label: string): { right: number; expected: number; predicted: number } => {
    const known = counts.get(label) ?? { right: 0, expected: 0, predicted: 0 };
    counts.set(label, known);
    return known;
  };
  for (const { expected, predicted } of predictions) {
    of(expected).expected += 1;
    if (predicted !== undefined) of(predicted).predicted += 1;
    if (predicted === expected) of(expected).right += 1;
  }
  const classes = [...counts.values()].filter((count) => count.expected > 0);
  const sum = classes.reduce(
    (total, { right, expected, predicted }) => total + (2 * right) / (expected + predicted),
    0,
  );
  return divide(sum, classes.length);
}

function divide(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/**
 * Area under the ROC curve: how often a positive scores above a negative, with ties counting half. Computed from ranks
 * (Mann-Whitney); NaN if one side is empty.
 *
 * @example
 * ```ts
 * computeAuroc([0.9, 0.8], [0.8, 0.1]); // 0.875
 * ```
 */
export function computeAuroc(positives: readonly number[], negatives: readonly number[]): number {
  if (positives.length === 0 || negatives.length === 0) return Number.NaN;
  const ascending = Float64Array.from(negatives).sort();
  let wins = 0;
  for (const score of positives) wins += (countBelow(ascending, score, false) + countBelow(ascending, score, true)) / 2;
  return wins / (positives.length * negatives.length);
}

/** How many values lie below the score, or at most at it. */
function countBelow(ascending: Float64Array, score: number, isInclusive: boolean): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = ascending[middle] as number;
    if (value < score || (isInclusive && value === score)) low = middle + 1;
    else high = middle;
  }
  return low;
}

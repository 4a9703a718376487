/**
 * The area under the ROC curve: how often a positive scores above a negative, ties counting half. Computed from ranks
 * (Mann and Whitney); not a number when one side is empty.
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

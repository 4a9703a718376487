import type { Estimate } from "./estimate.js";

/** Quantile of the normal distribution for an interval of 95%. */
const Z = 1.959_964;

/**
 * The share of successes with its Wilson interval of 95%, which has a width for shares of 0 and 1 too.
 *
 * @returns undefined without samples
 *
 * @example
 * ```ts
 * wilson(0, 100); // { value: 0, low: 0, high: 0.037, samples: 100 }
 * ```
 */
export function wilson(successes: number, samples: number): Estimate | undefined {
  if (samples === 0) return undefined;
  const value = successes / samples;
  const square = (Z * Z) / samples;
  const middle = (value + square / 2) / (1 + square);
  const half = (Z * Math.sqrt((value * (1 - value)) / samples + square / (4 * samples))) / (1 + square);
  return {
    value,
    low: Math.max(0, Math.min(value, middle - half)),
    high: Math.min(1, Math.max(value, middle + half)),
    samples,
  };
}

// Medians, minima, spreads and confidence intervals of samples.

const RESAMPLES = 1000;

/** The median; for an even number of samples, the mean of the two middle values. */
export function median(samples) {
  return quantile(samples, 0.5);
}

/** The value below which a share of the samples lies, interpolated. */
export function quantile(samples, share) {
  const sorted = Float64Array.from(samples).sort();
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.ceil(at)] - sorted[low]) * (at - low);
}

/** Distance of the quartiles as a share of the median. */
export function spread(samples) {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / median(samples);
}

/**
 * The 95% interval of a figure that is computed from the medians of several series, by resampling rounds: a round
 * contains one sample of each series, taken at the same time.
 *
 * @param rounds - rows of samples, one number for each series
 * @param figure - the figure, from one number for each series
 */
export function interval(rounds, figure) {
  if (rounds.length < 3) return undefined;
  const random = seededRandom(1);
  const columns = rounds[0].map((_, column) => Float64Array.from(rounds, (round) => round[column]));
  const drawn = columns.map((column) => new Float64Array(column.length));
  const figures = Array.from({ length: RESAMPLES }, () => {
    for (let at = 0; at < rounds.length; at += 1) {
      const from = Math.floor(random() * rounds.length);
      for (const [column, values] of columns.entries()) drawn[column][at] = values[from];
    }
    return figure(drawn.map(median));
  });
  return [quantile(figures, 0.025), quantile(figures, 0.975)];
}

/** Numbers from 0 to 1 that are the same in each run. */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

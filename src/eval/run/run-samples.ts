/** How far a run is. */
export interface EvaluationProgress {
  /** What is being done, for people. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** What all evaluations take. */
export interface RunOptions {
  /** Samples that are worked on at once; 4 unless told. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
  /** For drawing samples and confidence intervals; 42 unless told. */
  readonly seed?: number | undefined;
  /** At most so many samples, drawn by seed. */
  readonly limit?: number | undefined;
  /** Milliseconds from anywhere; `performance.now` unless told. */
  readonly now?: (() => number) | undefined;
}

export const DEFAULT_SEED = 42;
const DEFAULT_CONCURRENCY = 4;

/**
 * Works on samples, so many at once; the results are in the order of the samples. The first failure aborts the signal
 * of all work under way and is thrown; samples that have not begun do not begin.
 *
 * @throws the signal's reason when the caller aborts
 */
export async function runSamples<Sample, Result>(
  label: string,
  samples: readonly Sample[],
  work: (sample: Sample, signal: AbortSignal) => Promise<Result>,
  options: RunOptions = {},
): Promise<Result[]> {
  const { concurrency = DEFAULT_CONCURRENCY, signal, onProgress } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`the concurrency is a whole number from 1, not ${concurrency}`);
  }
  const results: Result[] = [];
  const failure = new AbortController();
  const combined = signal === undefined ? failure.signal : AbortSignal.any([signal, failure.signal]);
  let next = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next < samples.length) {
      combined.throwIfAborted();
      const index = next;
      next += 1;
      try {
        // Every sample has a signal of its own: what listens to it goes with the sample and does not pile up.
        results[index] = await work(samples[index] as Sample, AbortSignal.any([combined]));
      } catch (error) {
        failure.abort(error);
        throw error;
      }
      done += 1;
      onProgress?.({ label, done, total: samples.length });
    }
  };
  signal?.throwIfAborted();
  onProgress?.({ label, done, total: samples.length });
  await Promise.all(Array.from({ length: Math.min(concurrency, samples.length) }, worker));
  return results;
}

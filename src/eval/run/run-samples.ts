import type { CostSummary, NamedCost } from "../metrics/cost.js";
import type { OptionTable } from "../../diagnostics/options.js";
import { Cancellation } from "../../engine/async.js";

/** Progress of a run. */
export interface EvaluationProgress {
  /** Name of the work, for people. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** Options of all evaluations. */
export interface RunOptions {
  /** Number of concurrent samples. Default: 4. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
  /** Seed for drawing samples and confidence intervals. Default: 42. */
  readonly seed?: number | undefined;
  /** At most so many samples, drawn by seed. */
  readonly limit?: number | undefined;
  /** A clock in milliseconds. Default: `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** Option rules that all evaluations share. */
export const RUN_OPTIONS: OptionTable<RunOptions> = {
  concurrency: "number",
  signal: "object",
  onProgress: "function",
  seed: "number",
  limit: "number",
  now: "function",
};

/** Options of evaluations of a guardrails object. */
export interface NamedRunOptions extends RunOptions {
  /** Name of the data in the report. */
  readonly dataset?: string | undefined;
  /** Name of the evaluated system in the report. Default: `model`. */
  readonly system?: string | undefined;
}

export const NAMED_RUN_OPTIONS: OptionTable<NamedRunOptions> = { ...RUN_OPTIONS, dataset: "text", system: "text" };

/** Facts that every result of an evaluation states. */
export interface EvaluationSummary {
  readonly dataset: string;
  /** The evaluated system. */
  readonly system: string;
  readonly seed: number;
  /** Samples without a verdict; they are in none of the figures. */
  readonly errors: number;
  readonly cost: readonly CostSummary[];
}

/** Result of one sample. */
export interface Outcome<Prediction> {
  readonly prediction: Prediction;
  readonly costs: readonly NamedCost[];
}

export const DEFAULT_SEED = 42;
const DEFAULT_CONCURRENCY = 4;

/**
 * Processes samples, `concurrency` at a time, with results in sample order. The first failure aborts all work in
 * progress and is thrown; no further samples start.
 *
 * @throws the signal's reason if the caller aborts
 */
export async function runSamples<Sample, Result>(
  label: string,
  samples: readonly Sample[],
  work: (sample: Sample, signal: AbortSignal) => Promise<Result>,
  options: RunOptions = {},
): Promise<Result[]> {
  const { concurrency = DEFAULT_CONCURRENCY, signal, onProgress } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`expected \`concurrency\` to be a whole number of 1 or more, got ${concurrency}`);
  }
  const results: Result[] = [];
  const run = Cancellation.following(signal);
  let next = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next < samples.length) {
      run.throwIfAborted();
      const index = next;
      next += 1;
      // Every sample has its own signal, so its listeners do not outlive it.
      const own = run.child();
      try {
        results[index] = await work(samples[index] as Sample, own.signal);
      } catch (error) {
        run.abort(error);
        throw error;
      } finally {
        own.release();
      }
      done += 1;
      onProgress?.({ label, done, total: samples.length });
    }
  };
  signal?.throwIfAborted();
  onProgress?.({ label, done, total: samples.length });
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, samples.length) }, worker));
  } finally {
    run.release();
  }
  return results;
}

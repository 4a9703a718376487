import type { BuildJob, BuiltModel, MatcherProgress } from "./build-job.js";
import { buildModel } from "./build-model.js";
import type { StartWorker } from "./worker-build.js";

export interface LearnOptions {
  readonly onProgress?: ((progress: MatcherProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Starts the thread for large sets. Default: a Node worker thread. */
  readonly startWorker?: StartWorker | undefined;
}

/** Number of examples times intents from which a thread is worth its start. */
const LARGE = 50_000;

/** Learns a model synchronously. */
export function learnModel(job: BuildJob, onProgress?: (progress: MatcherProgress) => void): BuiltModel {
  const steps = buildModel(job);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    onProgress?.(value);
  }
}

/**
 * Learns a model without blocking the process: a large set in a thread, if available, others with a pause after each
 * long step.
 *
 * @throws the reason of the signal, or the error of `onProgress`
 */
export async function learnModelAside(job: BuildJob, options: LearnOptions): Promise<BuiltModel> {
  const { signal, startWorker } = options;
  const onProgress = onlyForward(options.onProgress);
  if (job.texts.length * job.classes >= LARGE) {
    const { buildInWorker } = await import("./worker-build.js");
    const built = await buildInWorker(job, { onProgress, signal, startWorker });
    if (built !== undefined) return built;
  }
  const steps = buildModel(job);
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = steps.next();
    if (done === true) return value;
    onProgress(value);
    // Small sets are learnt without a pause.
    if (value.share > 0 && value.share < 1) await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
}

/** Drops progress that a second attempt reports again. */
function onlyForward(
  onProgress: ((progress: MatcherProgress) => void) | undefined,
): (progress: MatcherProgress) => void {
  let reached = 0;
  return (progress) => {
    if (progress.total < reached) return;
    reached = progress.total;
    onProgress?.(progress);
  };
}

import type { Worker } from "node:worker_threads";
import { Cancellation } from "../../engine/async.js";
import type { BuildJob, BuiltModel, MatcherProgress } from "./build-job.js";

/** Starts a thread that learns the given job. */
export type StartWorker = (workerData: BuildJob) => Promise<Worker>;

/** Messages of the thread, in this order. */
export type WorkerMessage =
  | { readonly kind: "progress"; readonly progress: MatcherProgress }
  | { readonly kind: "built"; readonly built: BuiltModel };

interface WorkerBuildOptions {
  readonly onProgress: (progress: MatcherProgress) => void;
  readonly signal: AbortSignal | undefined;
  readonly startWorker?: StartWorker | undefined;
}

/** INVARIANT: the build puts the thread's file into the same folder as this module. */
const startNodeWorker: StartWorker = async (workerData) => {
  const threads = await import("node:worker_threads");
  return new threads.Worker(new URL("./build-worker.js", import.meta.url), { workerData });
};

/**
 * Learns a model in a separate thread, which has ended when the promise settles.
 *
 * @returns undefined if threads are unavailable: unsupported or forbidden by the platform, or a bundler omitted the
 * thread's file
 * @throws the reason of the signal, or the error of `onProgress`
 */
export async function buildInWorker(job: BuildJob, options: WorkerBuildOptions): Promise<BuiltModel | undefined> {
  const { onProgress, signal, startWorker = startNodeWorker } = options;
  signal?.throwIfAborted();
  let worker: Worker;
  try {
    worker = await startWorker(job);
  } catch {
    return undefined;
  }
  const cancellation = Cancellation.following(signal);
  try {
    return await new Promise<BuiltModel | undefined>((resolve, reject) => {
      const give = (): void => resolve(undefined);
      worker.once("error", give).once("messageerror", give).once("exit", give);
      cancellation.onAbort(() => reject(cancellation.reason as Error));
      if (cancellation.aborted) reject(cancellation.reason as Error);
      worker.on("message", (message: WorkerMessage) => {
        if (message.kind === "built") resolve(message.built);
        else
          try {
            onProgress(message.progress);
          } catch (error) {
            reject(error as Error);
          }
      });
    });
  } finally {
    cancellation.release();
    worker.removeAllListeners("message").on("error", () => {});
    await worker.terminate();
  }
}

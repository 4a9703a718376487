import type { Job as QueuedJob } from "bullmq";
import { isMap } from "../../engine/plain-data.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { type BatchResult, isFailedCheck, moderateRows } from "../moderate-rows.js";
import { readRow } from "../read-row.js";
import { type Job, readJob, readResults, sealResults, type SealedResults } from "./job-format.js";

/** Stored failure reasons of jobs. INVARIANT: they quote nothing of a row. */
const FOREIGN_JOB = "the job is not one of this release";
const FAILED_CHECKS = "checks of rows failed";

export interface WorkerParts {
  readonly guardrails: Pick<Guardrails, "check">;
  /** Rows that one job checks at once. */
  readonly concurrency: number;
  readonly secret: string | undefined;
  /** Called with the number of rows of each job that is done. */
  readonly onRows: ((rows: number) => void) | undefined;
  /** Makes the error for a job that no try can check. */
  readonly unrecoverable: (message: string) => Error;
}

/**
 * Checks the rows of a job. If checks fail, the other results are stored with the job and it is retried; the last
 * attempt returns errors in their place.
 */
export async function processJob(
  queued: Pick<QueuedJob, "id" | "data" | "progress" | "attemptsMade" | "opts" | "updateProgress">,
  parts: WorkerParts,
): Promise<SealedResults> {
  const { guardrails, concurrency, secret, onRows } = parts;
  const id = queued.id ?? "";
  const job = readJob(id, queued.data);
  if (job === undefined) throw parts.unrecoverable(FOREIGN_JOB);
  const known = knownResults(id, job, queued.progress, secret);
  const open = job.lines.filter(([line]) => !known.has(line));
  const rows = open.map(([line, text]) => readRow(line, text ?? undefined, job.stage));
  for await (const result of moderateRows(guardrails, rows, { concurrency, decisions: job.decisions })) {
    known.set(result.line, result);
  }
  const results = job.lines.map(([line]) => known.get(line) as BatchResult);
  const checked = results.filter((result) => !isFailedCheck(result));
  if (checked.length < results.length && queued.attemptsMade + 1 < attemptsOf(queued.opts.attempts)) {
    await queued.updateProgress({ ...sealResults(id, checked, secret) });
    throw new Error(FAILED_CHECKS);
  }
  onRows?.(results.length);
  return sealResults(id, results, secret);
}

/** Results of earlier tries. */
function knownResults(id: string, { lines }: Job, progress: unknown, secret: string | undefined) {
  const numbers = lines.map(([line]) => line);
  const results = isMap(progress) ? readResults(id, progress, numbers, secret) : undefined;
  return new Map((results ?? []).map((result) => [result.line, result]));
}

function attemptsOf(attempts: number | undefined): number {
  return Number.isSafeInteger(attempts) ? (attempts as number) : 1;
}

/** A process that checks rows of a queue until it is closed. */
export class BatchWorker implements AsyncDisposable {
  readonly #worker: { close(): Promise<void> };
  readonly #release: () => void;
  #closed: Promise<void> | undefined;

  /** @param release - called after the worker has ended */
  constructor(worker: { close(): Promise<void> }, release: () => void) {
    this.#worker = worker;
    this.#release = release;
  }

  /** Takes no further job, and ends after those at work. */
  close(): Promise<void> {
    this.#closed ??= this.#worker.close().finally(this.#release);
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

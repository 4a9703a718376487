import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Logger } from "../../diagnostics/logger.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { type BatchResult, isFailedCheck } from "../moderate-rows.js";
import type { FileLine } from "../split-lines.js";
import { readRow } from "../read-row.js";
import { chunkLines } from "./chunk-lines.js";
import type { DeadLetter, DeadLetterList } from "./dead-letters.js";
import { createJob, type Job, jobId, readResults } from "./job-format.js";
import type { RedisCalls } from "./redis-calls.js";

/** How the lines of a file are checked through a queue. */
export interface ModerateLinesOptions {
  readonly stage: "input" | "output";
  readonly decisions: boolean;
  /** Line after which results are wanted. */
  readonly after: number;
  readonly signal: AbortSignal | undefined;
  readonly onDeadLetter: (letter: DeadLetter) => void;
}

export interface CollectorParts {
  readonly client: Redis;
  readonly queue: Queue;
  readonly calls: RedisCalls;
  readonly deadLetters: DeadLetterList;
  readonly logger: Logger | undefined;
  readonly secret: string | undefined;
  readonly chunkRows: number;
  readonly attempts: number;
  readonly backoffMs: number;
}

/** Most chunks, and about the most characters, that are in the queue at once. */
const MAX_CHUNKS = 128;
const MAX_CHARACTERS = 32_000_000;

/** Milliseconds between two looks at a job: the shortest and the longest. */
const POLL_MS = { from: 5, to: 250 };

/** Milliseconds without a result after which a queue without workers is reported. */
const NO_WORKER_MS = 10_000;

/** Results of one job that cannot be read before its rows count as errors. */
const MAX_UNREADABLE = 3;

/** A chunk whose results are awaited. */
interface OpenChunk {
  readonly id: string;
  readonly job: Job;
  readonly characters: number;
}

/**
 * Puts the lines of a file into a queue and collects the results in their order. What is in the queue at once is bounded, and
 * this process holds it as well: a job that the server has lost is added again.
 */
export class Collector {
  readonly #parts: CollectorParts;
  readonly #options: ModerateLinesOptions;
  readonly #open: OpenChunk[] = [];
  #characters = 0;

  constructor(parts: CollectorParts, options: ModerateLinesOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async *collect(lines: AsyncIterable<FileLine>): AsyncGenerator<BatchResult> {
    for await (const chunk of chunkLines(lines, this.#parts.chunkRows)) {
      if ((chunk.at(-1)?.number ?? 0) <= this.#options.after) continue;
      await this.#enqueue(createJob(chunk, this.#options));
      while (this.#open.length >= MAX_CHUNKS || this.#characters >= MAX_CHARACTERS) yield* this.#collectFirst();
    }
    while (this.#open.length > 0) yield* this.#collectFirst();
  }

  async #enqueue(job: Job): Promise<void> {
    const id = jobId(job);
    // A job that failed in an earlier run is tried again.
    if ((await this.#call(({ queue }) => queue.getJobState(id))) === "failed") await this.#remove(id);
    await this.#add(id, job);
    const characters = job.lines.reduce((sum, [, text]) => sum + (text?.length ?? 0), 0);
    this.#open.push({ id, job, characters });
    this.#characters += characters;
  }

  async #add(id: string, job: Job): Promise<void> {
    const { attempts, backoffMs } = this.#parts;
    const backoff = { type: "exponential", delay: backoffMs, jitter: 0.5 };
    await this.#call(({ queue }) =>
      queue.add("rows", job, { jobId: id, attempts, backoff, removeOnFail: false, stackTraceLimit: 0 }),
    );
  }

  async *#collectFirst(): AsyncGenerator<BatchResult> {
    const chunk = this.#open.shift() as OpenChunk;
    this.#characters -= chunk.characters;
    const results = await this.#resultsOf(chunk);
    for (const result of results) if (result.line > this.#options.after) yield result;
    // INVARIANT: results leave the queue after their reader has them. If it has not written them yet, their rows are
    // checked again.
    await this.#remove(chunk.id);
  }

  async #resultsOf({ id, job }: Pick<OpenChunk, "id" | "job">): Promise<readonly BatchResult[]> {
    const { signal } = this.#options;
    const patience = new Patience();
    for (let unreadable = 0; ;) {
      const state = await this.#call(({ queue }) => queue.getJobState(id));
      if (state === "unknown") await this.#add(id, job);
      else if (state === "failed") return await this.#divide(id, job);
      else if (state === "completed") {
        const results = await this.#read(id, job);
        if (results !== undefined) return await this.#withDeadRows(id, results);
        if ((unreadable += 1) >= MAX_UNREADABLE) {
          return await this.#bury(id, job, { error: "the results of the workers are not valid", attempts: unreadable });
        }
        await this.#remove(id);
      } else {
        await this.#parts.calls.pause(patience.next(), signal);
        if (patience.isOver()) await this.#warnOfNoWorker();
      }
    }
  }

  /** Retries the rows of a failed job one by one, so that a row that crashes its workers takes no other with it. */
  async #divide(id: string, job: Job): Promise<readonly BatchResult[]> {
    if (job.lines.length === 1) return await this.#bury(id, job, await this.#failureOf(id));
    const parts = job.lines.map((line): Job => ({ ...job, lines: [line] }));
    for (const part of parts) await this.#add(jobId(part), part);
    const results: BatchResult[] = [];
    for (const part of parts) {
      results.push(...(await this.#resultsOf({ id: jobId(part), job: part })));
      await this.#remove(jobId(part));
    }
    return results;
  }

  async #read(id: string, job: Job): Promise<readonly BatchResult[] | undefined> {
    const found = await this.#field(id, "returnvalue");
    const lines = job.lines.map(([line]) => line);
    const results = readResults(id, parse(found), lines, this.#parts.secret);
    return results?.length === lines.length ? results : undefined;
  }

  /** Reports the rows whose checks have failed in each try. */
  async #withDeadRows(id: string, results: readonly BatchResult[]): Promise<readonly BatchResult[]> {
    const failed = results.filter(isFailedCheck);
    const [first] = failed;
    if (first === undefined) await this.#call(({ deadLetters }) => deadLetters.remove(id));
    else {
      const { attempts } = this.#parts;
      await this.#report(id, { lines: failed.map(({ line }) => line), error: first.error ?? "", attempts });
    }
    return results;
  }

  /** Gives every row of a job that failed an error, and reports them. */
  async #bury(id: string, job: Job, failure: Omit<DeadLetter, "lines">): Promise<readonly BatchResult[]> {
    await this.#report(id, { lines: job.lines.map(([line]) => line), ...failure });
    const rows = job.lines.map(([line, text]) => readRow(line, text ?? undefined, job.stage));
    return rows.map(({ line, id: given }) =>
      omitUndefined({ line, id: given, status: "error" as const, error: failure.error }),
    );
  }

  async #report(id: string, letter: DeadLetter): Promise<void> {
    await this.#call(({ deadLetters }) => deadLetters.add(id, letter));
    const { onDeadLetter, after } = this.#options;
    const lines = letter.lines.filter((line) => line > after);
    if (lines.length > 0) onDeadLetter({ ...letter, lines });
  }

  /** INVARIANT: only known reasons from the queue are repeated, since others may quote a row. */
  async #failureOf(id: string): Promise<Omit<DeadLetter, "lines">> {
    const reason = (await this.#field(id, "failedReason")) ?? "";
    const isStalled = reason.includes("stalled");
    const error = isStalled ? "the workers that checked the row ended before its result" : "the job of the row failed";
    return { error, attempts: Number((await this.#field(id, isStalled ? "stc" : "atm")) ?? 1) };
  }

  #field(id: string, name: string): Promise<string | null> {
    return this.#call(({ client, queue }) => client.hget(queue.toKey(id), name));
  }

  async #remove(id: string): Promise<void> {
    await this.#call(({ queue }) => queue.remove(id));
  }

  #call<Value>(command: (parts: CollectorParts) => Promise<Value>): Promise<Value> {
    return this.#parts.calls.run(() => command(this.#parts), this.#options.signal);
  }

  async #warnOfNoWorker(): Promise<void> {
    if ((await this.#call(({ queue }) => queue.getWorkersCount())) > 0) return;
    this.#parts.logger?.warn(
      `no worker listens on the queue \`${this.#parts.queue.name}\`; workers need the same name and policy, and the same release`,
    );
  }
}

/** Waits that grow, and the time without a result. */
class Patience {
  #wait = POLL_MS.from;
  #waited = 0;
  #isReported = false;

  next(): number {
    const wait = this.#wait;
    this.#waited += wait;
    this.#wait = Math.min(POLL_MS.to, wait * 2);
    return wait;
  }

  /** True once after a long time. */
  isOver(): boolean {
    if (this.#isReported || this.#waited < NO_WORKER_MS) return false;
    this.#isReported = true;
    return true;
  }
}

function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

import { createHash } from "node:crypto";
import type * as BullMQ from "bullmq";
import type { Redis } from "ioredis";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { type Logger, logOnce } from "../../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { missingPeer } from "../../langchain/peer.js";
import { connectRedis } from "../../langchain/redis/connect-redis.js";
import { type BatchResult, checkConcurrency } from "../moderate-rows.js";
import type { FileLine } from "../split-lines.js";
import { BatchWorker, processJob } from "./batch-worker.js";
import { Collector, type ModerateLinesOptions } from "./collector.js";
import { type DeadLetter, DeadLetterList } from "./dead-letters.js";
import { JOB_VERSION, MAX_JOB_LINES } from "./job-format.js";
import { RedisCalls } from "./redis-calls.js";

export interface BatchQueueOptions {
  /** Name of the queue: letters, digits, `_` and `-`. Default: `batch`. */
  readonly name?: string;
  /**
   * Name of the policy that checks the rows, such as a version of the configuration: workers only take rows of their
   * own policy. Default: none.
   */
  readonly policy?: string;
  /**
   * Secret that this process and its workers share, of at least 16 characters. With it, only results of processes that have it
   * are taken. Default: none, and then each program that can write to the database can write verdicts.
   */
  readonly secret?: string;
  /** Maximum number of rows per job. Default: 100. */
  readonly chunkRows?: number;
  /** Attempts per job before its rows count as errors. Default: 5. */
  readonly attempts?: number;
  /** Milliseconds before the second try; each further one waits twice as long. Default: 1,000. */
  readonly backoffMs?: number;
  /** Receives warnings, such as a lost connection. Default: none. */
  readonly logger?: Logger;
}

export interface BatchWorkerOptions {
  /** Number of rows checked at once. Default: 8. */
  readonly concurrency?: number;
  /** Milliseconds after which a dead process loses its job; another takes it within half of them. Default: 30,000. */
  readonly lockMs?: number;
  /** Called with the number of rows of each job that is done. */
  readonly onRows?: (rows: number) => void;
}

const QUEUE_OPTIONS: OptionTable<BatchQueueOptions> = {
  name: "text",
  policy: "text",
  secret: "text",
  chunkRows: "number",
  attempts: "number",
  backoffMs: "number",
  logger: "any",
};

const WORKER_OPTIONS: OptionTable<BatchWorkerOptions> = { concurrency: "number", lockMs: "number", onRows: "function" };

/** Keys share a slot of a Redis cluster. */
const PREFIX = "{langchain-guardrails:batch}";

/** Times that a job may lose its worker. */
const MAX_STALLS = 2;

/** Seconds for which unread results and failures are kept. */
const KEPT_S = { completed: 24 * 3600, failed: 7 * 24 * 3600 };

/**
 * A queue on Redis or Valkey, through which many processes check the rows of a file. One process calls `moderateFile` with the
 * queue, any number of others `work`. Needs the packages `bullmq` and `ioredis`. The texts of the rows are in Redis until
 * they are checked and collected.
 *
 * @example
 * ```ts
 * await using queue = await BatchQueue.connect("redis://localhost:6379", { name: "reviews" });
 * const summary = await moderateFile(queue, "reviews.jsonl", "verdicts.jsonl", { existing: "resume" });
 * ```
 */
export class BatchQueue implements AsyncDisposable {
  readonly #client: Redis;
  readonly #bullmq: typeof BullMQ;
  readonly #queue: BullMQ.Queue;
  readonly #calls: RedisCalls;
  readonly #deadLetters: DeadLetterList;
  readonly #options: BatchQueueOptions;
  readonly #workers = new Set<BatchWorker>();

  /** @internal */
  private constructor(client: Redis, bullmq: typeof BullMQ, options: BatchQueueOptions) {
    const { name = "batch", policy = "", logger } = options;
    const digest = createHash("sha256")
      .update(JSON.stringify([JOB_VERSION, policy]))
      .digest("hex")
      .slice(0, 16);
    this.#client = client;
    this.#bullmq = bullmq;
    this.#calls = new RedisCalls(client, logger);
    this.#queue = new bullmq.Queue(`${name}-${digest}`, { connection: client, prefix: PREFIX });
    // The client reports connection problems.
    this.#queue.on("error", () => undefined);
    this.#deadLetters = new DeadLetterList(client, `${PREFIX}:${name}:dead-letters`);
    this.#options = options;
  }

  /**
   * Opens a queue with its own connection, which reconnects when it is lost; `close` ends it.
   *
   * @param url - `redis://user:password@host:port/database`, or `rediss://` for TLS
   * @throws ConfigError `CF-103` and `CF-104` for wrong options, or if `bullmq` or `ioredis` is not installed; the error of the
   * client if the server cannot be reached
   *
   * @example
   * ```ts
   * const queue = await BatchQueue.connect("redis://localhost:6379", { name: "reviews", policy: "2026-11" });
   * ```
   */
  static async connect(url: string, options: BatchQueueOptions = {}): Promise<BatchQueue> {
    checkQueueOptions(options);
    const bullmq = await loadBullMQ();
    // Commands wait for an unreachable server without a limit.
    const client = await connectRedis(url, { maxRetriesPerRequest: null });
    return new BatchQueue(client, bullmq, options);
  }

  /** Name of the queue in Redis: the given name and a digest of the policy. */
  get key(): string {
    return this.#queue.name;
  }

  /**
   * Checks rows of the queue in this process until the worker is closed.
   *
   * @throws ConfigError `CF-103` and `CF-104` for wrong options
   *
   * @example
   * ```ts
   * const worker = queue.work(guardrails, { concurrency: 16 });
   * process.once("SIGTERM", () => void worker.close());
   * ```
   */
  work(guardrails: Pick<Guardrails, "check">, options: BatchWorkerOptions = {}): BatchWorker {
    checkOptions("queue.work", options, WORKER_OPTIONS);
    const { concurrency = 8, lockMs = 30_000, onRows } = options;
    checkConcurrency(concurrency);
    checkWhole("lockMs", lockMs, { from: 100, to: 3_600_000 });
    const { Worker, UnrecoverableError } = this.#bullmq;
    const { secret, logger } = this.#options;
    const unrecoverable = (message: string): Error => new UnrecoverableError(message);
    const parts = { guardrails, concurrency, secret, onRows, unrecoverable };
    const worker = new Worker(this.#queue.name, (job) => processJob(job, parts), {
      connection: this.#client,
      prefix: PREFIX,
      // INVARIANT: one job at a time, so a job that crashes the process takes no other with it.
      concurrency: 1,
      lockDuration: lockMs,
      stalledInterval: Math.ceil(lockMs / 2),
      maxStalledCount: MAX_STALLS,
      removeOnComplete: { age: KEPT_S.completed },
      removeOnFail: { age: KEPT_S.failed },
    });
    const note = "a worker of the batch queue has met an error; its jobs are tried again";
    worker.on("error", () => logOnce(logger, "warn", "batch worker", note));
    const running = new BatchWorker(worker, () => this.#workers.delete(running));
    this.#workers.add(running);
    return running;
  }

  /** Reads the rows that no worker could check in all its tries, of all policies, in the order of their lines. */
  deadLetters(): Promise<readonly DeadLetter[]> {
    return this.#deadLetters.read();
  }

  /** Forgets the dead letters. */
  clearDeadLetters(): Promise<void> {
    return this.#deadLetters.clear();
  }

  /** Ends the workers of this object and its connection. Jobs at work end first. */
  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    this.#calls.close();
    await this.#queue.close();
    this.#client.disconnect();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Checks lines of a file through the workers, with results in line order. `moderateFile` calls it.
   *
   * @internal
   */
  moderateLines(lines: AsyncIterable<FileLine>, options: ModerateLinesOptions): AsyncGenerator<BatchResult> {
    const { logger, secret, chunkRows = 100, attempts = 5, backoffMs = 1_000 } = this.#options;
    const own = { client: this.#client, queue: this.#queue, calls: this.#calls, deadLetters: this.#deadLetters };
    return new Collector({ ...own, logger, secret, chunkRows, attempts, backoffMs }, options).collect(lines);
  }
}

function checkQueueOptions(options: BatchQueueOptions): void {
  checkOptions("BatchQueue.connect", options, QUEUE_OPTIONS);
  const { name, secret, chunkRows, attempts, backoffMs } = options;
  if (name !== undefined && !/^[A-Za-z0-9_-]{1,100}$/.test(name)) {
    throw wrong("name", `\`name\` takes letters, digits, \`_\` and \`-\`, not \`${name.slice(0, 60)}\``);
  }
  if (secret !== undefined && secret.length < MIN_SECRET) {
    throw wrong("secret", `\`secret\` has at least ${MIN_SECRET} characters`);
  }
  checkWhole("chunkRows", chunkRows, { from: 1, to: MAX_JOB_LINES });
  checkWhole("attempts", attempts, { from: 1, to: 100 });
  checkWhole("backoffMs", backoffMs, { from: 0, to: 3_600_000 });
}

const MIN_SECRET = 16;

function checkWhole(name: string, value: number | undefined, { from, to }: { from: number; to: number }): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= from && value <= to)) return;
  throw wrong(name, `\`${name}\` is a whole number from ${from} to ${to}, not \`${value}\``);
}

function wrong(path: string, message: string): ConfigError {
  return new ConfigError([createDiagnostic("CF-104", message, { path })]);
}

async function loadBullMQ(): Promise<typeof BullMQ> {
  try {
    return await import("bullmq");
  } catch (cause) {
    throw missingPeer("bullmq", cause);
  }
}

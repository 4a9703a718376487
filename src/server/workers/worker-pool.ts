import { type Clock, type StartTimer, startTimer as platformTimer, systemClock } from "../../engine/events.js";
import type { MergedMetrics, MetricSnapshot } from "../metrics/prometheus.js";
import type { ReadyWorker, ToPool, ToWorker } from "./messages.js";

/** A worker process. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  send(message: ToWorker): void;
  /** Terminates the process immediately. */
  kill(): void;
}

/** Receives the events of a worker. */
export interface WorkerEvents {
  message(message: ToPool): void;
  /** @param how - exit code, or the signal that terminated it */
  exit(how: number | string): void;
}

export interface WorkerPoolOptions {
  readonly count: number;
  /** Starts a process. */
  readonly fork: (events: WorkerEvents) => WorkerProcess;
  /** Receives a line about each worker that exits unexpectedly. */
  readonly report: (line: string) => void;
  /** Merges metrics of several workers. */
  readonly mergeMetrics?: (snapshots: readonly MetricSnapshot[][]) => Promise<MergedMetrics>;
  readonly startTimer?: StartTimer;
  readonly clock?: Clock;
}

/** Milliseconds after which a worker counts as stable, and its next exit as the first one. */
const STABLE_MS = 10_000;
/** First and longest delay before a worker that has exited again is replaced, in milliseconds. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** Time limit for stopping the workers of a pool that cannot start, in milliseconds. */
const STOP_MS = 5_000;
/** Time limit for the metrics of a worker, in milliseconds. */
const MEASURE_MS = 1_000;

/** A slot of the pool; its process changes. */
interface Slot {
  readonly number: number;
  process?: WorkerProcess | undefined;
  isReady: boolean;
  startedAt: number;
  /** Number of consecutive exits before the process was stable. */
  failures: number;
  /** Number of reloads that had been requested when the process started. */
  reloads: number;
  stopTimer?: (() => void) | undefined;
  /** Metrics that the process sent last. */
  snapshot?: MetricSnapshot[] | undefined;
}

/** Pending replies of one kind, by number. */
interface Waiting {
  readonly slot: Slot;
  resolve(reply: Extract<ToPool, { readonly number: number }> | undefined): void;
}

/** Worker processes that serve on one port. An exited worker is replaced, with an increasing delay after early exits. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #startTimer: StartTimer;
  readonly #clock: Clock;
  readonly #slots: readonly Slot[];
  readonly #waiting = new Map<number, Waiting>();
  /** Counters of exited workers, so that totals never decrease. */
  #retired: MetricSnapshot[] = [];
  /** INVARIANT: pages are created one after another, since each adds to the counters of exited workers. */
  #pages: Promise<void> = Promise.resolve();
  readonly #ended: MetricSnapshot[][] = [];
  #numbers = 0;
  #reloads = 0;
  #restarts = 0;
  #about: ReadyWorker | undefined;
  #isStopping = false;
  #onReady: () => void = () => undefined;
  #onFailure: (how: number | string) => void = () => undefined;
  #onIdle: () => void = () => undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#startTimer = options.startTimer ?? platformTimer;
    this.#clock = options.clock ?? systemClock;
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      isReady: false,
      startedAt: 0,
      failures: 0,
      reloads: 0,
    }));
  }

  /**
   * Starts one worker, then the others, so that an error in the configuration is reported once.
   *
   * @returns the description of the server once all are ready, or the exit code or signal of a worker that exited before
   */
  start(): Promise<ReadyWorker | { readonly ended: number | string }> {
    return new Promise((resolve) => {
      this.#onFailure = (ended) => {
        this.#onFailure = () => undefined;
        void this.stop(STOP_MS).then(() => resolve({ ended }));
      };
      const [first, ...others] = this.#slots;
      this.#onReady = () => {
        for (const slot of others) if (slot.process === undefined) this.#fork(slot);
        if (this.#about === undefined || !this.#slots.every(({ isReady }) => isReady)) return;
        this.#onReady = () => undefined;
        this.#onFailure = () => undefined;
        resolve(this.#about);
      };
      if (first !== undefined) this.#fork(first);
    });
  }

  /** Ids of the running processes. */
  get processes(): readonly number[] {
    return this.#slots.flatMap((slot) => slot.process?.pid ?? []);
  }

  /**
   * Reloads a configuration in all workers.
   *
   * @param config - id of the configuration
   * @returns the deduplicated problems of workers that keep their current version
   */
  async reload(config: string): Promise<readonly string[]> {
    this.#reloads += 1;
    const replies = await Promise.all(
      this.#slots
        .filter(({ isReady }) => isReady)
        .map((slot) => this.#ask(slot, (number) => ({ kind: "reload", number, config }))),
    );
    const problems = replies.flatMap((reply) => (reply?.kind === "reloaded" ? (reply.problem ?? []) : []));
    return [...new Set(problems)];
  }

  /** Lets the workers finish their requests. Workers that take longer than `graceMs` are terminated. */
  stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    return new Promise((resolve) => {
      const stopTimer = this.#startTimer(graceMs, () => {
        for (const { process } of this.#slots) process?.kill();
      });
      this.#onIdle = () => {
        if (this.#slots.some(({ process }) => process !== undefined)) return;
        stopTimer();
        resolve();
      };
      for (const slot of this.#slots) {
        slot.stopTimer?.();
        if (slot.isReady) slot.process?.send({ kind: "stop" });
        // A worker that has not started yet has no requests, and might miss a message.
        else slot.process?.kill();
      }
      this.#onIdle();
    });
  }

  #fork(slot: Slot): void {
    slot.isReady = false;
    slot.startedAt = this.#clock.now();
    slot.reloads = this.#reloads;
    const events: WorkerEvents = {
      message: (message) => this.#receive(slot, message),
      exit: (how) => this.#replace(slot, how),
    };
    slot.process = this.#options.fork(events);
  }

  #receive(slot: Slot, message: ToPool): void {
    if (message.kind === "ready") {
      slot.isReady = true;
      this.#about ??= message.about;
      // The worker may have read the files before they changed.
      if (slot.reloads !== this.#reloads) {
        void this.#ask(slot, (number) => ({ kind: "reload", number, config: undefined }));
      }
      this.#onReady();
    } else if (message.kind === "page") {
      const reportFailure = (error: unknown): void =>
        this.#options.report(`cannot collect the metrics of the workers: ${String(error)}`);
      this.#pages = this.#pages.then(() => this.#sendPage(slot, message.number)).catch(reportFailure);
    } else this.#waiting.get(message.number)?.resolve(message);
  }

  #replace(slot: Slot, how: number | string): void {
    const { process, isReady, snapshot } = slot;
    for (const { slot: asked, resolve } of this.#waiting.values()) if (asked === slot) resolve(undefined);
    if (snapshot !== undefined) this.#ended.push(snapshot.filter(({ type }) => type !== "gauge"));
    Object.assign(slot, { process: undefined, isReady: false, snapshot: undefined });
    if (this.#isStopping) {
      this.#onIdle();
      return;
    }
    if (this.#about === undefined) {
      this.#onFailure(how);
      return;
    }
    if (isReady && this.#clock.now() - slot.startedAt >= STABLE_MS) slot.failures = 0;
    const delay = slot.failures === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (slot.failures - 1), LONGEST_DELAY_MS);
    slot.failures += 1;
    this.#restarts += 1;
    const cause = typeof how === "string" ? `was ended by ${how}` : `ended with exit code ${how}`;
    this.#options.report(
      `worker ${slot.number} (process ${process?.pid ?? "?"}) ${cause}; another starts ${delay === 0 ? "now" : `in ${delay} ms`}`,
    );
    if (delay === 0) this.#fork(slot);
    else slot.stopTimer = this.#startTimer(delay, () => this.#fork(slot));
  }

  /** Sends a message and waits for its reply; undefined if the worker exits first, or on timeout. */
  #ask(
    slot: Slot,
    message: (number: number) => ToWorker,
    timeoutMs?: number,
  ): Promise<Extract<ToPool, { readonly number: number }> | undefined> {
    const number = (this.#numbers += 1);
    return new Promise((resolve) => {
      let stopTimer: (() => void) | undefined;
      const done: Waiting["resolve"] = (reply) => {
        this.#waiting.delete(number);
        stopTimer?.();
        resolve(reply);
      };
      this.#waiting.set(number, { slot, resolve: done });
      if (timeoutMs !== undefined) stopTimer = this.#startTimer(timeoutMs, () => done(undefined));
      slot.process?.send(message(number));
    });
  }

  /** Sends a worker the merged page. A worker that does not respond in time is included with its last metrics. */
  async #sendPage(asking: Slot, number: number): Promise<void> {
    const { mergeMetrics } = this.#options;
    if (mergeMetrics === undefined) return;
    await Promise.all(this.#slots.filter(({ isReady }) => isReady).map((slot) => this.#measure(slot)));
    const live = this.#slots.flatMap(({ snapshot }) => (snapshot === undefined ? [] : [snapshot]));
    this.#retired = (await mergeMetrics([this.#retired, ...this.#ended.splice(0)])).snapshot;
    const { page } = await mergeMetrics([...live, this.#retired, this.#own()]);
    asking.process?.send({ kind: "page", number, page });
  }

  async #measure(slot: Slot): Promise<void> {
    const { process } = slot;
    const reply = await this.#ask(slot, (number) => ({ kind: "measure", number }), MEASURE_MS);
    if (reply?.kind === "measured" && slot.process === process) slot.snapshot = [...reply.snapshot];
  }

  /** Metrics of the pool itself. */
  #own(): MetricSnapshot[] {
    const ready = this.#slots.filter(({ isReady }) => isReady).length;
    return [
      metricOf("guardrails_workers_ready", "Workers that take requests.", "gauge", ready),
      metricOf("guardrails_worker_restarts_total", "Workers that ended by themselves.", "counter", this.#restarts),
    ];
  }
}

function metricOf(name: string, help: string, type: "gauge" | "counter", value: number): MetricSnapshot {
  return { name, help, type, values: [{ value, labels: {} }], aggregator: "sum" };
}

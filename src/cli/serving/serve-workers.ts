import cluster from "node:cluster";
import { variable } from "../../config/environment.js";
import type { RunningServer } from "../../server/index.js";
import { mergeMetrics, type MetricSnapshot } from "../../server/metrics/prometheus.js";
import { findPort, forkWorker, WORKER_VARIABLE } from "../../server/workers/cluster-worker.js";
import type { ReadyWorker } from "../../server/workers/messages.js";
import { WorkerChannel } from "../../server/workers/worker-channel.js";
import { WorkerPool } from "../../server/workers/worker-pool.js";
import { type CommandLine, EXIT, type ExitCode, type Printer, untilInterruption, UsageError } from "../command-line.js";

/** A server that has started in this process. */
export interface Serving {
  readonly running: RunningServer;
  /** Finishes the requests in progress, then closes the server and its store. */
  close(): Promise<void>;
  snapshot(): Promise<MetricSnapshot[]>;
}

/** Settings of a worker's server. */
interface WorkerSettings {
  readonly port: number;
  readonly page: WorkerChannel["page"];
}

export const DRAINING = "waiting for requests at work; Ctrl+C again ends at once";

/** Time limit for stopping all workers, in milliseconds: the time limit of their requests, plus a margin. */
const STOP_MS = 12_000;

/** True in a process started by a worker pool. */
export function isWorker({ env }: CommandLine): boolean {
  return cluster.isWorker && variable(env, WORKER_VARIABLE) !== undefined;
}

/** Prints the address of a server. */
export function announce({ url, configs, isClosed }: ReadyWorker, stdout: Printer): void {
  stdout.line(`listening on ${url}/v1 (${configs.join(", ")})`);
  if (!isClosed) stdout.line("no keys: only programs of this machine reach it", "dim");
}

/** Serves until the pool or a signal stops this worker. */
export async function serveAsWorker(
  start: (settings: WorkerSettings) => Promise<Serving>,
  { env, signal }: CommandLine,
): Promise<ExitCode> {
  const channel = new WorkerChannel(process);
  const port = Number(variable(env, WORKER_VARIABLE));
  try {
    const { running, close, snapshot } = await start({ port, page: () => channel.page() });
    const { app, url } = running;
    const about = { url, configs: app.configs, isClosed: app.isClosed };
    channel.ready(about, { snapshot, reload: (config) => app.reload(config) });
    await Promise.race([channel.stopped, untilInterruption(signal)]);
    await close();
    return EXIT.ok;
  } finally {
    // An open channel would keep the process alive. Without the flag, closing it would exit the process with code 0.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
    process.disconnect();
  }
}

/** Options of a server with several workers. */
interface PoolOptions {
  readonly workers: number;
  readonly host: string;
  readonly port: number;
  readonly metrics?: boolean;
}

/**
 * Serves with several workers until interrupted.
 *
 * @param onReady - starts work that runs concurrently with the workers until the signal aborts
 */
export async function serveWithWorkers(
  { workers, host, port, metrics }: PoolOptions,
  { stdout, stderr, signal }: CommandLine,
  onReady: (stopping: AbortSignal, pool: WorkerPool) => readonly Promise<void>[],
): Promise<ExitCode> {
  if (cluster.isWorker) throw new UsageError("a worker of another program cannot have workers; leave out `--workers`");
  const listened = port === 0 ? await findPort(host) : port;
  const pool = new WorkerPool({
    count: workers,
    fork: (events) => forkWorker(events, listened),
    report: (line) => stderr.line(line, "yellow"),
    ...(metrics === true ? { mergeMetrics } : {}),
  });
  const interrupted = untilInterruption(signal);
  const started = await Promise.race([pool.start(), interrupted]);
  if (started !== undefined && "ended" in started) {
    // The worker has already written the reason.
    return started.ended === EXIT.usage ? EXIT.usage : EXIT.problems;
  }
  let beside: readonly Promise<void>[] = [];
  if (started !== undefined) {
    announce(started, stdout);
    beside = onReady(signal, pool);
    stdout.line(`${workers} workers: processes ${pool.processes.join(", ")}`, "dim");
    await interrupted;
  }
  stdout.line(DRAINING, "dim");
  await Promise.all([pool.stop(STOP_MS), ...beside]);
  return EXIT.ok;
}

import type { CommandLine, ExitCode } from "../command-line.js";
import { EXIT, untilInterruption } from "../command-line.js";
import { openConfiguration } from "../open-configuration.js";
import { openQueue, type QueueOptions } from "../open-queue.js";
import { readConcurrency } from "./batch.js";

export interface BatchWorkerOptions extends QueueOptions {
  readonly concurrency: string;
}

/** `batch-worker`: checks rows of a queue, until interrupted. */
export async function runBatchWorker(options: BatchWorkerOptions, commandLine: CommandLine): Promise<ExitCode> {
  const { stdout, signal } = commandLine;
  const concurrency = readConcurrency(options.concurrency);
  const guardrails = await openConfiguration(options.config, options, commandLine);
  const queue = await openQueue(options, commandLine);
  let rows = 0;
  const worker = queue.work(guardrails, { concurrency, onRows: (count) => (rows += count) });
  stdout.line(`checking rows of the queue ${queue.key}`);
  await untilInterruption(signal);
  stdout.line("finishing the rows at work; Ctrl+C again ends at once", "dim");
  await worker.close();
  await queue.close();
  stdout.line(`${rows} rows checked`);
  return EXIT.ok;
}

import { type BatchSummary, moderateFile } from "../../batch/index.js";
import { type CommandLine, EXIT, type ExitCode, UsageError } from "../command-line.js";
import { openConfiguration, type OpenOptions } from "../open-configuration.js";
import { ProgressBar } from "../progress-bar.js";

export interface BatchOptions extends OpenOptions {
  readonly config: string;
  readonly stage: "input" | "output";
  readonly concurrency: string;
  readonly decisions?: boolean;
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `batch`: the rows of a file. */
export async function runBatch(
  input: string,
  output: string,
  options: BatchOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = commandLine;
  const { stage, decisions = false } = options;
  const concurrency = readConcurrency(options.concurrency);
  const existing = readExisting(options);
  const guardrails = await openConfiguration(options.config, options, commandLine);
  const bar = new ProgressBar({ write: (text) => stderr.raw(text), isTTY: stderr.isTerminal });
  const onProgress = ({ rows, bytes, totalBytes }: { rows: number; bytes: number; totalBytes: number }): void =>
    bar.show({ label: `${rows} rows`, done: bytes, total: totalBytes });
  const settings = { stage, concurrency, decisions, existing, onProgress, signal };
  try {
    const summary = await moderateFile(guardrails, input, output, settings);
    bar.clear();
    if (options.json === true) stdout.json(summary);
    else stdout.line(describeSummary(summary));
    return summary.errors > 0 ? EXIT.problems : EXIT.ok;
  } catch (error) {
    bar.clear();
    if (signal.aborted) stderr.line("interrupted: --resume goes on from here", "yellow");
    throw error;
  }
}

function readConcurrency(text: string): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count > 0) return count;
  throw new UsageError(`--concurrency is a number of rows, not \`${text}\``);
}

function readExisting({ resume, force }: BatchOptions): "error" | "resume" | "replace" {
  if (resume === true && force === true) throw new UsageError("--resume and --force exclude each other");
  return resume === true ? "resume" : force === true ? "replace" : "error";
}

function describeSummary({ rows, resumed, passed, modified, blocked, errors, byRail }: BatchSummary): string {
  const before = resumed === 0 ? "" : `, after ${resumed} of earlier runs`;
  const counts = `${passed} passed, ${modified} modified, ${blocked} blocked, ${errors} with errors`;
  const rails = Object.entries(byRail).map(([rail, count]) => `\n  ${rail}: ${count} blocked`);
  return `${rows} rows${before}: ${counts}${rails.join("")}`;
}

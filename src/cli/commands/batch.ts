import { type BatchSummary, moderateFile, type ModerateFileOptions } from "../../batch/index.js";
import { type CommandLine, EXIT, type ExitCode, UsageError } from "../command-line.js";
import { openConfiguration, type OpenOptions } from "../open-configuration.js";
import { openQueue } from "../open-queue.js";
import { ProgressBar } from "../progress-bar.js";

export interface BatchOptions extends OpenOptions {
  readonly config: string;
  readonly stage: "input" | "output";
  readonly concurrency?: string;
  readonly decisions?: boolean;
  readonly resume?: boolean;
  readonly force?: boolean;
  /** Server of a queue whose workers check the rows. */
  readonly redis?: string;
  readonly queue?: string;
  readonly json?: boolean;
}

const DEFAULT_CONCURRENCY = "8";

/** `batch`: checks the rows of a file, in this process or with the workers of a queue. */
export async function runBatch(
  input: string,
  output: string,
  options: BatchOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = commandLine;
  const { stage, decisions = false } = options;
  const existing = readExisting(options);
  const bar = new ProgressBar(stderr.output);
  const onProgress = ({ rows, bytes, totalBytes }: { rows: number; bytes: number; totalBytes: number }): void =>
    bar.show({ label: `${rows} rows`, done: bytes, total: totalBytes });
  const settings = { stage, decisions, existing, onProgress, signal };
  const queue = usesQueue(options) ? await openQueue(options, commandLine) : undefined;
  try {
    const summary =
      queue === undefined
        ? await moderateHere({ input, output, settings }, options, commandLine)
        : await moderateFile(queue, input, output, settings);
    bar.clear();
    if (options.json === true) stdout.json(summary);
    else stdout.line(describeSummary(summary));
    return summary.errors > 0 ? EXIT.problems : EXIT.ok;
  } catch (error) {
    bar.clear();
    if (signal.aborted) stderr.line("interrupted: --resume goes on from here", "yellow");
    throw error;
  } finally {
    await queue?.close();
  }
}

function usesQueue({ redis, queue, concurrency }: BatchOptions): boolean {
  if (redis === undefined && queue === undefined) return false;
  if (concurrency === undefined) return true;
  throw new UsageError("--concurrency is an option of `batch-worker` where a queue is used");
}

interface Job {
  readonly input: string;
  readonly output: string;
  readonly settings: ModerateFileOptions;
}

async function moderateHere(
  { input, output, settings }: Job,
  options: BatchOptions,
  commandLine: CommandLine,
): Promise<BatchSummary> {
  const concurrency = readConcurrency(options.concurrency ?? DEFAULT_CONCURRENCY);
  const guardrails = await openConfiguration(options.config, options, commandLine);
  return moderateFile(guardrails, input, output, { ...settings, concurrency });
}

export function readConcurrency(text: string): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count > 0) return count;
  throw new UsageError(`--concurrency is a number of rows, not \`${text}\``);
}

function readExisting({ resume, force }: BatchOptions): "error" | "resume" | "replace" {
  if (resume === true && force === true) throw new UsageError("--resume and --force exclude each other");
  return resume === true ? "resume" : force === true ? "replace" : "error";
}

function describeSummary(summary: BatchSummary): string {
  const { rows, resumed, passed, modified, blocked, errors, byRail, deadRows = 0, deadLetters = [] } = summary;
  const before = resumed === 0 ? "" : `, after ${resumed} of earlier runs`;
  const counts = `${passed} passed, ${modified} modified, ${blocked} blocked, ${errors} with errors`;
  const rails = Object.entries(byRail).map(([rail, count]) => `\n  ${rail}: ${count} blocked`);
  const dead = deadRows === 0 ? "" : `\n  ${deadRows} rows could not be checked in any try`;
  const letters = deadLetters.slice(0, SHOWN_LETTERS).map(({ lines, error }) => `\n    ${linesOf(lines)}: ${error}`);
  return `${rows} rows${before}: ${counts}${rails.join("")}${dead}${letters.join("")}`;
}

/** Maximum number of dead letters, and of lines per dead letter, to show. */
const SHOWN_LETTERS = 20;
const SHOWN_LINES = 10;

function linesOf(lines: readonly number[]): string {
  const more = lines.length > SHOWN_LINES ? ` and ${lines.length - SHOWN_LINES} more` : "";
  return `line${lines.length === 1 ? "" : "s"} ${lines.slice(0, SHOWN_LINES).join(", ")}${more}`;
}

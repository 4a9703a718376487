import { createReadStream, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import type { ConfigError } from "../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { omitUndefined } from "../engine/plain-data.js";
import type { Guardrails } from "../langchain/guardrails.js";
import { type BatchResult, checkConcurrency, moderateRows, type ModerateRowsOptions } from "./moderate-rows.js";
import { BatchQueue } from "./queue/batch-queue.js";
import type { DeadLetter } from "./queue/dead-letters.js";
import { readRow } from "./read-row.js";
import { codeOf, fileError, findEnd, MAX_LINE, openOutput, ResultWriter } from "./result-file.js";
import { type FileLine, splitLines } from "./split-lines.js";

export interface ModerateFileOptions extends ModerateRowsOptions {
  /** Side of the conversation of rows with a `text`. Default: `input`. */
  readonly stage?: "input" | "output";
  /** Treatment of an existing output file: fail, resume after its last row, or replace it. Default: `error`. */
  readonly existing?: "error" | "resume" | "replace";
  /** Called after each row. INVARIANT: an error of it ends the run. */
  readonly onProgress?: (progress: BatchProgress) => void;
}

/** Progress of a run, including rows of the earlier runs it resumes. */
export interface BatchProgress {
  readonly rows: number;
  /** Bytes of the input that were read, of all. */
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Totals of a run. */
export interface BatchSummary {
  /** Rows of this run. */
  readonly rows: number;
  /** Rows of earlier runs. */
  readonly resumed: number;
  readonly passed: number;
  readonly modified: number;
  readonly blocked: number;
  readonly errors: number;
  /** Blocked rows by rail. */
  readonly byRail: Readonly<Record<string, number>>;
  /** Rows among those with errors that the workers of a queue could not check in all their tries; absent if there are none. */
  readonly deadRows?: number;
  /** The first 100 groups of such rows; `queue.deadLetters()` has more. */
  readonly deadLetters?: readonly DeadLetter[];
}

const OPTIONS: OptionTable<ModerateFileOptions> = {
  concurrency: "number",
  decisions: "boolean",
  signal: "object",
  stage: { oneOf: ["input", "output"] },
  existing: { oneOf: ["error", "resume", "replace"] },
  onProgress: "function",
};

/** Most dead letters that a summary repeats. */
const MAX_DEAD_LETTERS = 100;

/**
 * Checks the rows of a file, one JSON object per line, and writes one result per line in the same order. Memory does
 * not grow with the files. After an interruption, `existing: "resume"` continues after the last complete result,
 * without missing or duplicate rows. With a `BatchQueue` instead of `guardrails`, the queue's workers check the rows.
 *
 * @throws ConfigError `CF-104` if the input cannot be read or equals the output, or if the output file exists and
 * `existing` is not set, or cannot be resumed; GuardrailsError `RL-406` if a queue rejects commands for a minute
 *
 * @example
 * ```ts
 * const summary = await moderateFile(guardrails, "reviews.jsonl", "verdicts.jsonl", { concurrency: 16 });
 * console.log(`${summary.blocked} of ${summary.rows} rows are blocked`);
 * ```
 */
export async function moderateFile(
  guardrails: Pick<Guardrails, "check"> | BatchQueue,
  input: string,
  output: string,
  options: ModerateFileOptions = {},
): Promise<BatchSummary> {
  checkOptions("moderateFile", options, OPTIONS);
  const { existing = "error", onProgress } = options;
  checkWorkers(guardrails, options);
  const { size: totalBytes } = await findInput(input, output);
  const file = await openOutput(output, existing);
  try {
    const done = existing === "resume" ? await findEnd(file, output) : { rows: 0, line: 0, length: 0 };
    const progress = { rows: done.rows, bytes: 0, totalBytes };
    const lines = readLines(input, (bytes) => (progress.bytes += bytes));
    const totals = new Totals(done.rows);
    const results = resultsOf(guardrails, lines, options, { after: done.line, totals });
    const writer = new ResultWriter(file, done.length);
    try {
      for await (const result of results) {
        totals.add(result);
        await writer.write(result);
        progress.rows += 1;
        onProgress?.({ ...progress });
      }
    } finally {
      await writer.flush();
    }
    return totals.summary();
  } finally {
    await file.close();
  }
}

/** @throws ConfigError `CF-104` for an invalid concurrency, or for one where workers decide it */
function checkWorkers(guardrails: object, { concurrency }: ModerateFileOptions): void {
  if (concurrency === undefined) return;
  checkConcurrency(concurrency);
  if (!(guardrails instanceof BatchQueue)) return;
  const message = "`concurrency` has no effect on a queue: its workers decide how many rows they check at once";
  throw fileError("concurrency", message, "set it in `queue.work`");
}

/** Checks the lines after one in this process, or through the workers of a queue. */
function resultsOf(
  guardrails: Pick<Guardrails, "check"> | BatchQueue,
  lines: AsyncIterable<FileLine>,
  { stage = "input", concurrency, decisions, signal }: ModerateFileOptions,
  { after, totals }: { readonly after: number; readonly totals: Totals },
): AsyncIterable<BatchResult> {
  if (guardrails instanceof BatchQueue) {
    const onDeadLetter = (letter: DeadLetter): void => totals.addDeadLetter(letter);
    return guardrails.moderateLines(lines, { stage, decisions: decisions === true, after, signal, onDeadLetter });
  }
  return moderateRows(guardrails, readRows(lines, after, stage), omitUndefined({ concurrency, decisions, signal }));
}

/** INVARIANT: before the output is opened, it is known to be another file, also behind a link: opening it may empty it. */
async function findInput(input: string, output: string): Promise<Stats> {
  const found = await stat(input).catch((error: unknown) => {
    throw unreadable(input, codeOf(error));
  });
  if (found.isDirectory()) throw unreadable(input, "EISDIR");
  const other = await stat(output).catch(() => undefined);
  if (other?.dev === found.dev && other.ino === found.ino) {
    throw fileError("output", `\`${output}\` is the input file as well`, "name another file for the results");
  }
  return found;
}

function unreadable(input: string, code: string): ConfigError {
  const message = `the input file \`${input}\` cannot be read: ${code}`;
  return fileError("input", message, "name a file with one JSON object a line");
}

/** Reads the lines of a file that are not blank. */
async function* readLines(path: string, onRead: (bytes: number) => void): AsyncGenerator<FileLine> {
  for await (const line of splitLines(countBytes(createReadStream(path), onRead), MAX_LINE)) {
    if (line.text?.trim() !== "") yield line;
  }
}

async function* readRows(lines: AsyncIterable<FileLine>, after: number, stage: "input" | "output") {
  for await (const { number, text } of lines) if (number > after) yield readRow(number, text, stage);
}

async function* countBytes(chunks: AsyncIterable<Uint8Array>, onRead: (bytes: number) => void) {
  for await (const chunk of chunks) {
    onRead(chunk.byteLength);
    yield chunk;
  }
}

class Totals {
  readonly #resumed: number;
  readonly #counts = { passed: 0, modified: 0, blocked: 0, error: 0 };
  readonly #byRail = new Map<string, number>();
  readonly #deadLetters: DeadLetter[] = [];
  #deadRows = 0;

  constructor(resumed: number) {
    this.#resumed = resumed;
  }

  addDeadLetter(letter: DeadLetter): void {
    this.#deadRows += letter.lines.length;
    if (this.#deadLetters.length < MAX_DEAD_LETTERS) this.#deadLetters.push(letter);
  }

  add({ status, rail }: BatchResult): void {
    this.#counts[status] += 1;
    if (status === "blocked" && rail !== undefined) this.#byRail.set(rail, (this.#byRail.get(rail) ?? 0) + 1);
  }

  summary(): BatchSummary {
    const { passed, modified, blocked, error } = this.#counts;
    const rows = passed + modified + blocked + error;
    const byRail = Object.fromEntries([...this.#byRail].toSorted(([, left], [, right]) => right - left));
    const totals = { rows, resumed: this.#resumed, passed, modified, blocked, errors: error, byRail };
    return this.#deadRows === 0 ? totals : { ...totals, deadRows: this.#deadRows, deadLetters: this.#deadLetters };
  }
}

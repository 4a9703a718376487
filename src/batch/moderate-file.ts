import { constants, createReadStream, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { isMap, omitUndefined } from "../engine/plain-data.js";
import type { Guardrails } from "../langchain/guardrails.js";
import { type BatchResult, checkConcurrency, moderateRows, type ModerateRowsOptions } from "./moderate-rows.js";
import { type BatchRow, readRow, type UnreadableRow } from "./read-row.js";
import { splitLines } from "./split-lines.js";

export interface ModerateFileOptions extends ModerateRowsOptions {
  /** Side of the conversation of rows with a `text`; default: `input`. */
  readonly stage?: "input" | "output";
  /**
   * What an existing output file means: an error, that the run goes on after its last row, or that it is replaced. Default:
   * `error`.
   */
  readonly existing?: "error" | "resume" | "replace";
  /** Called after each row. INVARIANT: an error of it ends the run. */
  readonly onProgress?: (progress: BatchProgress) => void;
}

/** Progress of a run, with the rows of earlier runs that it goes on from. */
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
}

const OPTIONS: OptionTable<ModerateFileOptions> = {
  concurrency: "number",
  decisions: "boolean",
  signal: "object",
  stage: { oneOf: ["input", "output"] },
  existing: { oneOf: ["error", "resume", "replace"] },
  onProgress: "function",
};

/** Longest line in characters. */
const MAX_LINE = 20_000_000;

/** Characters of results that are written at once. */
const WRITE_LENGTH = 65_536;

/**
 * Checks the rows of a file, one JSON object a line, and writes one result a line in the same order. Memory does not grow
 * with the files. After an interruption, `existing: "resume"` goes on behind the last complete result: no row is missing or
 * doubled.
 *
 * @throws ConfigError `CF-104` if the input cannot be read or is the output as well, or if the output file exists and `existing`
 * is not given, or cannot be resumed
 *
 * @example
 * ```ts
 * const summary = await moderateFile(guardrails, "reviews.jsonl", "verdicts.jsonl", { concurrency: 16 });
 * console.log(`${summary.blocked} of ${summary.rows} rows are blocked`);
 * ```
 */
export async function moderateFile(
  guardrails: Pick<Guardrails, "check">,
  input: string,
  output: string,
  options: ModerateFileOptions = {},
): Promise<BatchSummary> {
  checkOptions("moderateFile", options, OPTIONS);
  const { stage = "input", existing = "error", onProgress, concurrency, decisions, signal } = options;
  if (concurrency !== undefined) checkConcurrency(concurrency);
  const { size: totalBytes } = await findInput(input, output);
  const file = await openOutput(output, existing);
  try {
    const done = existing === "resume" ? await findEnd(file, output) : { rows: 0, line: 0, length: 0 };
    const progress = { rows: done.rows, bytes: 0, totalBytes };
    const rows = readRows(input, { stage, after: done.line, onRead: (bytes) => (progress.bytes += bytes) });
    const results = moderateRows(guardrails, rows, omitUndefined({ concurrency, decisions, signal }));
    const totals = new Totals(done.rows);
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

async function openOutput(path: string, existing: "error" | "resume" | "replace"): Promise<FileHandle> {
  try {
    if (existing === "replace") return await open(path, "w+");
    // Opened without emptying it, and made where it is missing.
    return await open(path, existing === "resume" ? constants.O_RDWR | constants.O_CREAT : "wx+");
  } catch (error) {
    const code = codeOf(error);
    const message = `the output file \`${path}\` ${code === "EEXIST" ? "exists" : `cannot be written: ${code}`}`;
    throw fileError("existing", message, "resume the run, replace the file, or name another one");
  }
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string } | null)?.code ?? "unknown error";
}

function unreadable(input: string, code: string): ConfigError {
  const message = `the input file \`${input}\` cannot be read: ${code}`;
  return fileError("input", message, "name a file with one JSON object a line");
}

function fileError(path: string, message: string, hint: string): ConfigError {
  return new ConfigError([createDiagnostic("CF-104", message, { path, hint })]);
}

async function* readRows(
  path: string,
  options: { readonly stage: "input" | "output"; readonly after: number; onRead(bytes: number): void },
): AsyncGenerator<BatchRow | UnreadableRow> {
  for await (const { number, text } of splitLines(countBytes(createReadStream(path), options.onRead), MAX_LINE)) {
    if (number <= options.after || text?.trim() === "") continue;
    yield text === undefined ? { line: number, problem: "the line is too long" } : readRow(number, text, options.stage);
  }
}

async function* countBytes(chunks: AsyncIterable<Uint8Array>, onRead: (bytes: number) => void) {
  for await (const chunk of chunks) {
    onRead(chunk.byteLength);
    yield chunk;
  }
}

/** End of the complete results in an output file. */
interface OutputEnd {
  readonly rows: number;
  /** Line of the input that the last result is about. */
  readonly line: number;
  /** Bytes of the complete results. */
  readonly length: number;
}

/** Finds the last complete result, and cuts off what an interruption has left behind it. */
async function findEnd(file: FileHandle, path: string): Promise<OutputEnd> {
  let end: OutputEnd = { rows: 0, line: 0, length: 0 };
  const { size } = await file.stat();
  const chunks = file.createReadStream({ start: 0, autoClose: false });
  for await (const { text = "" } of splitLines(chunks, MAX_LINE)) {
    const length = end.length + Buffer.byteLength(text) + 1;
    // The last line has no end if its writing was interrupted.
    if (length > size) break;
    const line = lineOf(text);
    if (line === undefined || line <= end.line) {
      const hint = "replace the file, or name another one";
      throw fileError("existing", `line ${end.rows + 1} of \`${path}\` is not the next result of a run`, hint);
    }
    end = { rows: end.rows + 1, line, length };
  }
  await file.truncate(end.length);
  return end;
}

function lineOf(text: string): number | undefined {
  try {
    const result: unknown = JSON.parse(text);
    const line = isMap(result) ? result["line"] : undefined;
    return Number.isSafeInteger(line) ? (line as number) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes results in pieces. */
class ResultWriter {
  readonly #file: FileHandle;
  #position: number;
  #pending = "";

  constructor(file: FileHandle, position: number) {
    this.#file = file;
    this.#position = position;
  }

  async write(result: BatchResult): Promise<void> {
    this.#pending += `${JSON.stringify(result)}\n`;
    if (this.#pending.length >= WRITE_LENGTH) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#pending);
    this.#pending = "";
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, this.#position);
      written += bytesWritten;
      this.#position += bytesWritten;
    }
  }
}

class Totals {
  readonly #resumed: number;
  readonly #counts = { passed: 0, modified: 0, blocked: 0, error: 0 };
  readonly #byRail = new Map<string, number>();

  constructor(resumed: number) {
    this.#resumed = resumed;
  }

  add({ status, rail }: BatchResult): void {
    this.#counts[status] += 1;
    if (status === "blocked" && rail !== undefined) this.#byRail.set(rail, (this.#byRail.get(rail) ?? 0) + 1);
  }

  summary(): BatchSummary {
    const { passed, modified, blocked, error } = this.#counts;
    const rows = passed + modified + blocked + error;
    const byRail = Object.fromEntries([...this.#byRail].toSorted(([, left], [, right]) => right - left));
    return { rows, resumed: this.#resumed, passed, modified, blocked, errors: error, byRail };
  }
}

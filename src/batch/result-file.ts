import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { isMap } from "../engine/plain-data.js";
import type { BatchResult } from "./moderate-rows.js";
import { splitLines } from "./split-lines.js";

/** Longest line in characters. */
export const MAX_LINE = 20_000_000;

/** Longest line of results: a rewritten text may need an escape for each character, and decisions may repeat it. */
const MAX_RESULT = 16 * MAX_LINE;

/** Characters of results that are written at once. */
const WRITE_LENGTH = 65_536;

/**
 * Opens the file of the results.
 *
 * @throws ConfigError if it cannot be written, or exists and may be neither resumed nor replaced
 */
export async function openOutput(path: string, existing: "error" | "resume" | "replace"): Promise<FileHandle> {
  try {
    if (existing === "replace") return await open(path, "w+");
    // Opened without truncating, and created if missing.
    return await open(path, existing === "resume" ? constants.O_RDWR | constants.O_CREAT : "wx+");
  } catch (error) {
    const code = codeOf(error);
    if (code !== "EEXIST") {
      const message = `the output file \`${path}\` cannot be written: ${code}`;
      throw fileError("output", message, "name a file that can be written, in a folder that exists");
    }
    const hint = "resume or replace it (`existing`; `--resume` or `--force` on the command line), or name another file";
    throw fileError("existing", `the output file \`${path}\` exists`, hint);
  }
}

export function codeOf(error: unknown): string {
  return (error as { readonly code?: string } | null)?.code ?? "unknown error";
}

export function fileError(path: string, message: string, hint: string): ConfigError {
  return new ConfigError([createDiagnostic("CF-104", message, { path, hint })]);
}

/** End of the complete results in an output file. */
interface OutputEnd {
  readonly rows: number;
  /** Line of the input that the last result is about. */
  readonly line: number;
  /** Bytes of the complete results. */
  readonly length: number;
}

/** Finds the last complete result, and truncates what an interruption left after it. */
export async function findEnd(file: FileHandle, path: string): Promise<OutputEnd> {
  let end: OutputEnd = { rows: 0, line: 0, length: 0 };
  const { size } = await file.stat();
  const chunks = file.createReadStream({ start: 0, autoClose: false });
  for await (const { text = "" } of splitLines(chunks, MAX_RESULT)) {
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
export class ResultWriter {
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

import pLimit from "p-limit";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { isMap, omitUndefined } from "../engine/plain-data.js";
import type { Guardrails } from "../langchain/guardrails.js";
import type { RailDecision } from "../turn/decision.js";
import type { BatchRow, UnreadableRow } from "./read-row.js";

/** Result of one row. */
export interface BatchResult {
  /** Line of the row in its file, counted from 1. */
  readonly line: number;
  /** The `id` of the row, if it has one. */
  readonly id?: string | number;
  readonly status: "passed" | "modified" | "blocked" | "error";
  /** The rewritten text, or the refusal; absent from a row that passed. */
  readonly output?: string;
  /** Rail that blocked. */
  readonly rail?: string;
  /** Decisions of all rails, if requested. */
  readonly decisions?: readonly RailDecision[];
  /** Problem of a row that could not be checked. INVARIANT: it quotes nothing of the row. */
  readonly error?: string;
}

export interface ModerateRowsOptions {
  /** Number of rows checked at once. Default: 8. */
  readonly concurrency?: number;
  /** Add the decisions of all rails to each result. Default: false. */
  readonly decisions?: boolean;
  /** Cancels the checks that run; the iteration then rejects. */
  readonly signal?: AbortSignal;
}

const OPTIONS: OptionTable<ModerateRowsOptions> = { concurrency: "number", decisions: "boolean", signal: "object" };

const DEFAULT_CONCURRENCY = 8;

/** Results that wait for an earlier row, for each row that is checked at once. */
const WAITING_FACTOR = 8;

/**
 * Checks rows and returns their results in the order of the rows. A row that cannot be checked gets the status `error` and
 * does not end the others; a fixed number of rows is held, whatever their total.
 *
 * @throws ConfigError `CF-103` and `CF-104` for options that do not exist or have wrong values
 *
 * @example
 * ```ts
 * const rows = [{ line: 1, value: "Write to ann@example.com.", stage: "input" as const }];
 * for await (const { line, status } of moderateRows(guardrails, rows)) console.log(line, status);
 * ```
 */
export async function* moderateRows(
  guardrails: Pick<Guardrails, "check">,
  rows: AsyncIterable<BatchRow | UnreadableRow> | Iterable<BatchRow | UnreadableRow>,
  options: ModerateRowsOptions = {},
): AsyncGenerator<BatchResult> {
  checkOptions("moderateRows", options, OPTIONS);
  const { concurrency = DEFAULT_CONCURRENCY, signal } = options;
  checkConcurrency(concurrency);
  const limit = pLimit(concurrency);
  const open: Promise<BatchResult>[] = [];
  let position = 0;
  try {
    for await (const row of rows) {
      signal?.throwIfAborted();
      position += 1;
      const problem = rowProblem(row);
      open.push(
        problem === undefined
          ? limit(checkRow, guardrails, row as BatchRow, options)
          : Promise.resolve(resultOf(isMap(row) ? row : { line: position }, problem)),
      );
      if (open.length >= concurrency * WAITING_FACTOR) yield (await open.shift()) as BatchResult;
    }
    while (open.length > 0) yield (await open.shift()) as BatchResult;
  } finally {
    limit.clearQueue();
    // The results of checks whose reader has gone are dropped.
    for (const pending of open) pending.catch(() => undefined);
  }
}

/** Returns the problem of a row that cannot be checked; untyped callers may pass any value. */
function rowProblem(row: unknown): string | undefined {
  if (!isMap(row)) return EXPECTED_ROW;
  if (typeof row["problem"] === "string") return row["problem"];
  return row["value"] === undefined ? EXPECTED_ROW : undefined;
}

const EXPECTED_ROW = "expected an object with `line` and `value`, a text or messages";

/** @throws ConfigError `CF-104` for anything but a whole number above zero */
export function checkConcurrency(concurrency: number): void {
  if (Number.isSafeInteger(concurrency) && concurrency > 0) return;
  const message = `\`concurrency\` is a whole number of rows above zero, not \`${concurrency}\``;
  throw new ConfigError([createDiagnostic("CF-104", message, { path: "concurrency", hint: "leave it out for 8" })]);
}

async function checkRow(
  guardrails: Pick<Guardrails, "check">,
  row: BatchRow,
  { decisions, signal }: ModerateRowsOptions,
): Promise<BatchResult> {
  const { line, id, value, stage } = row;
  try {
    const checked = await guardrails.check(value, omitUndefined({ stage, signal }));
    return omitUndefined({
      line,
      id,
      status: checked.status,
      output: checked.status === "passed" ? undefined : checked.output,
      rail: checked.guardrails.rail,
      decisions: decisions === true ? checked.guardrails.decisions : undefined,
    });
  } catch (error) {
    signal?.throwIfAborted();
    return resultOf(row, problemOf(error));
  }
}

function resultOf({ line, id }: { readonly line: number; readonly id?: string | number | undefined }, error: string) {
  return omitUndefined({ line, id, status: "error" as const, error });
}

/** The code and kind of an error: its message may quote the row. */
function problemOf(error: unknown): string {
  const { name = "Error", code } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly name?: string;
    readonly code?: unknown;
  };
  return typeof code === "string" ? `${CHECK_FAILED}: ${name} ${code}` : `${CHECK_FAILED}: ${name}`;
}

const CHECK_FAILED = "the check failed";

/** Returns true for a row whose check failed, unlike one that is not a row: another try may succeed. */
export function isFailedCheck({ error }: BatchResult): boolean {
  return error?.startsWith(CHECK_FAILED) === true;
}

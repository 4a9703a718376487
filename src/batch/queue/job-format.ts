import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isMap, omitUndefined } from "../../engine/plain-data.js";
import type { BatchResult } from "../moderate-rows.js";
import type { FileLine } from "../split-lines.js";

/** Format version of coordinators and workers; part of the queue's name, so that two versions never meet. */
export const JOB_VERSION = 1;

/** Rows that a worker checks at once. */
export interface Job {
  readonly stage: "input" | "output";
  readonly decisions: boolean;
  /** Number and text of each line; null in the place of a text that is too long. */
  readonly lines: readonly (readonly [number, string | null])[];
}

/** Most lines that a job may have. */
export const MAX_JOB_LINES = 10_000;

/** The job of some lines. */
export function createJob(lines: readonly FileLine[], options: Pick<Job, "stage" | "decisions">): Job {
  const { stage, decisions } = options;
  return { stage, decisions, lines: lines.map(({ number, text }) => [number, text ?? null]) };
}

/** The id of a job is the hash of all that it holds: the same rows are never in a queue twice. */
export function jobId({ stage, decisions, lines }: Job): string {
  const content = JSON.stringify([JOB_VERSION, stage, decisions, lines]);
  return `rows-${createHash("sha256").update(content).digest("hex")}`;
}

/** Reads a job of the queue, which anybody who reaches the server may have written; undefined for anything else. */
export function readJob(id: string | undefined, data: unknown): Job | undefined {
  if (!isMap(data)) return undefined;
  const { stage, decisions, lines } = data;
  if ((stage !== "input" && stage !== "output") || typeof decisions !== "boolean") return undefined;
  if (!Array.isArray(lines) || lines.length === 0 || lines.length > MAX_JOB_LINES) return undefined;
  let last = 0;
  for (const line of lines as readonly unknown[]) {
    if (!Array.isArray(line) || line.length !== 2) return undefined;
    const [number, text] = line as readonly unknown[];
    if (!Number.isSafeInteger(number) || (number as number) <= last) return undefined;
    if (text !== null && typeof text !== "string") return undefined;
    last = number as number;
  }
  const job: Job = { stage, decisions, lines: lines as Job["lines"] };
  return jobId(job) === id ? job : undefined;
}

/** Results as stored in the queue. */
export interface SealedResults {
  /** JSON of the results. */
  readonly results: string;
  /** Keyed hash of the job and its results; absent without a secret. */
  readonly seal?: string;
}

/** Seals the results of a job with the secret that coordinator and workers share. */
export function sealResults(id: string, results: readonly BatchResult[], secret: string | undefined): SealedResults {
  const text = JSON.stringify(results);
  return secret === undefined ? { results: text } : { results: text, seal: sealOf(id, text, secret) };
}

function sealOf(id: string, text: string, secret: string): string {
  return createHmac("sha256", secret).update(`${id}\n${text}`).digest("base64");
}

/**
 * Reads a worker's stored results of a job: at most one per line, in order. Undefined for anything else, and for
 * results without the seal of the secret: a row never gets another row's verdict, and with a secret, no forged one.
 */
export function readResults(
  id: string,
  value: unknown,
  lines: readonly number[],
  secret: string | undefined,
): readonly BatchResult[] | undefined {
  if (!isMap(value) || typeof value["results"] !== "string") return undefined;
  const { results: text, seal } = value;
  if (secret !== undefined && !isEqual(seal, sealOf(id, text, secret))) return undefined;
  const found = parse(text);
  if (!Array.isArray(found)) return undefined;
  const results: BatchResult[] = [];
  let position = 0;
  for (const row of found) {
    const result = readResult(row);
    if (result === undefined) return undefined;
    while (position < lines.length && lines[position] !== result.line) position += 1;
    if (position === lines.length) return undefined;
    position += 1;
    results.push(result);
  }
  return results;
}

function isEqual(given: unknown, expected: string): boolean {
  if (typeof given !== "string" || given.length !== expected.length) return false;
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const STATUSES: ReadonlySet<unknown> = new Set(["passed", "modified", "blocked", "error"]);

function readResult(value: unknown): BatchResult | undefined {
  if (!isMap(value)) return undefined;
  const { line, id, status, output, rail, decisions, error } = value;
  if (!Number.isSafeInteger(line) || !STATUSES.has(status)) return undefined;
  if (id !== undefined && typeof id !== "string" && typeof id !== "number") return undefined;
  if (![output, rail, error].every((text) => text === undefined || typeof text === "string")) return undefined;
  if ((status === "error") !== (error !== undefined)) return undefined;
  if (decisions !== undefined && !Array.isArray(decisions)) return undefined;
  return omitUndefined({ line, id, status, output, rail, decisions, error }) as BatchResult;
}

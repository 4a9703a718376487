import type { Estimate } from "../metrics/estimate.js";
import type { ReportTable } from "./report.js";

/** Cells of a table by the title of their column. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** Returns a table with one row for each item. */
export function tableOf<Row>(title: string, rows: readonly Row[], columns: Columns<Row>): ReportTable {
  const cells = Object.values(columns);
  return { title, columns: Object.keys(columns), rows: rows.map((row) => cells.map((cell) => cell(row))) };
}

const NONE = "–";
const DECIMALS = 3;

/** `0.885 [0.840, 0.926]`: the value and its 95% interval. */
export function formatEstimate(estimate: Estimate | undefined, decimals = DECIMALS): string {
  if (estimate === undefined) return NONE;
  const [value, low, high] = [estimate.value, estimate.low, estimate.high].map((share) => share.toFixed(decimals));
  return `${value} [${low}, ${high}]`;
}

/** A share with three decimals. */
export function formatShare(share: number | undefined): string {
  return share === undefined ? NONE : share.toFixed(DECIMALS);
}

/** A number, or a dash. */
export function formatCount(count: number | undefined): string {
  return count === undefined ? NONE : String(count);
}

/** Milliseconds with three figures that count: `0.123 ms`, `12.3 ms`, `1.23 s`. */
export function formatDuration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return NONE;
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds >= 100) return `${milliseconds.toFixed(0)} ms`;
  return `${milliseconds.toFixed(milliseconds >= 10 ? 1 : 3)} ms`;
}

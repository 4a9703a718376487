import { describeResults } from "./describe.js";
import type { EvaluationResult, ReportTable } from "./report.js";
import { toVisibleText } from "./visible-text.js";

/**
 * The results as tables for a terminal.
 *
 * @example
 * ```ts
 * console.log(formatText([await evaluateMatcher(dataset)]));
 * ```
 */
export function formatText(results: readonly EvaluationResult[]): string {
  const blocks = describeResults(results).flatMap(({ title, notes, tables }) => [
    `${title}\n${"=".repeat(title.length)}`,
    ...tables.filter(({ rows }) => rows.length > 0).map(formatTable),
    notes.map((note) => `- ${note}`).join("\n"),
  ]);
  return blocks.length === 0 ? "" : `${blocks.join("\n\n")}\n`;
}

/** A table in columns: the first to the left, the others to the right. */
export function formatTable({ title, columns, rows }: ReportTable): string {
  const all = [columns, ...rows].map((row) => row.map((cell) => toVisibleText(cell).replace(/\s+/g, " ")));
  const widths = columns.map((_, index) => Math.max(...all.map((row) => [...(row[index] ?? "")].length)));
  const lines = all.map((row) =>
    columns
      .map((_, index) => pad(row[index] ?? "", widths[index] ?? 0, index === 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [toVisibleText(title), lines[0], rule, ...lines.slice(1)].join("\n");
}

function pad(cell: string, width: number, isLeft: boolean): string {
  const blanks = " ".repeat(Math.max(0, width - [...cell].length));
  return isLeft ? cell + blanks : blanks + cell;
}

/** Version of the JSON report's format; incremented on breaking changes. */
const REPORT_VERSION = 1;

/** The results with all predictions, as JSON text. Data is named by file line; its texts are not repeated. */
export function formatJson(results: readonly EvaluationResult[]): string {
  return `${JSON.stringify({ version: REPORT_VERSION, results }, undefined, 2)}\n`;
}

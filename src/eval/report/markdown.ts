import { describeResults } from "./describe.js";
import type { EvaluationResult, ReportTable } from "./report.js";
import { toVisibleText } from "./visible-text.js";

/**
 * The tables of the results in Markdown.
 *
 * @example
 * ```ts
 * await writeFile("figures.md", formatMarkdown([await evaluateDetectors(openDataFolder("./data"))]));
 * ```
 */
export function formatMarkdown(results: readonly EvaluationResult[]): string {
  const blocks = describeResults(results).flatMap(({ notes, tables }) => [
    ...tables.filter(({ rows }) => rows.length > 0).map(formatTable),
    notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n"),
  ]);
  return blocks.length === 0 ? "" : `${blocks.join("\n\n")}\n`;
}

function formatTable({ title, columns, rows }: ReportTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  const rule = columns.map((_, index) => (index === 0 ? "---" : "---:"));
  return [`### ${escapeMarkdown(title)}`, "", line(columns), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

/** A text that is neither markup nor the end of a cell. Code in backticks and brackets that begin no link are kept. */
function escapeMarkdown(text: string): string {
  return toVisibleText(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|<>&*]|\](?=[([:])/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

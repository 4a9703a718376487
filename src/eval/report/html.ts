import { describeResults } from "./describe.js";
import { escapeHtml } from "./escape.js";
import { renderChart } from "./html-chart.js";
import type { EvaluationResult, ReportSection, ReportTable } from "./section.js";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9d9e0; --page: #ffffff; --bar: #3e63dd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --soft: #b0b4ba; --line: #43484e; --page: #18191b; --bar: #849dff; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { color: var(--soft); font-weight: 600; }
ul { color: var(--soft); padding-left: 1.2rem; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg .bar { fill: var(--bar); } svg .grid { stroke: var(--line); } svg .range { stroke: var(--ink); stroke-width: 1.5; }
`;

export interface HtmlOptions {
  readonly title?: string;
  /** Said below the title: what was run, and when. */
  readonly subtitle?: string;
}

/**
 * The results as one HTML page: tables and charts, without scripts and without anything from elsewhere.
 *
 * @example
 * ```ts
 * await writeFile("report.html", formatHtml(results, { title: "Nightly evaluation" }));
 * ```
 */
export function formatHtml(results: readonly EvaluationResult[], options: HtmlOptions = {}): string {
  const title = escapeHtml(options.title ?? "Evaluation of rails");
  const subtitle = options.subtitle === undefined ? "" : `\n<p>${escapeHtml(options.subtitle)}</p>`;
  const sections = describeResults(results).map(renderSection).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>${subtitle}
${sections}
</body>
</html>
`;
}

function renderSection({ title, notes, tables, charts }: ReportSection): string {
  return [
    "<section>",
    `<h2>${escapeHtml(title)}</h2>`,
    ...charts.map(renderChart),
    ...tables.filter(({ rows }) => rows.length > 0).map(renderTable),
    "<ul>",
    ...notes.map((note) => `<li>${escapeHtml(note)}</li>`),
    "</ul>",
    "</section>",
  ].join("\n");
}

function renderTable({ title, columns, rows }: ReportTable): string {
  const cells = (name: "th" | "td", row: readonly string[]): string =>
    `<tr>${row.map((cell) => `<${name}>${escapeHtml(cell)}</${name}>`).join("")}</tr>`;
  return [
    `<h3>${escapeHtml(title)}</h3>`,
    '<div class="scroll"><table>',
    `<thead>${cells("th", columns)}</thead>`,
    "<tbody>",
    ...rows.map((row) => cells("td", row)),
    "</tbody></table></div>",
  ].join("\n");
}

import { describeResults } from "./describe.js";
import { renderPlot } from "./plot.js";
import { escapeHtml } from "./escape-html.js";
import type { EvaluationResult, ReportSection, ReportTable, ReportBar, ReportChart } from "./report.js";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9d9e0; --page: #ffffff; --bar: #3e63dd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --soft: #b0b4ba; --line: #43484e; --page: #18191b; --bar: #849dff; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
.scroll { overflow-x: auto; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0 1rem; } .plots h3 { min-height: 2.4em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { color: var(--soft); font-weight: 600; }
ul { color: var(--soft); padding-left: 1.2rem; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg .bar { fill: var(--bar); } svg .grid { stroke: var(--line); } svg .curve { fill: none; stroke: var(--bar); stroke-width: 2; } svg .range { stroke: var(--ink); stroke-width: 1.5; }
`;

export interface HtmlOptions {
  readonly title?: string;
  /** Subtitle: what was run, and when. */
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

function renderSection({ title, notes, tables, charts, plots = [] }: ReportSection): string {
  return [
    "<section>",
    `<h2>${escapeHtml(title)}</h2>`,
    ...charts.map(renderChart),
    ...(plots.length === 0 ? [] : ['<div class="plots">', ...plots.map(renderPlot), "</div>"]),
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

const WIDTH = 880;

const LABEL = 320;

const VALUE = 60;

const ROW = 26;

const TOP = 24;

const PLOT = WIDTH - LABEL - VALUE;

const MAX_LABEL = 48;

const GRID = [0, 0.25, 0.5, 0.75, 1] as const;

/** A horizontal bar chart of shares from 0 to 1 with confidence intervals, as inline SVG. */
export function renderChart({ title, bars }: ReportChart): string {
  if (bars.length === 0) return "";
  const height = TOP + bars.length * ROW + 4;
  return [
    `<h3>${escapeHtml(title)}</h3>`,
    `<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeHtml(title)}">`,
    ...GRID.map((share) => renderGridLine(share, height)),
    ...bars.map(renderBar),
    "</svg>",
  ].join("\n");
}

function renderGridLine(share: number, height: number): string {
  const x = position(share);
  return (
    `<line class="grid" x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${height}"/>` +
    `<text x="${x}" y="${TOP - 9}" text-anchor="middle">${share}</text>`
  );
}

function renderBar({ label, value, low, high }: ReportBar, index: number): string {
  const y = TOP + index * ROW;
  const middle = y + ROW / 2;
  const text = escapeHtml([...label].length > MAX_LABEL ? `${[...label].slice(0, MAX_LABEL - 1).join("")}…` : label);
  return [
    "<g>",
    `<title>${escapeHtml(label)}</title>`,
    `<text x="${LABEL - 10}" y="${middle + 4}" text-anchor="end">${text}</text>`,
    `<rect class="bar" x="${LABEL}" y="${y + 5}" width="${round(position(value) - LABEL)}" height="${ROW - 10}" rx="2"/>`,
    ...(low === undefined || high === undefined ? [] : [renderRange(low, high, middle)]),
    `<text x="${LABEL + PLOT + 10}" y="${middle + 4}">${value.toFixed(3)}</text>`,
    "</g>",
  ].join("");
}

function renderRange(low: number, high: number, y: number): string {
  const from = position(low);
  const to = position(high);
  return (
    `<line class="range" x1="${from}" y1="${y}" x2="${to}" y2="${y}"/>` +
    `<line class="range" x1="${from}" y1="${y - 4}" x2="${from}" y2="${y + 4}"/>` +
    `<line class="range" x1="${to}" y1="${y - 4}" x2="${to}" y2="${y + 4}"/>`
  );
}

function position(share: number): number {
  return round(LABEL + Math.min(1, Math.max(0, share)) * PLOT);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

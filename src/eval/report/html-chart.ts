import { escapeHtml } from "./escape.js";
import type { ReportBar, ReportChart } from "./section.js";

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

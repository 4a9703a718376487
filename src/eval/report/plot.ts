import { escapeHtml } from "./escape-html.js";
import type { ReportPlot } from "./report.js";

const WIDTH = 520;
const HEIGHT = 300;
const LEFT = 56;
const TOP = 34;
const BOTTOM = 44;
const RIGHT = 60;
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;
/** Least width of the horizontal axis, so that a curve with hardly any false positives is not a line of noise. */
const LEAST_WIDTH = 0.001;
/** Ends of the horizontal axis, times a power of ten: a quarter of each has few digits. */
const ENDS = [1, 2, 4, 6, 8, 10] as const;

/** A curve of one share against another as inline SVG. The horizontal axis ends at a round number after the curve. */
export function renderPlot({ title, xTitle, yTitle, points }: ReportPlot): string {
  if (points.length === 0) return "";
  const widest = endAfter(Math.max(LEAST_WIDTH, ...points.map(({ x }) => x)));
  const place = (x: number, y: number): readonly [number, number] => [
    round(LEFT + (x / widest) * (WIDTH - LEFT - RIGHT)),
    round(TOP + (1 - y) * (HEIGHT - TOP - BOTTOM)),
  ];
  return [
    "<div>",
    `<h3>${escapeHtml(title)}</h3>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escapeHtml(title)}">`,
    ...TICKS.flatMap((tick) => renderTick(tick, widest, place)),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escapeHtml(xTitle)}</text>`,
    `<text x="${LEFT}" y="${TOP - 14}" text-anchor="middle">${escapeHtml(yTitle)}</text>`,
    `<polyline class="curve" points="${points.map(({ x, y }) => place(x, y).join(",")).join(" ")}"/>`,
    ...points.map(({ x, y, label }) => {
      const [cx, cy] = place(x, y);
      const text = `${label}: ${yTitle} ${y.toFixed(3)}, ${xTitle} ${x.toFixed(4)}`;
      return `<circle class="bar" cx="${cx}" cy="${cy}" r="4"><title>${escapeHtml(text)}</title></circle>`;
    }),
    "</svg>",
    "</div>",
  ].join("\n");
}

/** Returns the first end of an axis that is not before a value. */
function endAfter(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (ENDS.find((end) => value <= end * power * (1 + 1e-9)) ?? 10);
}

function renderTick(
  tick: number,
  widest: number,
  place: (x: number, y: number) => readonly [number, number],
): string[] {
  const [x, bottom] = place(tick * widest, 0);
  const [left, y] = place(0, tick);
  const [right, top] = place(widest, 1);
  return [
    `<line class="grid" x1="${x}" y1="${top}" x2="${x}" y2="${bottom}"/>`,
    `<line class="grid" x1="${left}" y1="${y}" x2="${right}" y2="${y}"/>`,
    `<text x="${x}" y="${bottom + 18}" text-anchor="middle">${Number((tick * widest).toPrecision(2))}</text>`,
    `<text x="${left - 8}" y="${y + 4}" text-anchor="end">${tick}</text>`,
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

import type { DetectorBar, DetectorCurve, DetectorMeasure, DetectorRow, DetectorsResult } from "../detectors/result.js";
import { type Columns, formatCount, formatEstimate, tableOf } from "./cells.js";
import type { ReportPlot, ReportSection } from "./report.js";

/** Section of the detectors: a table of each kind with bars, and a curve of each detector. */
export function describeDetectors(results: readonly DetectorsResult[]): ReportSection {
  const sections = results.flatMap((result) => result.sections);
  const skipped = results.flatMap((result) => result.skipped);
  return {
    title: "Detectors",
    notes: [
      "Intervals are those of Wilson at 95%. Cost is the time in microseconds per 1,000 characters.",
      ...sections.flatMap(({ title, notes }) => notes.map((note) => `${title}: ${note}`)),
      ...skipped.map((name) => `Skipped: there is no \`${name}\`.`),
    ],
    tables: sections.map(({ title, rows }) => tableOf(title, rows, ROWS)),
    charts: [],
    plots: sections.flatMap(({ curves }) => curves.map(plotOf)),
  };
}

/** Columns of the table of detectors. */
const ROWS: Columns<DetectorRow> = {
  texts: ({ dataset, name }) => (dataset === name ? name : `${dataset}: ${name}`),
  detector: ({ detector }) => detector,
  n: ({ recall, precision, falsePositiveRate }) =>
    formatCount(recall?.samples ?? falsePositiveRate?.samples ?? precision?.samples),
  recall: ({ recall }) => formatEstimate(recall),
  precision: ({ precision }) => formatEstimate(precision),
  "false positives": ({ falsePositiveRate }) => formatEstimate(falsePositiveRate, FINE),
  "µs/kB": ({ cost }) => (cost === undefined ? "–" : cost.toFixed(1)),
  bar: ({ bars }) => bars.map(describeBar).join(", "),
  "": ({ bars }) => (bars.length === 0 ? "" : bars.every(({ holds }) => holds) ? "holds" : "missed"),
};

/** Decimals of rates that are near 0. */
const FINE = 4;

const NAMES: Readonly<Record<DetectorMeasure, string>> = {
  recall: "recall ≥",
  precision: "precision ≥",
  falsePositiveRate: "false positives ≤",
  cost: "cost ≤",
};

function describeBar({ measure, bound }: DetectorBar): string {
  return `${NAMES[measure]} ${bound}`;
}

function plotOf({ name, points }: DetectorCurve): ReportPlot {
  return {
    title: `${name}: recall against false positives, by threshold`,
    xTitle: "false-positive rate",
    yTitle: "recall",
    points: points.map(({ threshold, recall, falsePositiveRate }) => ({
      x: falsePositiveRate,
      y: recall,
      label: threshold.toFixed(2),
    })),
  };
}

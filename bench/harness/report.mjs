// Rows and runs as lines of a terminal.
import { cpus } from "node:os";
import { median } from "./statistics.mjs";

/** A number with about three significant digits. */
export function digits(value) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(size >= 1 ? 2 : 3);
}

const span = (pair) => (pair === undefined ? "" : `${digits(pair[0])}–${digits(pair[1])}`);
const WIDTHS = [22, 13, 17, 10, 14, 6, 17];

function line(cells) {
  return cells
    .map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0))
    .join("  ")
    .trimEnd();
}

export function printHead(against) {
  const more = against === undefined ? [] : [`÷ ${against.commit}`];
  console.log(line(["row", "median", "95% interval", "minimum", "target", "holds", "control", ...more]));
}

export function printRow(row) {
  const { control, target, scaledTarget, holds, against, error } = row;
  if (error !== undefined) {
    console.log(line([row.name, `failed: ${error}`]));
    return;
  }
  console.log(
    line([
      row.name,
      `${digits(row.value)} ${row.unit}`,
      span(row.interval),
      digits(row.min),
      target === undefined ? "" : targetText(target, scaledTarget, row.direction),
      holds === undefined ? "" : holds ? "yes" : "NO",
      control === undefined ? "" : `${control.median.toFixed(1)} µs ±${Math.round(control.spread * 100)}%`,
      against === undefined ? "" : againstText(against),
    ]),
  );
}

function targetText(target, scaled, direction) {
  const sign = direction === "at least" ? "≥" : "≤";
  return scaled === target ? `${sign} ${digits(target)}` : `${sign} ${digits(scaled)} (${digits(target)})`;
}

function againstText({ missing, ratio, interval, value }) {
  if (missing !== undefined) return `cannot run there: ${missing}`;
  return `×${ratio.toFixed(3)} (${span(interval)}) of ${digits(value)}`;
}

/** The machine of a run. */
export function describeMachine() {
  return { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
}

/** Facts about a whole run, for reports. */
export function describeRun(rows, { commit, against }) {
  const controls = rows.flatMap(({ control }) => control ?? []);
  const control =
    controls.length === 0
      ? undefined
      : {
          median: median(controls.map(({ median }) => median)),
          unit: "µs",
          spread: median(controls.map(({ spread }) => spread)),
        };
  const noisy = rows.filter((row) => row.control?.noisy).map(({ name }) => name);
  return {
    machine: describeMachine(),
    commit,
    ...(against === undefined ? {} : { against: { ref: against.ref, commit: against.commit } }),
    ...(control === undefined ? {} : { control: { ...control, noisy: noisy.length > 0 } }),
    noisy,
    missed: rows.filter(({ holds }) => holds === false).map(({ name }) => name),
  };
}

export function printRun({ machine, commit, control, noisy, missed }) {
  console.log(`${machine.node} on ${machine.cores} × ${machine.cpu}, commit ${commit ?? "unknown"}`);
  if (control) {
    console.log(
      `control: ${control.median.toFixed(2)} µs, spread ${(control.spread * 100).toFixed(1)}% (medians of the rows)`,
    );
  }
  if (noisy.length > 0) console.log(`noisy, the control spreads over 5%: ${noisy.join(", ")}`);
  console.log(missed.length === 0 ? "no target is missed" : `targets missed: ${missed.join(", ")}`);
}

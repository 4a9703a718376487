// Figures of a row from its samples.
import { describeControl } from "./control.mjs";
import { interval, median, quantile } from "./statistics.mjs";

/** Units of times: their targets scale with the control. */
const TIMES = new Set(["ms", "µs", "s"]);

/** The figures of a row as JSON reports hold them. */
export function figuresOf(row, { control: controlSamples, quietControl, sides, perProcess }) {
  const control = describeControl(controlSamples, quietControl);
  const own = figure(row, sides[0].works);
  const target = targetOf(row, control);
  const holds = target === undefined ? undefined : row.least ? own.value >= target : own.value <= target;
  return {
    ...describeRow(row),
    ...(target === undefined ? {} : { scaledTarget: target, holds: holds && (row.holds?.(own) ?? true) }),
    ...own,
    ...(perProcess === undefined ? {} : { processes: perProcess.map((works) => figure(row, works).value) }),
    ...(control === undefined ? {} : { control }),
    ...(sides.length === 1 ? {} : { against: compare(row, own, sides[0], sides[1]) }),
  };
}

/** Static part of a row. */
export function describeRow({ name, group, title, unit, conditions, target, least }) {
  return {
    name,
    group,
    title,
    conditions,
    unit,
    ...(target === undefined ? {} : { target, direction: least ? "at least" : "at most" }),
  };
}

function targetOf({ target, unit }, control) {
  if (target === undefined) return undefined;
  const scale = control?.scale ?? 1;
  if (TIMES.has(unit)) return target * scale;
  return unit === "calls/CPU s" ? target / scale : target;
}

/** Value, minimum and interval; `works` contains samples by the name of the operation. */
function figure(row, works) {
  const names = Object.keys(works);
  const valueOf = (numbers) => row.value(Object.fromEntries(names.map((name, at) => [name, numbers[at]])));
  const rounds = roundsOf(works, names);
  const extreme = row.least ? Math.max : Math.min;
  const best = valueOf(names.map((name) => Math.min(...works[name])));
  const value = valueOf(names.map((name) => median(works[name])));
  return {
    value,
    min: extreme(value, best),
    interval: interval(rounds, valueOf),
    rounds: rounds.length,
    parts: Object.fromEntries(names.map((name) => [name, partOf(works[name])])),
  };
}

function partOf(samples) {
  return { median: median(samples), min: Math.min(...samples), p90: quantile(samples, 0.9) };
}

function roundsOf(works, names) {
  const count = Math.min(...names.map((name) => works[name].length));
  return Array.from({ length: count }, (_, round) => names.map((name) => works[name][round]));
}

/** Ratio of the first build to the second: below 1, the first is cheaper (for counts per second: more expensive). */
function compare(row, own, first, second) {
  if (second.missing !== undefined) return { missing: second.missing };
  const names = Object.keys(second.works);
  const theirs = figure(row, second.works);
  const firstNames = Object.keys(first.works);
  const rounds = roundsOf(first.works, firstNames).map((round, at) => [
    ...round,
    ...names.map((name) => second.works[name][at]),
  ]);
  const ratioOf = (numbers) =>
    row.value(Object.fromEntries(firstNames.map((name, at) => [name, numbers[at]]))) /
    row.value(Object.fromEntries(names.map((name, at) => [name, numbers[firstNames.length + at]])));
  return {
    value: theirs.value,
    min: theirs.min,
    ratio: own.value / theirs.value,
    interval: interval(
      rounds.filter((round) => round.every((sample) => sample !== undefined)),
      ratioOf,
    ),
  };
}

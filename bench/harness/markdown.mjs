// The table of rows for the README and docs/performance.md.
import { readFileSync } from "node:fs";
import { digits } from "./report.mjs";

/** The best figure of another guard by the name of a row, from a report of `bench/peers`. */
export function readPeers(path) {
  if (path === undefined) return {};
  const best = new Map();
  for (const figures of JSON.parse(readFileSync(path, "utf8")).rows) {
    const before = best.get(figures.row);
    const isBetter = figures.unit === "calls/CPU s" ? figures.value > before?.value : figures.value < before?.value;
    if (before === undefined || isBetter) best.set(figures.row, figures);
  }
  const texts = [...best].map(([row, { value, unit, peer }]) => [row, `${digits(value)} ${unit}, ${peer}`]);
  return Object.fromEntries(texts);
}

/** Rows as a table; `peers` gives the best figure of another guard by the name of a row. */
export function markdownTable(rows, { machine, commit }, peers = {}) {
  const cells = rows.map((row) => [
    row.title,
    row.conditions,
    row.target === undefined ? "–" : `${row.direction} ${digits(row.target)} ${row.unit}`,
    `${digits(row.value)} ${row.unit}${row.control?.noisy ? " (noisy)" : ""}`,
    peers[row.name] ?? "–",
  ]);
  const head = ["row", "conditions", "target", "measured", "peer"];
  const lines = [head, head.map(() => "---"), ...cells].map((line) => `| ${line.join(" | ")} |`);
  return `${lines.join("\n")}\n\n${machine.node}, ${machine.cores} × ${machine.cpu}, commit ${commit ?? "unknown"}.\n`;
}

// The table of rows for the README and docs/performance.md.
import { digits } from "./report.mjs";

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

// The table of rows in pages: between `<!-- bench -->`, `<!-- bench: targets -->` or `<!-- bench: NAME, … -->` and `<!-- /bench -->`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { digits } from "./report.mjs";

const MARKED = /(<!-- bench(?:: ([^>]*?))? -->\n)[\s\S]*?(\n<!-- \/bench -->)/g;

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

/** Writes the table into the marked places of a page, or as a page of its own. */
export function writeMarkdown(path, run, peers) {
  const page = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (!page.includes("<!-- bench")) {
    writeFileSync(path, `${markdownTable(run.rows, run, peers)}\n`);
    return;
  }
  const fill = (_all, open, names, close) => {
    return `${open}${markdownTable(chooseRows(run.rows, names), run, peers)}${close}`;
  };
  writeFileSync(path, page.replaceAll(MARKED, fill));
}

/** All rows, those that have a `target` ("targets"), or those with these names, in this order. */
function chooseRows(rows, names) {
  if (names === undefined) return rows;
  if (names.trim() === "targets") return rows.filter(({ target }) => target !== undefined);
  return names.split(",").flatMap((name) => rows.find((row) => row.name === name.trim()) ?? []);
}

/** Rows as a table; `peers` gives the best figure of another guard by the name of a row. */
export function markdownTable(rows, { machine, commit, control }, peers = {}) {
  const cells = rows.map((row) => [
    row.title,
    row.conditions,
    row.target === undefined ? "–" : `${row.direction} ${row.target.toLocaleString("en")} ${row.unit}`,
    row.error === undefined ? `${digits(row.value)} ${row.unit}${row.control?.noisy ? " (noisy)" : ""}` : "–",
    peers[row.name] ?? "–",
  ]);
  const head = ["row", "conditions", "target", "measured", "peer"];
  const lines = [head, head.map(() => "---"), ...cells].map((line) => `| ${line.join(" | ")} |`);
  const speed = control === undefined ? "" : `, control ${control.median.toFixed(1)} µs`;
  return `${lines.join("\n")}\n\nNode ${machine.node.replace("v", "")}, ${machine.cores} × ${machine.cpu}, commit ${commit ?? "unknown"}${speed}.`;
}

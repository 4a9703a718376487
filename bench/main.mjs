// npm run bench [-- --json FILE] [-- --only turn,load]: our own costs, as a table and as JSON.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { colang2Cases } from "./cases/colang2.mjs";
import { colang2EngineCases } from "./cases/colang2-engine.mjs";
import { colang2TurnCases } from "./cases/colang2-turn.mjs";
import { conversationCases } from "./cases/conversation.mjs";
import { dialogCases } from "./cases/dialog.mjs";
import { importCases, loadCases } from "./cases/load.mjs";
import { streamCases } from "./cases/stream.mjs";
import { throughputCases } from "./cases/throughput.mjs";
import { turnCases } from "./cases/turn.mjs";
import { worstEventCases } from "./cases/worst-event.mjs";

const GROUPS = {
  turn: turnCases,
  stream: streamCases,
  dialog: dialogCases,
  conversation: conversationCases,
  load: loadCases,
  colang2: colang2Cases,
  "colang2-engine": colang2EngineCases,
  "colang2-turn": colang2TurnCases,
  import: importCases,
  throughput: throughputCases,
  "worst-event": worstEventCases,
};

const { values } = parseArgs({ options: { json: { type: "string" }, only: { type: "string" } } });
const chosen = values.only ? values.only.split(",") : Object.keys(GROUPS);
const unknown = chosen.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  console.error(`unknown group ${unknown.join(", ")}; there are ${Object.keys(GROUPS).join(", ")}`);
  process.exit(2);
}

const rows = [];
for (const name of chosen) {
  process.stderr.write(`${name} …\n`);
  rows.push(...(await GROUPS[name]()).map((row) => ({ group: name, ...row })));
}

const digits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3));
const table = rows.map((row) => ({
  what: row.name,
  value: `${digits(row.value)} ${row.unit}`,
  limit: row.limit === undefined ? "" : `${row.limit} ${row.unit}`,
  holds: row.limit === undefined ? "" : row.value <= row.limit ? "yes" : "NO",
  detail: row.detail ?? "",
}));
const widths = Object.fromEntries(
  Object.keys(table[0]).map((key) => [key, Math.max(key.length, ...table.map((row) => row[key].length))]),
);
const line = (row) =>
  Object.entries(widths)
    .map(([key, width]) => row[key].padEnd(width))
    .join("  ")
    .trimEnd();
console.log(line(Object.fromEntries(Object.keys(widths).map((key) => [key, key]))));
for (const row of table) console.log(line(row));

if (values.json) {
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
  writeFileSync(values.json, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`);
  console.error(`written to ${values.json}`);
}

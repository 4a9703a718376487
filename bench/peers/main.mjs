// node bench/peers/main.mjs [--nemo PYTHON] [--only ROW,...] [--json FILE] [--processes 2] [--rounds 30]: costs of
// other guards under the conditions of the bench's rows. Build first: npm run build. `node bench/main.mjs --peers FILE`
// shows the JSON next to ours.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { figuresOf } from "../harness/figures.mjs";
import { HERE } from "../harness/library.mjs";
import { sampleRow } from "../harness/processes.mjs";
import { describeMachine, digits } from "../harness/report.mjs";
import { nemoRows, sampleNemo } from "./nemo.mjs";
import { installPeers } from "./packages.mjs";
import { rows } from "./rows.mjs";

const { values } = parseArgs({
  options: {
    nemo: { type: "string", default: process.env.NEMO_PYTHON ?? "" },
    only: { type: "string" },
    json: { type: "string" },
    processes: { type: "string", default: "2" },
    rounds: { type: "string" },
  },
});
const wanted = values.only?.split(",");
const isWanted = ({ row }) => wanted === undefined || wanted.includes(row);
const options = { processes: Number(values.processes), rounds: values.rounds, python: values.nemo };

const results = [];
const scripts = rows.filter(isWanted);
if (scripts.length > 0) installPeers();
for (const row of scripts) await add(row, () => sampleRow(row, [HERE], options));
if (values.nemo === "") console.error("NeMo Guardrails is left out; `--nemo PYTHON` names an interpreter that has it");
else for (const row of nemoRows.filter(isWanted)) await add(row, () => sampleNemo(row, options));
if (values.json)
  writeFileSync(values.json, `${JSON.stringify({ machine: describeMachine(), rows: results }, undefined, 2)}\n`);

/** Measures a row and prints it; a guard that is not installed is left out. */
async function add(row, sample) {
  try {
    const samples = await sample();
    const figures = figuresOf(row, samples);
    const medians = Object.entries(figures.parts).map(([name, { median }]) => [name, median]);
    const ours = row.ours?.(Object.fromEntries(medians));
    results.push({ ...figures, row: row.row, peer: row.peer, ...(ours === undefined ? {} : { ours }) });
    const beside = ours === undefined ? "" : `ours in the same blocks ${digits(ours)}`;
    const span = figures.interval?.map(digits).join("–") ?? "";
    const cells = [
      row.row.padEnd(18),
      row.peer.padEnd(38),
      `${digits(figures.value)} ${row.unit}`.padEnd(20),
      span.padEnd(16),
    ];
    console.log([...cells, beside].join("  ").trimEnd());
  } catch (error) {
    const lines = String(error.stderr ?? error.message)
      .trim()
      .split("\n");
    console.log(`${row.row.padEnd(18)}  ${row.peer.padEnd(38)}  cannot run: ${lines.at(-1)}`);
  }
}

// npm run bench [-- --only NAME,...] [--against REF] [--processes 3] [--rounds 30] [--samples 11] [--data FOLDER]
// [--json FILE] [--markdown FILE,...] [--peers FILE] [--from FILE] [--list]: the cost of the rails, row by row. Names
// are of rows or of groups. `--against` compares with a build of another commit, `--from` shows a JSON report instead
// of measuring, `--peers` is a report of bench/peers. Without npm, build first: npm run build.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildAt, commitOf } from "./harness/against.mjs";
import { describeRow, figuresOf } from "./harness/figures.mjs";
import { HERE } from "./harness/library.mjs";
import { sampleRow } from "./harness/processes.mjs";
import { describeRun, printHead, printRow, printRun } from "./harness/report.mjs";
import { readPeers, writeMarkdown } from "./harness/markdown.mjs";
import { rows } from "./rows/index.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "string" },
    markdown: { type: "string" },
    against: { type: "string" },
    peers: { type: "string" },
    from: { type: "string" },
    data: { type: "string" },
    processes: { type: "string", default: "3" },
    rounds: { type: "string" },
    samples: { type: "string", default: "11" },
    list: { type: "boolean" },
  },
});

const chosen = choose(values.only);
if (values.list) {
  for (const { name, group, title } of chosen) console.log(`${name.padEnd(24)} ${group.padEnd(12)} ${title}`);
  process.exit(0);
}
const options = {
  processes: Number(values.processes),
  samples: Number(values.samples),
  rounds: values.rounds,
  data: values.data,
};

const run = values.from === undefined ? await measureAll() : readReport(values.from);
if (values.json) writeFileSync(values.json, `${JSON.stringify(run, undefined, 2)}\n`);
for (const path of values.markdown?.split(",") ?? []) writeMarkdown(path, run, readPeers(values.peers));

/** Measures and prints the chosen rows. */
async function measureAll() {
  const against = values.against === undefined ? undefined : buildAt(values.against);
  const roots = [HERE, ...(against === undefined ? [] : [against.root])];
  const commit = commitOf(HERE);
  const measured = [];
  printHead(against);
  for (const row of chosen) {
    if (process.stderr.isTTY) process.stderr.write(`${row.name} …\r`);
    const figures = await measure(row, roots);
    measured.push(figures);
    printRow(figures);
  }
  const described = describeRun(measured, { commit, against });
  printRun(described);
  return { ...described, rows: measured };
}

/** A report of an earlier run, with the current titles of the rows. */
function readReport(path) {
  const report = JSON.parse(readFileSync(path, "utf8"));
  const named = new Map(rows.map((row) => [row.name, describeRow(row)]));
  return { ...report, rows: report.rows.map((row) => ({ ...row, ...named.get(row.name) })) };
}

/** Figures of a row, or the reason for their absence. */
async function measure(row, roots) {
  try {
    return figuresOf(row, await sampleRow(row, roots, options));
  } catch (error) {
    // Other rows are still measured.
    process.exitCode = 1;
    return { ...describeRow(row), error: error instanceof Error ? error.message : String(error) };
  }
}

/** Rows by their names or their groups' names; all when none is given. */
function choose(only) {
  if (only === undefined) return rows;
  const wanted = only.split(",");
  const known = new Set(rows.flatMap(({ name, group }) => [name, group]));
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    console.error(`unknown row ${unknown.join(", ")}; expected ${[...known].join(", ")}`);
    process.exit(2);
  }
  return rows.filter(({ name, group }) => wanted.includes(name) || wanted.includes(group));
}

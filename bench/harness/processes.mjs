// Child processes in which rows are sampled, so no row warms up, fills or slows down the process of another.
import { execFile, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sampleBlocks } from "./blocks.mjs";
import { openControl } from "./control.mjs";

const ROW_PROCESS = fileURLToPath(new URL("row-process.mjs", import.meta.url));
const run = promisify(execFile);

/** Samples of a row: `{ control, sides }`, with a side for each root; the rounds of all processes follow one another. */
export function sampleRow(row, roots, options) {
  return row.fresh === undefined ? sampleInProcesses(row, roots, options) : sampleFresh(row, roots, options);
}

async function sampleInProcesses(row, roots, { processes, data, rounds }) {
  const reports = [];
  const count = row.processes ?? processes;
  for (let at = 0; at < count; at += 1) {
    // Alternates which build comes first.
    const order = at % 2 === 0 ? roots : roots.toReversed();
    const report = await forkRow(row, order, { data, rounds });
    reports.push(at % 2 === 0 ? report : { ...report, sides: report.sides.toReversed() });
  }
  const [first] = reports;
  return {
    control: reports.map(({ control }) => control),
    quietControl: reports.flatMap(({ quietControl }) => quietControl),
    sides: first.sides.map((_, side) => joinSides(reports.map(({ sides }) => sides[side]))),
    perProcess: reports.map(({ sides }) => sides[0].works),
  };
}

function joinSides(sides) {
  const failed = sides.find(({ missing }) => missing !== undefined);
  if (failed !== undefined) return failed;
  const names = Object.keys(sides[0].works);
  return { works: Object.fromEntries(names.map((name) => [name, sides.flatMap(({ works }) => works[name])])) };
}

function forkRow(row, roots, { data, rounds }) {
  const args = [row.name, "--roots", roots.join(",")];
  if (row.module !== undefined) args.push("--module", row.module);
  if (data !== undefined) args.push("--data", data);
  if (rounds !== undefined) args.push("--rounds", String(rounds));
  const execArgv = ["--expose-gc", "--no-warnings", ...(row.execArgv ?? [])];
  return new Promise((resolve, reject) => {
    const child = fork(ROW_PROCESS, args, { execArgv, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    let report;
    child.on("message", (message) => {
      report = message;
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (report === undefined) reject(new Error(`the row ${row.name} ended with exit code ${code}`));
      else resolve(report);
    });
  });
}

/** One fresh process per operation, build and round, with a block of the control between them. */
async function sampleFresh(row, roots, { samples }) {
  const control = await openControl();
  const sides = roots.map(() => ({ works: Object.fromEntries(Object.keys(row.fresh).map((name) => [name, []])) }));
  const blocks = [];
  const quiet = [];
  // The first round fills the file cache.
  for (let round = -1; round < (row.samples ?? samples); round += 1) {
    const block = await sampleBlocks(control, {}, { rounds: 3, warmMs: round < 0 ? 600 : 20 });
    if (round >= 0) {
      blocks.push(...block.control);
      quiet.push(...block.quietControl);
    }
    for (const [name, script] of Object.entries(row.fresh)) {
      for (let at = 0; at < roots.length; at += 1) {
        const side = (at + Math.max(round, 0)) % roots.length;
        const value = await runFresh(script, roots[side], row.name).catch((error) => {
          if (side === 0) throw error;
          sides[side] = { missing: lastLine(error) };
        });
        if (round >= 0 && value !== undefined) sides[side].works?.[name].push(value);
      }
    }
  }
  return { control: [blocks], quietControl: quiet, sides };
}

async function runFresh([script, ...args], root) {
  const path = fileURLToPath(new URL(`../fresh/${script}`, import.meta.url));
  const { stdout } = await run(process.execPath, ["--no-warnings", path, root, ...args]);
  return Number(stdout);
}

function lastLine(error) {
  const lines = String(error.stderr ?? error.message).split("\n");
  return lines.find((line) => /Error/.test(line)) ?? String(error.message);
}

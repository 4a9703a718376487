// node bench/batch/main.mjs [--rows 100000] [--json FILE]: checks a file of rows with the rails of the preset `local`,
// in one run that is killed in the middle and resumed, and in one without interruption. Build first: npm run build.
import { fork } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rowOf } from "./rows.mjs";

const { values } = parseArgs({
  options: { rows: { type: "string", default: "100000" }, json: { type: "string" } },
});
const ROWS = Number(values.rows);
const folder = mkdtempSync(join(tmpdir(), "bench-batch-"));
const input = join(folder, "in.jsonl");
const output = join(folder, "out.jsonl");

function startRun(existing) {
  return fork(fileURLToPath(new URL("run.mjs", import.meta.url)), [input, output, existing]);
}

async function figuresOf(child) {
  const [figures] = await once(child, "message");
  return figures;
}

async function writeInput() {
  const file = createWriteStream(input);
  for (let number = 1; number <= ROWS; number += 1) {
    if (!file.write(`${rowOf(number)}\n`)) await once(file, "drain");
  }
  file.end();
  await finished(file);
}

/** Ends a run with SIGKILL as soon as it has written about half of its results. */
async function killInTheMiddle() {
  const { size } = statSync(output);
  rmSync(output);
  const child = startRun("replace");
  const ended = once(child, "exit");
  const written = () => statSync(output, { throwIfNoEntry: false })?.size ?? 0;
  while (written() < size / 2) await wait(10);
  child.kill("SIGKILL");
  await ended;
}

/** @throws Error for a row that is missing, doubled or out of order */
async function checkOutput() {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(output) })) {
    const result = JSON.parse(line);
    number += 1;
    if (result.line !== number || result.id !== number) throw new Error(`row ${number} is missing or doubled`);
  }
  if (number !== ROWS) throw new Error(`${ROWS - number} of ${ROWS} rows are missing`);
}

try {
  await writeInput();
  const whole = await figuresOf(startRun("replace"));
  await checkOutput();
  await killInTheMiddle();
  const rest = await figuresOf(startRun("resume"));
  await checkOutput();
  const { summary, seconds, cpuSeconds, memory } = whole;
  const late = memory.slice(Math.floor(memory.length / 3));
  const figures = {
    rows: summary.rows,
    characters: statSync(input).size,
    rowsPerSecond: Math.round(summary.rows / seconds),
    rowsPerCpuSecond: Math.round(summary.rows / cpuSeconds),
    memoryMiB: memory.map(Math.round),
    growthMiB: Math.round(late.at(-1) - late[0]),
    resumedAfter: rest.summary.resumed,
    blocked: summary.blocked,
    modified: summary.modified,
    errors: summary.errors,
  };
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(figures, undefined, 2));
  console.log(
    `${figures.rows} rows, ${figures.rowsPerSecond} a second, ${figures.rowsPerCpuSecond} a second of processor time (target: 5,000); ` +
      `memory ${figures.memoryMiB.at(-1)} MiB, ${figures.growthMiB} MiB more than after a third; ` +
      `resumed after ${figures.resumedAfter} rows, none missing or doubled; ` +
      `${figures.blocked} blocked, ${figures.modified} modified, ${figures.errors} errors`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

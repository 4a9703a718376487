// Feeds random texts to everything that reads texts, and whole turns to the rails; each target stops at its first bug.
//
//   npm run fuzz                                        all targets with all seeds, and the properties of the suite
//   npm run fuzz -- --runs 1000 --seed 7 --target turns
//
// A run is determined by its seed. Each target has a separate process for each seed, at most `--jobs` at a time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

await import("./typescript-loader.mjs");
const { ALL_TARGETS } = await import("./fuzz/all-targets.ts");
const { CORPORA } = await import("./fuzz/corpus.ts");
const { generateText } = await import("./fuzz/mutate.ts");
const { Random } = await import("./fuzz/random.ts");

/** Of processor time, so that other work of the machine is not reported as a bug. */
const SLOW_MS = 5000;
const SEEDS = ["1", "2", "3"];
/** Factor of the runs of properties here to those in the suite. */
const PROPERTY_SCALE = "20";

const { values } = parseArgs({
  options: {
    runs: { type: "string" },
    jobs: { type: "string", default: String(Math.min(2, availableParallelism())) },
    seed: { type: "string", multiple: true, default: SEEDS },
    target: { type: "string", multiple: true, default: Object.keys(ALL_TARGETS) },
  },
});
const seeds = values.seed.map(Number);
const isCount = (number) => Number.isSafeInteger(number) && number > 0;
const isKnown = (name) => Object.hasOwn(ALL_TARGETS, name);
if (![...seeds, Number(values.runs ?? 1), Number(values.jobs)].every(isCount) || !values.target.every(isKnown)) {
  console.error(
    `usage: npm run fuzz -- [--runs <n>] [--jobs <n>] [--seed <n>]… [--target ${Object.keys(ALL_TARGETS).join("|")}]…`,
  );
  process.exit(2);
}

/** Without a choice of targets or runs, the properties of the suite run too. */
const isWhole = values.runs === undefined && values.target.length === Object.keys(ALL_TARGETS).length;

const tasks = seeds.flatMap((seed) => values.target.map((name) => ({ name, seed })));
if (tasks.length === 1) await fuzz(values.target[0], seeds[0]);
else await fuzzAll();

async function fuzzAll() {
  const started = performance.now();
  const failed = [];
  const next = tasks.values();
  const work = async () => {
    for (const task of next) if (!(await isClean(task))) failed.push(`${task.name} with seed ${task.seed}`);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  if (isWhole && !(await holdProperties())) failed.push("properties of the suite");
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  console.log(`${tasks.length - failed.length} of ${tasks.length} clean in ${minutes} minutes`);
  if (failed.length > 0) console.error(`found something: ${failed.join(", ")}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

/** Runs the tests whose properties the suite runs a few times only. */
async function holdProperties() {
  const files = readdirSync("__tests__", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("__tests__", name))
    .filter((path) => readFileSync(path, "utf8").includes("propertyRuns("));
  const jest = ["node_modules/jest/bin/jest.js", "--silent"];
  const args = [...jest, `--maxWorkers=${values.jobs}`, "--testTimeout=900000", "--runTestsByPath", ...files];
  const env = { ...process.env, LANGCHAIN_GUARDRAILS_PROPERTY_SCALE: PROPERTY_SCALE };
  const [code] = await once(spawn(process.execPath, args, { stdio: "inherit", env }), "exit");
  return code === 0;
}

async function isClean({ name, seed }) {
  const args = [fileURLToPath(import.meta.url), "--target", name, "--seed", String(seed)];
  if (values.runs !== undefined) args.push("--runs", values.runs);
  const [code] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit");
  return code === 0;
}

async function fuzz(name, seed) {
  const { target, runs } = ALL_TARGETS[name];
  const count = Number(values.runs ?? runs);
  const random = new Random(seed);
  const started = performance.now();
  for (let run = 0; run < count; run += 1) {
    const text = target.generate?.(random) ?? generateText(random, CORPORA[name], target.tokens);
    const problem = await findProblem(target, text);
    if (problem === undefined) continue;
    await report({ name, run, seed, text, problem });
    return;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${name}: ${count} runs in ${seconds} s, seed ${seed}, nothing found`);
}

async function findProblem(target, text) {
  const started = process.cpuUsage();
  try {
    await target.check(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const { user, system } = process.cpuUsage(started);
  const spent = (user + system) / 1000;
  return spent > SLOW_MS ? new Error(`took ${Math.round(spent)} ms`) : undefined;
}

async function report({ name, run, seed, text, problem }) {
  const { target } = ALL_TARGETS[name];
  const smallest = await shrink(target, text);
  const last = (await findProblem(target, smallest)) ?? problem;
  console.error(`${name}: run ${run} of seed ${seed} failed`);
  console.error(JSON.stringify(smallest));
  console.error(last.stack);
  process.exitCode = 1;
}

/** Removes smaller and smaller pieces while the failure persists. */
async function shrink(target, text) {
  let smallest = text;
  for (let size = Math.ceil(text.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.length;) {
      const shorter = smallest.slice(0, at) + smallest.slice(at + size);
      if (await findProblem(target, shorter)) smallest = shorter;
      else at += size;
    }
  }
  return smallest;
}

// Feeds random texts to everything that reads texts, and whole turns to the rails; each target stops at its first bug.
//
//   npm run fuzz                                        all targets with all seeds, in at most 45 minutes
//   npm run fuzz -- --runs 1000 --seed 7 --target turns
//
// A run is determined by the seed: the same one makes the same texts.
import { register } from "node:module";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

register("./typescript-loader.mjs", import.meta.url);
const { ALL_TARGETS } = await import("./fuzz/all-targets.ts");
const { CORPORA } = await import("./fuzz/corpus.ts");
const { generateText } = await import("./fuzz/mutate.ts");
const { Random } = await import("./fuzz/random.ts");

/** Of processor time, so that other work of the machine is no bug. */
const SLOW_MS = 5000;
const SEEDS = ["1", "2", "3"];

const { values } = parseArgs({
  options: {
    runs: { type: "string" },
    seed: { type: "string", multiple: true, default: SEEDS },
    target: { type: "string", multiple: true, default: Object.keys(ALL_TARGETS) },
  },
});
const seeds = values.seed.map(Number);
const isCount = (number) => Number.isSafeInteger(number) && number > 0;
const isKnown = (name) => Object.hasOwn(ALL_TARGETS, name);
if (![...seeds, Number(values.runs ?? 1)].every(isCount) || !values.target.every(isKnown)) {
  console.error(`usage: npm run fuzz -- [--runs <n>] [--seed <n>]… [--target ${Object.keys(ALL_TARGETS).join("|")}]…`);
  process.exit(2);
}

for (const seed of seeds) for (const name of values.target) await fuzz(name, seed);

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

/** Leaves out ever smaller pieces as long as something is still wrong. */
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

// Feeds random texts to everything that reads texts, and stops at the first one that shows a bug.
//
//   npm run fuzz -- --runs 100000 [--seed 1] [--target parser|colang2|conversations|expressions|config]
//
// A run is determined by the seed: the same one makes the same texts.
import { register } from "node:module";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

register("./typescript-loader.mjs", import.meta.url);
const { FUZZ_TARGETS } = await import("./fuzz/targets.ts");
const { CORPORA } = await import("./fuzz/corpus.ts");
const { generateText } = await import("./fuzz/mutate.ts");
const { Random } = await import("./fuzz/random.ts");

/** Of processor time, so that other work of the machine is no bug. */
const SLOW_MS = 5000;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    target: { type: "string", multiple: true },
  },
});
const runs = Number(values.runs);
const seed = Number(values.seed);
const names = values.target ?? Object.keys(FUZZ_TARGETS);
const unknown = names.find((name) => !Object.hasOwn(FUZZ_TARGETS, name));
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed) || unknown !== undefined) {
  console.error(
    "usage: npm run fuzz -- --runs <n> [--seed <n>] [--target parser|colang2|conversations|expressions|config]",
  );
  process.exit(2);
}

for (const name of names) {
  const random = new Random(seed);
  const started = performance.now();
  for (let run = 0; run < runs; run += 1) {
    const target = FUZZ_TARGETS[name];
    const text = target.generate?.(random) ?? generateText(random, CORPORA[name], target.tokens);
    const problem = await findProblem(FUZZ_TARGETS[name], text);
    if (problem) await fail(name, run, text, problem);
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(`${name}: ${runs} texts in ${seconds.toFixed(1)} s, seed ${seed}, nothing found`);
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

async function fail(name, run, text, problem) {
  const smallest = await shrink(FUZZ_TARGETS[name], text);
  const last = (await findProblem(FUZZ_TARGETS[name], smallest)) ?? problem;
  console.error(`${name}: run ${run} of seed ${seed} failed`);
  console.error(JSON.stringify(smallest));
  console.error(last.stack);
  process.exit(1);
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

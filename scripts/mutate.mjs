// Changes the sources of the rails one small place at a time, and reports the changes that no test detects.
//
//   npm run mutate -- [--count 400] [--seed 1] [--set rails|verdicts|streaming|redaction] [--minutes 60] [--jobs 2]
//                     [--files src/turn/] [--tests __tests__/turn/]
//
// `--files` and `--tests` are regular expressions: mutants of these sources only, judged by these tests only.
//
// `--list` runs no test: it prints the sources with their mutants and checks that every rule of mutate/sets.mjs has a match.
//
// Works in a copy of the project, so the sources never change. A run is determined by the seed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { prepareCopy } from "./mutate/copy.mjs";
import { judge } from "./mutate/judge.mjs";
import { recordHits } from "./mutate/record-hits.mjs";
import { sample } from "./mutate/sample.mjs";
import { SETS } from "./mutate/sets.mjs";

/** Share of killed mutants that the project requires. */
const GOAL = 0.85;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "400" },
    seed: { type: "string", default: "1" },
    set: { type: "string", multiple: true },
    minutes: { type: "string", default: "60" },
    jobs: { type: "string", default: "2" },
    files: { type: "string", default: "" },
    tests: { type: "string", default: "" },
    list: { type: "boolean", default: false },
  },
});
const [count, seed, minutes, jobs] = [values.count, values.seed, values.minutes, values.jobs].map(Number);
const [ofFiles, ofTests] = [new RegExp(values.files), new RegExp(values.tests)];
const names = values.set ?? Object.keys(SETS);
if (![count, seed, minutes, jobs].every((number) => number > 0) || names.some((name) => !Object.hasOwn(SETS, name))) {
  console.error(
    `usage: npm run mutate -- [--count n] [--seed n] [--minutes n] [--jobs n] [--files pattern] [--tests pattern] [--list] [--set ${Object.keys(SETS).join("|")}]`,
  );
  process.exit(2);
}

if (values.list) {
  const counts = new Map();
  for (const { path } of sample({ count: Number.MAX_SAFE_INTEGER, seed, names, ofFiles })) {
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  for (const [path, count] of [...counts].sort()) console.log(`${count} ${path}`);
  process.exit(0);
}

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), "guardrails-mutate-"));
const clean = () => rmSync(folder, { recursive: true, force: true });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => (clean(), process.exit(130)));
process.on("exit", clean);

const mutants = sample({ count, seed, names, ofFiles });
prepareCopy(folder, mutants);
console.log(`${mutants.length} mutants of ${new Set(mutants.map(({ path }) => path)).size} files, seed ${seed}`);
const hits = await recordHits(folder, { jobs, ofTests });
console.log(
  `tests ran once in ${minutesSince(started)} minutes: ${hits.files.size} files, failures in ${hits.failed.length}`,
);
for (const file of hits.failed) console.log(`  failed without a mutant: ${file}`);

const deadline = started + minutes * 60_000;
const results = await judge({ folder, mutants, hits, jobs, deadline, onResult: writeText });
report(results);

function writeText({ mutant, outcome }) {
  if (outcome === "survived" || outcome === "not covered") console.log(describe(mutant, outcome));
}

function describe({ path, line, what, before, after }, outcome) {
  const shorten = (text) => (text.length > 160 ? `${text.slice(0, 160)} …` : text).replaceAll(/\s+/g, " ");
  return `${outcome}: ${path}:${line} ${what}\n  - ${shorten(before)}\n  + ${shorten(after)}`;
}

function report(results) {
  const counts = {};
  for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
  for (const name of names) {
    const ofSet = results.filter(({ mutant, outcome }) => mutant.set === name && outcome !== "not run");
    const killed = ofSet.filter(({ outcome }) => outcome === "killed" || outcome === "timed out").length;
    console.log(`${name}: ${killed} of ${ofSet.length} killed`);
  }
  const { killed = 0, "timed out": late = 0, "not run": missing = 0 } = counts;
  const judged = results.length - missing;
  const score = judged === 0 ? 0 : (killed + late) / judged;
  console.log(`${JSON.stringify(counts)} in ${minutesSince(started)} minutes; score ${(score * 100).toFixed(1)} %`);
  process.exitCode = score >= GOAL && missing === 0 ? 0 : 1;
}

function minutesSince(start) {
  return ((performance.now() - start) / 60_000).toFixed(1);
}

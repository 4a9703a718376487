import { performance } from "node:perf_hooks";
import { Cases } from "./cases.mjs";
import { runJest } from "./jest-run.mjs";

/** Limits for a mutant that loops: time since the last record of a run, and a multiple of the longest test. */
const SILENT_MS = 15_000;
const SLOWDOWN = 5;
const MIN_LIMIT_MS = 5_000;

/**
 * Runs for each mutant the tests that reach it, until one fails. A file of tests is loaded once for many mutants (a
 * warm run); mutants that such a run cannot judge, because they are reached at load time or once per process, get
 * separate runs (cold ones).
 */
export async function judge({ folder, mutants, hits, jobs, deadline, onResult }) {
  await checkColdRuns(folder, hits);
  const cases = new Cases({ mutants, hits, onResult });
  const isLate = () => performance.now() > deadline;
  const work = async () => {
    for (let next = cases.next(); next !== undefined && !isLate(); next = cases.next()) {
      if (next.wait) await new Promise((done) => setTimeout(done, 200));
      else if (next.file === undefined) await runCold(folder, next, cases);
      else await runWarm(folder, next, cases);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return cases.results();
}

async function runWarm(folder, { file, entries }, cases) {
  const mutants = entries.map(({ id, tests }) => ({
    id,
    tests: tests.map(({ at, ms }) => ({ at, limitMs: MIN_LIMIT_MS + SLOWDOWN * Math.ceil(ms) })),
  }));
  const { code, entries: notes } = await runJest(folder, {
    plan: { mode: "warm", mutants },
    args: ["--maxWorkers=1", "--runTestsByPath", file],
    silentMs: SILENT_MS + SLOWDOWN * Math.max(...entries.flatMap(({ tests }) => tests.map(({ ms }) => ms))),
  });
  const ended = notes.filter(({ outcome }) => outcome !== undefined);
  const last = notes.findLast(({ started }) => started !== undefined)?.started;
  const isOpen = last !== undefined && !ended.some(({ id }) => id === last);
  if (isOpen && code === undefined) ended.push({ id: last, outcome: "timed out" });
  cases.takeWarm({ file, entries, notes: ended });
}

/** INVARIANT: a cold run that fails for another reason would count as a kill of every mutant. */
async function checkColdRuns(folder, { files, failed }) {
  const file = [...files.keys()].find((name) => !failed.includes(name));
  if (file === undefined) return;
  const { code } = await runJest(folder, {
    plan: { mode: "cold", id: 0 },
    args: ["--maxWorkers=1", "--runTestsByPath", file],
    silentMs: 60_000,
  });
  if (code !== 0) throw new Error(`${file} fails in a process of its own without a mutant`);
}

async function runCold(folder, { id, rounds }, cases) {
  for (const { files, longestMs } of rounds) {
    const { code } = await runJest(folder, {
      plan: { mode: "cold", id },
      args: ["--maxWorkers=1", "--bail", "--runTestsByPath", ...files],
      silentMs: SILENT_MS + SLOWDOWN * longestMs,
    });
    if (code !== 0) return cases.end(id, code === undefined ? "timed out" : "killed");
  }
  return cases.end(id, "survived");
}

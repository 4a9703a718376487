import { performance } from "node:perf_hooks";
import { Cases } from "./cases.mjs";
import { runJest } from "./jest-run.mjs";

/** A mutant that loops is stopped: so long after the last sign of a run, and so many times what the longest test took. */
const SILENT_MS = 15_000;
const SLOWDOWN = 5;
const MIN_LIMIT_MS = 5_000;

/**
 * Runs for each mutant the tests that reach it, until one fails. A file of tests is loaded once for many mutants (a warm
 * run); what such a run cannot judge, as it happens at load or once in a process, gets runs of its own (cold ones).
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

/** INVARIANT: a cold run that fails for a reason of its own would count as a kill of every mutant. */
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

import { performance } from "node:perf_hooks";
import { runJest } from "./jest-run.mjs";

/** Tests of a mutant in two rounds: the closest ones first, and what is left over only when these see nothing. */
const ROUNDS_MS = [6_000, 45_000];
/** A mutant that loops is killed by time: so many times what its tests took, and a start of the process. */
const SLOWDOWN = 8;
const START_MS = 30_000;

/** Runs for each mutant the tests that reach it. */
export async function judge({ folder, mutants, hits, jobs, deadline, onResult }) {
  const waiting = [...mutants];
  const results = [];
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const outcome = performance.now() > deadline ? "not run" : await judgeOne(folder, mutant, hits);
      results.push({ mutant, outcome });
      onResult({ mutant, outcome });
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

async function judgeOne(folder, mutant, { testsOf }) {
  const tests = orderTests(mutant, testsOf.get(mutant.id) ?? []);
  if (tests.length === 0) return "not covered";
  let from = 0;
  for (const budget of ROUNDS_MS) {
    let to = from;
    for (let ms = 0; to < tests.length && (to === from || ms + tests[to].ms <= budget); to += 1) ms += tests[to].ms;
    const round = tests.slice(from, to);
    if (round.length === 0) break;
    from = to;
    const limitMs = START_MS + SLOWDOWN * round.reduce((sum, { ms }) => sum + ms, 0);
    const files = round.map(({ file }) => file);
    const code = await runJest(folder, ["--maxWorkers=1", "--bail", "--runTestsByPath", ...files], {
      env: { MUTANT: String(mutant.id) },
      limitMs,
    });
    if (code === undefined) return "timed out";
    if (code !== 0) return "killed";
  }
  return "survived";
}

/** Tests in the folder that mirrors the source come first, then those that reach few mutants, then fast ones. */
function orderTests({ path }, tests) {
  const [, room = ""] = path.split("/");
  const rank = ({ file, ms, breadth }) =>
    (file.startsWith(`__tests__/${room}/`) ? 0 : 1) * 1e6 + breadth * 100 + ms / 10;
  return [...tests].sort((left, right) => rank(left) - rank(right));
}

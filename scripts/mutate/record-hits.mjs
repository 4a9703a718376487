import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { runJest } from "./jest-run.mjs";
import { SKIPPED_TESTS } from "./sets.mjs";

/**
 * Runs all tests once without a mutant. Resolves to what reaches each mutant: by file the tests with their times, or
 * `atLoad` when the mutant is reached while the file loads; and to the tests that failed, which judge nothing.
 */
export async function recordHits(folder, { jobs, ofTests }) {
  const names = readdirSync(join(folder, "__tests__"), { recursive: true, encoding: "utf8" })
    .map((name) => `__tests__/${name}`)
    .filter(
      (name) => name.endsWith(".test.ts") && ofTests.test(name) && !SKIPPED_TESTS.some((pattern) => pattern.test(name)),
    );
  const { entries } = await runJest(folder, {
    plan: { mode: "record" },
    args: [`--maxWorkers=${Math.max(jobs, 2)}`, "--runTestsByPath", ...names],
    silentMs: 5 * 60_000,
  });
  const files = new Map(entries.map(({ testPath, ...hits }) => [relative(folder, testPath), hits]));
  const failed = names.filter((name) => files.get(name)?.tests.every(({ passed }) => passed) !== true);
  if (failed.length > names.length / 10) {
    throw new Error(`without a mutant ${failed.length} of ${names.length} files fail: ${failed.join(", ")}`);
  }
  return { files, failed, hitsOf: hitsByMutant(files) };
}

function hitsByMutant(files) {
  const hitsOf = new Map();
  const note = (id, file, hit) => {
    if (!hitsOf.has(id)) hitsOf.set(id, new Map());
    const ofFile = hitsOf.get(id).get(file) ?? { atLoad: false, tests: [] };
    if (hit === undefined) ofFile.atLoad = true;
    else ofFile.tests.push(hit);
    hitsOf.get(id).set(file, ofFile);
  };
  for (const [file, { atLoad, inHooks, tests }] of files) {
    for (const id of atLoad) note(id, file);
    for (const { at, ms, passed, ids } of tests) {
      if (passed) for (const id of new Set([...ids, ...inHooks])) note(id, file, { at, ms });
    }
  }
  return hitsOf;
}

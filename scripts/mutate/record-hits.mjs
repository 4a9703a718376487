import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { runJest } from "./jest-run.mjs";
import { SKIPPED_TESTS } from "./sets.mjs";

/** Runs all tests once without any change: which mutants each reaches, and how long it takes. */
export async function recordHits(folder, { jobs, ofTests }) {
  const tests = readdirSync(join(folder, "__tests__"), { recursive: true, encoding: "utf8" })
    .map((name) => `__tests__/${name}`)
    .filter(
      (name) => name.endsWith(".test.ts") && ofTests.test(name) && !SKIPPED_TESTS.some((pattern) => pattern.test(name)),
    );
  const [log, report] = [join(folder, "hits.jsonl"), join(folder, "report.json")];
  await runJest(folder, [`--maxWorkers=${jobs}`, "--json", "--outputFile=report.json", "--runTestsByPath", ...tests], {
    env: { MUTANT_HITS: log },
    limitMs: 20 * 60_000,
  });
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  const reached = new Map(
    lines.map((line) => JSON.parse(line)).map(({ testPath, ids }) => [relative(folder, testPath), ids]),
  );
  const { testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
  const passed = new Map();
  const failed = [];
  for (const { name, status, startTime, endTime } of testResults) {
    if (status === "passed") passed.set(relative(folder, name), endTime - startTime);
    else failed.push(relative(folder, name));
  }
  const testsOf = new Map();
  for (const [file, ids] of reached) {
    if (!passed.has(file)) continue;
    for (const id of ids)
      testsOf.set(id, [...(testsOf.get(id) ?? []), { file, ms: passed.get(file), breadth: ids.length }]);
  }
  return { testsOf, files: passed.size, failed };
}

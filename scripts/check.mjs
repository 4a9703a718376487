// Runs the checks one after the other and prints only problems.
import { spawnSync } from "node:child_process";

const STEPS = [
  ["assets", ["node", "scripts/embed-assets.mjs"]],
  ["format", ["oxfmt", "--check", "."]],
  ["lint", ["oxlint", "--deny-warnings", "--quiet"]],
  ["spelling", ["cspell", "lint", "--no-progress", "--no-summary", "."]],
  ["words", ["node", "scripts/check-words.mjs"]],
  ["layout", ["node", "scripts/check-layout.mjs"]],
  ["imports", ["node", "scripts/check-imports.mjs"]],
  ["unused code", ["knip", "--no-progress"]],
  ["types", ["tsc", "--noEmit"]],
  ["build", ["node", "scripts/build.mjs"]],
  ["contents", ["node", "scripts/check-package.mjs"]],
  ["package", ["publint", "--strict", "run", "."]],
  ["package types", ["attw", "--pack", ".", "--profile", "esm-only", "--no-emoji"]],
];

let failed = 0;
for (const [name, [command, ...args]] of STEPS) {
  const run = spawnSync(command, args, { encoding: "utf8", shell: false });
  if (run.status === 0) continue;
  failed += 1;
  console.error(`check ${name} failed`);
  console.error(`${run.stdout ?? ""}${run.stderr ?? ""}${run.error ? run.error.message : ""}`);
}
console.log(`${STEPS.length - failed} checks passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

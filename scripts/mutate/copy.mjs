import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { instrument } from "./operators.mjs";
import { COPIED } from "./sets.mjs";

/** A copy of the project that contains every mutant, disabled by a switch. */
export function prepareCopy(folder, mutants) {
  for (const name of COPIED) if (existsSync(name)) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    const ids = new Map(mutants.filter((mutant) => mutant.path === path).map(({ index, id }) => [index, id]));
    writeFileSync(join(folder, path), instrument(path, readFileSync(path, "utf8"), ids));
  }
  mkdirSync(join(folder, "mutate"));
  writeFileSync(
    join(folder, "mutate/jest.config.mjs"),
    `import base from "../jest.config.js";
const { projects, ...rest } = base;
export default {
  ...rest,
  ...(projects?.[0] ?? {}),
  rootDir: ${JSON.stringify(folder)},
  cacheDirectory: ${JSON.stringify(join(folder, "cache"))},
  testEnvironment: "<rootDir>/scripts/mutate/environment.mjs",
  // A process for each test file, so that its environment sees what the sources do. In bytes: 1 is the whole memory.
  workerIdleMemoryLimit: 2,
};
`,
  );
}

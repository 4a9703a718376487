import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { instrument } from "./operators.mjs";
import { COPIED } from "./sets.mjs";

/** Defines the switch of the mutants in a test's own world, and notes which of them the test reaches. */
const SWITCH = `
const active = Number(process.env.MUTANT ?? 0);
const reached = new Set();
globalThis.mutant = active > 0 ? (id) => id === active : (id) => (reached.add(id), false);
globalThis.reachedMutants = reached;
`;
const RECORD = `
import { appendFileSync } from "node:fs";
afterAll(() => {
  const file = process.env.MUTANT_HITS;
  if (file === undefined) return;
  const { testPath } = expect.getState();
  appendFileSync(file, JSON.stringify({ testPath, ids: [...globalThis.reachedMutants] }) + "\\n");
});
`;

/** A copy of the project in which every mutant waits behind its switch. */
export function prepareCopy(folder, mutants) {
  for (const name of COPIED) if (existsSync(name)) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    const ids = new Map(mutants.filter((mutant) => mutant.path === path).map(({ index, id }) => [index, id]));
    writeFileSync(join(folder, path), instrument(path, readFileSync(path, "utf8"), ids));
  }
  mkdirSync(join(folder, "mutate"));
  writeFileSync(join(folder, "mutate/switch.mjs"), SWITCH);
  writeFileSync(join(folder, "mutate/record.mjs"), RECORD);
  writeFileSync(
    join(folder, "mutate/jest.config.mjs"),
    `import base from "../jest.config.js";
const { projects, ...rest } = base;
export default {
  ...rest,
  ...(projects?.[0] ?? {}),
  rootDir: ${JSON.stringify(folder)},
  cacheDirectory: ${JSON.stringify(join(folder, "cache"))},
  setupFiles: ["<rootDir>/mutate/switch.mjs"],
  setupFilesAfterEnv: ["<rootDir>/mutate/record.mjs"],
};
`,
  );
}

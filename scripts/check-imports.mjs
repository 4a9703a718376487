// Checks the import rules between rooms (rooms.json), and that the checker saw the modules: run with a compiler that it
// cannot use, dependency-cruiser sees none and passes.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";

const require = createRequire(import.meta.url);
const { options, forbidden } = require("../.dependency-cruiser.cjs");
const { output } = await cruise(["src"], { ...options, validate: true, ruleSet: { forbidden } }, undefined, {
  tsConfig: extractTSConfig("tsconfig.json"),
});

const files = readdirSync("src", { recursive: true }).filter((name) => String(name).endsWith(".ts"));
const seen = output.modules.filter(({ source }) => source.startsWith("src/"));
const edges = seen.reduce((sum, { dependencies }) => sum + dependencies.length, 0);
if (seen.length < files.length || edges < files.length) {
  console.error(`import check saw ${seen.length} of ${files.length} modules and ${edges} imports: it did not work`);
  process.exit(1);
}
const rooms = JSON.parse(readFileSync("rooms.json", "utf8"));
const unknown = readdirSync("src", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !(entry.name in rooms))
  .map((entry) => join("src", entry.name));
for (const room of unknown) console.error(`${room} is not listed in rooms.json`);
const missing = [...new Set(Object.entries(rooms).flat(2))].filter(
  (room) => !existsSync(join("src", room)) && !existsSync(join("src", `${room}.ts`)),
);
for (const room of missing) console.error(`rooms.json names \`${room}\`, which is neither a folder nor a file of src`);
for (const { rule, from, to, cycle } of output.summary.violations) {
  const via = cycle?.length ? ` via ${cycle.map((step) => step.name ?? step).join(" -> ")}` : "";
  console.error(`${rule.severity} ${rule.name}: ${from} -> ${to}${via}`);
}
process.exit(output.summary.error > 0 || unknown.length + missing.length > 0 ? 1 : 0);

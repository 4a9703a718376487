// Builds what is out of date, then runs an example: `npm run example -- topical-rail`, `npm run demo -- --script FILE`.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMPILER = join(ROOT, "node_modules", "typescript", "bin", "tsc");
// Finds the compiler like `npm run`, also when this file is run directly.
const ENVIRONMENT = { ...process.env, PATH: [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter) };

/** Modification time of a file; 0 if it does not exist. */
function writtenAt(path) {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Returns true if every source has a compiled file that is newer than the source and than everything in `alsoNewerThan`. */
function isCurrent(from, to, alsoNewerThan) {
  const oldest = Math.max(...alsoNewerThan.map(writtenAt));
  return readdirSync(join(ROOT, from), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .every((name) => {
      const compiled = writtenAt(join(to, name.replace(/\.ts$/, ".js")));
      return compiled > oldest && compiled > writtenAt(join(from, name));
    });
}

const EXAMPLES = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const [example, ...rest] = process.argv.slice(2);
if (!EXAMPLES.includes(example)) {
  console.error(
    `${example === undefined ? "name an example" : `there is no example \`${example}\``}: ${EXAMPLES.join(", ")}`,
  );
  process.exit(1);
}

function run(...args) {
  const { status, error } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env: ENVIRONMENT });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!isCurrent("src", "dist", ["package-lock.json", "tsconfig.json", "tsconfig.build.json"])) {
  console.error("building the package ...");
  run(join("scripts", "build.mjs"));
}
if (!isCurrent("examples", "dist-examples", ["package-lock.json", "tsconfig.examples.json", "dist/index.js"])) {
  console.error("compiling the examples ...");
  run(COMPILER, "-p", "tsconfig.examples.json");
}
run(join("dist-examples", example, "main.js"), ...rest);

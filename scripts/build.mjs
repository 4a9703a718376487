// Builds the package: src/ → build/ with tsc, a file for each module; build/ → dist/, the entries of package.json with what they
// share bundled in a few files, since each separate file costs an import of the package half a millisecond; and
// the JSON Schema for editors.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { rolldown } from "rolldown";

for (const folder of ["build", "dist"]) rmSync(folder, { recursive: true, force: true });
const assets = spawnSync(process.execPath, ["scripts/embed-assets.mjs"], { stdio: "inherit" });
if (assets.status !== 0) process.exit(assets.status ?? 1);
const run = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
if (run.status !== 0) process.exit(run.status ?? 1);

const entries = Object.values(JSON.parse(readFileSync("package.json", "utf8")).exports).flatMap(
  (entry) => entry.default ?? [],
);
const input = Object.fromEntries(
  entries.map((path) => {
    const name = path.slice("./dist/".length, -".js".length);
    return [name, resolve("build", `${name}.js`)];
  }),
);
// Dependencies stay imports, so that their classes are those that applications have.
const bundle = await rolldown({ input, platform: "node", external: (id) => !/^[./]|^[A-Za-z]:\\/.test(id) });
// Names are kept, for errors and LangChain's serialized objects are known by them.
await bundle.write({ dir: "dist", format: "esm", keepNames: true, chunkFileNames: "shared/[name]-[hash].js" });
await bundle.close();
cpSync("build", "dist", { recursive: true, filter: (path) => !path.endsWith(".js") });

const { configJsonSchema } = await import("../build/config/schema/json-schema.js");
writeFileSync("dist/config.schema.json", `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);

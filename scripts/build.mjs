// Builds dist/ from src/ with tsc: ESM only, with declarations, and the JSON Schema for editors.
import { rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";

rmSync("dist", { recursive: true, force: true });
const run = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
if (run.status !== 0) process.exit(run.status ?? 1);
const { configJsonSchema } = await import("../dist/config/json-schema.js");
writeFileSync("dist/config.schema.json", `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);

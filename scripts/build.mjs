// Builds dist/ from src/ with tsc: ESM only, with declarations and source maps.
import { rmSync } from "node:fs";
import { spawnSync } from "node:child_process";

rmSync("dist", { recursive: true, force: true });
const run = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
process.exit(run.status ?? 1);

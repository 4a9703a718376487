import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

let runs = 0;

/**
 * One run of jest in the copy, by a plan for the environment of its tests. Resolves to the exit code (undefined if
 * nothing was recorded for `silentMs`) and to the records.
 */
export async function runJest(folder, { plan, args, silentMs }) {
  runs += 1;
  const [planFile, out] = ["plan", "out"].map((name) => join(folder, "mutate", `${name}-${runs}.json`));
  writeFileSync(planFile, JSON.stringify({ ...plan, out }));
  const jest = join(folder, "node_modules/jest/bin/jest.js");
  const child = spawn(process.execPath, [jest, "--config", "mutate/jest.config.mjs", "--silent", ...args], {
    cwd: folder,
    env: { ...process.env, MUTANT_PLAN: planFile, NODE_OPTIONS: "" },
    stdio: "ignore",
    detached: true,
  });
  const code = await endOf(child, out, silentMs);
  const lines = existsSync(out) ? readFileSync(out, "utf8").trim().split("\n") : [];
  return { code, entries: lines.map((line) => JSON.parse(line)) };
}

function endOf(child, out, silentMs) {
  return new Promise((done) => {
    const stop = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has already ended.
      }
    };
    let [size, since, code] = [0, Date.now(), 0];
    const timer = setInterval(() => {
      const now = existsSync(out) ? statSync(out).size : 0;
      if (now !== size) [size, since] = [now, Date.now()];
      if (Date.now() - since > silentMs) [code] = [undefined, stop()];
    }, 500);
    process.once("exit", stop);
    child.on("close", (status) => {
      clearInterval(timer);
      process.off("exit", stop);
      done(code === undefined ? undefined : (status ?? 1));
    });
  });
}

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { load, loadLibrary } from "../library-program.mjs";
import { cpuPerCall, median } from "../measure.mjs";

const FRESH = fileURLToPath(new URL("../cold-library.mjs", import.meta.url));

/** Cost of compiling Colang 2.x: groups, which must not multiply, and the whole standard library. */
export async function colang2Cases() {
  const pairs = Array.from({ length: 20 }, (_, at) => `(A${at}() or B${at}())`).join(" and ");
  const groups = `flow main\n  match ${pairs}\n`;
  const times = { samples: 11, inner: 2, warmup: 20 };
  return [
    { name: "compile 20 binary alternatives", value: cpuPerCall(() => load(groups), times), unit: "ms", limit: 10 },
    { name: "load the standard library, fresh process", value: median(freshLoads()), unit: "ms", limit: 40 },
    { name: "load the standard library, warm", value: cpuPerCall(loadLibrary, times), unit: "ms", limit: 40 },
  ];
}

function freshLoads() {
  return Array.from({ length: 11 }, () => {
    const run = spawnSync(process.execPath, [FRESH], { encoding: "utf8" });
    if (run.status !== 0) throw new Error(run.stderr);
    return Number(run.stdout);
  });
}

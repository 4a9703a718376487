import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Guardrails } from "langchain-guardrails";
import { dialog } from "../configs.mjs";
import { median } from "../measure.mjs";

/** Loading a configuration of 100 flows, modules warm. */
export async function loadCases() {
  const config = dialog(100);
  const times = [];
  for (let repeat = 0; repeat < 25; repeat += 1) {
    const start = performance.now();
    await Guardrails.fromConfig(config);
    times.push(performance.now() - start);
  }
  return [{ name: "load a configuration of 100 flows", value: median(times.slice(5)), unit: "ms", limit: 30 }];
}

/** The main entry in a fresh process, against the LangChain sub-paths that it loads itself. */
export function importCases() {
  const script = fileURLToPath(new URL("../cold-import.mjs", import.meta.url));
  const sample = (what) => {
    const run = spawnSync(process.execPath, [script, what], { encoding: "utf8" });
    if (run.status !== 0) throw new Error(run.stderr);
    return Number(run.stdout);
  };
  const times = { core: [], main: [] };
  for (let repeat = 0; repeat < 11; repeat += 1) {
    for (const what of ["core", "main"]) times[what].push(sample(what));
  }
  const core = median(times.core);
  const main = median(times.main);
  return [
    {
      name: "cold import over the same core sub-paths",
      value: main - core,
      unit: "ms",
      limit: 60,
      detail: `${main.toFixed(0)} main entry, ${core.toFixed(0)} core alone`,
    },
  ];
}

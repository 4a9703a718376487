import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SCRIPT = fileURLToPath(new URL("../walk.mjs", import.meta.url));
const run = promisify(execFile);

/** Calls that `bench/walk.mjs` counts. */
function walk(key) {
  return async ({ root }) => {
    const args = ["--no-warnings", SCRIPT, "--root", root, "--only", key, "--json", "-"];
    const { stdout } = await run(process.execPath, args);
    return { calls: [JSON.parse(stdout).rows[0].calls] };
  };
}

const shared = { unit: "calls", conditions: "warm", value: ({ calls }) => calls, control: false, processes: 1 };

/** Function calls of one warm call in our own code. */
export const walkRows = [
  {
    ...shared,
    name: "walk-model",
    title: "function calls of a model behind one local input rail",
    target: 1100,
    once: walk("model"),
  },
  {
    ...shared,
    name: "walk-dialog",
    title: "function calls of a dialog turn without a model call",
    target: 1200,
    once: walk("dialog"),
  },
  {
    ...shared,
    name: "walk-colang2",
    title: "function calls of a turn of Colang 2 without a model call",
    target: 2400,
    once: walk("colang2"),
  },
];

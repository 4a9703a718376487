// A worker of a batch queue as a process of its own: `checker.ts URL NAME LOCK_MS`. It blocks texts with `forbidden`, fails on
// `broken`, ends itself on `deadly`, and writes the number of rows of each job that is done.
import { BatchQueue } from "../../../src/batch/index.js";

const [url = "", name = "", lockMs = ""] = process.argv.slice(2);

const guardrails = {
  check: async (value: unknown) => {
    const text = String(value);
    if (text.includes("deadly")) process.kill(process.pid, "SIGKILL");
    if (text.includes("broken")) throw new TypeError(text);
    const blocked = text.includes("forbidden");
    const verdict = { blocked, decisions: [], ...(blocked ? { rail: "check words" } : {}) };
    return {
      status: blocked ? ("blocked" as const) : ("passed" as const),
      blocked,
      output: "No.",
      guardrails: verdict,
    };
  },
};

const queue = await BatchQueue.connect(url, { name });
queue.work(guardrails, { lockMs: Number(lockMs), onRows: (rows) => process.stdout.write(`${rows}\n`) });
process.stdout.write("ready\n");

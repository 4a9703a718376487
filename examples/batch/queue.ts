// The same rows, checked by many machines: `queue.ts work` on each of them, and `queue.ts collect IN OUT` on one. It needs Redis,
// whose address is in REDIS_URL.
import { once } from "node:events";
import { Guardrails } from "langchain-guardrails";
import { BatchQueue, moderateFile } from "langchain-guardrails/batch";

const [role = "work", input = "reviews.jsonl", output = "verdicts.jsonl"] = process.argv.slice(2);
const url = process.env["REDIS_URL"] ?? "redis://localhost:6379";
const queue = await BatchQueue.connect(url, { name: "reviews", policy: "2026-11", logger: console });

if (role === "work") {
  // #region worker
  const guardrails = await Guardrails.preset("local");
  const worker = queue.work(guardrails, { concurrency: 16 });
  await once(process, "SIGTERM");
  await worker.close();
  // #endregion
} else {
  // #region collect
  const summary = await moderateFile(queue, input, output, { existing: "resume" });
  console.log(`${summary.blocked} of ${summary.rows} rows are blocked`);
  // #endregion
}
await queue.close();

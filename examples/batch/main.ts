import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Guardrails } from "langchain-guardrails";
import { moderateFile } from "langchain-guardrails/batch";
import { start } from "../start.js";

export const REPLIES = [];

export async function run(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "batch-"));
  const input = fileURLToPath(new URL("../../examples/batch/reviews.jsonl", import.meta.url));
  const output = join(folder, "verdicts.jsonl");
  // #region batch
  const guardrails = await Guardrails.preset("local");
  const summary = await moderateFile(guardrails, input, output, { concurrency: 16, existing: "resume" });
  // #endregion
  const lines = readFileSync(output, "utf8").trimEnd().split("\n");
  rmSync(folder, { recursive: true });
  return [...lines, JSON.stringify(summary)];
}

await start(import.meta.url, run, REPLIES);

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives a run of the tests a folder of its own for temporary files, whose variable all workers and their programs inherit. It
 * is removed with what tests that failed and workers that were ended have left there.
 */
export default function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), "langchain-guardrails-tests-"));
  // Databases and nginx run as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}

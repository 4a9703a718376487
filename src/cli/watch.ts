import { watch } from "node:fs/promises";

/** Milliseconds without a change after which changes are reported: editors write a file in several steps. */
const QUIET_MS = 100;

const SKIPPED = /(?:^|[\\/])(?:\.|node_modules[\\/])|(?:~|\.tmp|\.swp)$/;

/** Calls `onChange` after files below a path have changed, until the signal ends it. */
export async function watchFiles(path: string, signal: AbortSignal, onChange: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  try {
    for await (const { filename } of watch(path, { recursive: true, signal })) {
      if (filename !== null && SKIPPED.test(filename)) continue;
      clearTimeout(timer);
      timer = setTimeout(() => (working = working.then(onChange)), QUIET_MS);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    await working;
  }
}

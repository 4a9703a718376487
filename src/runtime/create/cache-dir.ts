import type { Logger } from "../../diagnostics/logger.js";

/** Reported folders, each once per process. */
const reported = new Set<string>();

/** Reports that the folder of the option `cacheDir` cannot be used; loading continues without it. */
export function cacheDirReporter(cacheDir: string, logger: Logger | undefined): (error: unknown) => void {
  return (error) => {
    if (reported.has(cacheDir)) return;
    reported.add(cacheDir);
    const reason = error instanceof Error ? error.message : String(error);
    logger?.warn(`the folder \`${cacheDir}\` of the option \`cacheDir\` cannot be used: ${reason}`);
  };
}

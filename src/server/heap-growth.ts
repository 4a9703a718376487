import { setFlagsFromString } from "node:v8";

const FLAG = "--heap-growing-percent";

/** Growth of the heap, in percent of the memory in use, after which V8 collects garbage among older objects. */
const GROWTH = 50;

/**
 * Limits the heap growth of this process by garbage. Waiting requests become older objects, which V8 collects only after they
 * have grown to up to four times the memory in use; in a process with little memory, it collects as early as here.
 *
 * V8 reads this flag at the end of each collection, so it can change while a process runs.
 *
 * @param started - options that the process was started with; a value set there has priority
 */
export function boundHeapGrowth(
  started: readonly string[] = process.execArgv,
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  // Other runtimes implement the Node.js API with another garbage collector.
  if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return;
  if (started.some((option) => option.replaceAll("_", "-").startsWith(FLAG))) return;
  setFlags(`${FLAG}=${GROWTH}`);
}

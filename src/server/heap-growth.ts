import { setFlagsFromString } from "node:v8";

const FLAG = "--heap-growing-percent";

/** Growth of the heap after which V8 looks for garbage among older objects, in percent of what was in use then. */
const GROWTH = 50;

/**
 * Bounds how far the heap of this process grows with garbage. Requests that wait become older objects, which V8 collects when
 * they have grown to as much as four times what is in use; with little memory for a process it collects as early as here.
 *
 * V8 reads this flag at the end of each collection, so that it may change while a process runs.
 *
 * @param started - options that the process was started with; a choice of its own stays
 */
export function boundHeapGrowth(
  started: readonly string[] = process.execArgv,
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  // Other runtimes have another collector under the interface of Node.js.
  if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return;
  if (started.some((option) => option.replaceAll("_", "-").startsWith(FLAG))) return;
  setFlags(`${FLAG}=${GROWTH}`);
}

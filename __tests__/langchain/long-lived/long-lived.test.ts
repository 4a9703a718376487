import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";

const run = promisify(execFile);
const LOADER = new URL("../../typescript-loader.mjs", import.meta.url).href;

/** Runs a file of this folder in a process of its own; resolves with its output once it has exited by itself. */
async function runProcess(file: string, ...given: readonly string[]): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { stdout } = await run(process.execPath, ["--expose-gc", "--no-warnings", "--import", LOADER, path, ...given], {
    timeout: 40_000,
  });
  return stdout;
}

const ROUNDS = 8;

describe("calls that share one signal which never fires", () => {
  it("leave no signal, chunk or listener in memory, however they end", async () => {
    const left = JSON.parse(await runProcess("rounds.ts", String(ROUNDS))) as Record<
      string,
      { readonly passed: number; readonly kept: number; readonly listeners: number }
    >;
    expect(Object.keys(left).length).toBeGreaterThan(30);
    expect(Object.values(left).filter(({ passed }) => passed >= ROUNDS).length).toBeGreaterThan(25);
    // A few objects may still be referenced from the last call; one per call is a leak.
    const leaks = Object.entries(left).filter(([, { kept, listeners }]) => kept >= ROUNDS / 2 || listeners > 0);
    expect(leaks).toEqual([]);
  }, 60_000);
});

describe("streams that nobody reads to their end", () => {
  it("do not keep the process alive", async () => {
    expect(JSON.parse(await runProcess("unread.ts"))).toEqual({ streams: 9, done: 0 });
  }, 60_000);
});

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "@jest/globals";

const run = promisify(execFile);
const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;

/** Runs a file of this folder in a process of its own; resolves with its output once it has exited by itself. */
async function runProcess(file: string, ...given: readonly string[]): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { stdout } = await run(process.execPath, ["--expose-gc", "--no-warnings", "--import", LOADER, path, ...given], {
    timeout: 40_000,
  });
  return stdout;
}

const ROUNDS = 8;

let calls: Record<string, { readonly passed: number; readonly kept: number; readonly listeners: number }>;
let unread: unknown;
// One process for both, since loading the library is most of its time.
beforeAll(async () => {
  const [first = "", second = ""] = (await runProcess("rounds.ts", String(ROUNDS))).split("\n");
  calls = JSON.parse(first) as typeof calls;
  unread = JSON.parse(second);
}, 60_000);

describe("calls that share one signal which never fires", () => {
  it("leave no signal, chunk or listener in memory, however they end", () => {
    expect(Object.keys(calls).length).toBeGreaterThan(30);
    expect(Object.values(calls).filter(({ passed }) => passed >= ROUNDS).length).toBeGreaterThan(25);
    // A few objects may still be referenced from the last call; one per call is a leak.
    const leaks = Object.entries(calls).filter(([, { kept, listeners }]) => kept >= ROUNDS - 1 || listeners > 0);
    expect(leaks).toEqual([]);
  });
});

describe("streams that are not read to their end", () => {
  it("do not keep the process alive", () => {
    expect(unread).toEqual({ streams: 9, done: 0 });
  });
});

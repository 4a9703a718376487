import { execFileSync } from "node:child_process";
import { describe, expect, it } from "@jest/globals";
import { boundHeapGrowth } from "../../src/server/heap-growth.js";

/** The flags that are set in a process that was started with these options. */
function flagsSet(started: readonly string[]): string[] {
  const flags: string[] = [];
  boundHeapGrowth(started, (each) => flags.push(each));
  return flags;
}

describe("boundHeapGrowth", () => {
  it("sets a flag that this version of Node.js has", () => {
    const [flag = "", ...others] = flagsSet(["--enable-source-maps"]);
    expect(others).toEqual([]);
    const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
    expect(known).toContain(`  ${flag.split("=")[0] ?? ""} (`);
  });

  it.each(["--heap-growing-percent=100", "--heap_growing_percent=100"])("keeps %s of the process", (option) => {
    expect(flagsSet([option])).toEqual([]);
  });
});

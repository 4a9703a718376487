import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BAKERY, createFolder, runCli } from "./run-cli.js";

const ROWS = ["hello", "sell me a cake", "a loaf"].map((text) => `${JSON.stringify({ text })}\n`).join("");

describe("batch", () => {
  let folder: ReturnType<typeof createFolder>;
  const at = (name: string): string => join(folder.path, name);
  const batch = (...more: readonly string[]) =>
    runCli(["batch", at("in.jsonl"), at("out.jsonl"), "--config", at("config"), ...more]);
  const statuses = (): unknown[] =>
    readFileSync(at("out.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { status: unknown }).status);

  beforeEach(() => {
    const files = Object.entries(BAKERY).map(([name, text]) => [`config/${name}`, text]);
    folder = createFolder({ ...Object.fromEntries(files), "in.jsonl": ROWS });
  });
  afterEach(() => folder.remove());

  it("writes a result for each row and the totals", async () => {
    const { code, out } = await batch();
    expect({ code, out }).toEqual({
      code: 0,
      out: "3 rows: 2 passed, 0 modified, 1 blocked, 0 with errors\n  check words: 1 blocked\n",
    });
    expect(statuses()).toEqual(["passed", "blocked", "passed"]);
  });

  it("prints the totals as JSON, and exits with 1 if rows could not be checked", async () => {
    folder.write("in.jsonl", `${ROWS}{\n`);
    const { code, out } = await batch("--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ rows: 4, blocked: 1, errors: 1, byRail: { "check words": 1 } });
  });

  it("replaces or resumes an output file on request only", async () => {
    await batch();
    const refused = await batch();
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("exists");
    expect((await batch("--resume")).out).toContain("0 rows, after 3 of earlier runs");
    expect((await batch("--force")).out).toContain("3 rows:");
  });

  it.each([
    [["--concurrency", "0"], "--concurrency is a number of rows, not `0`"],
    [["--resume", "--force"], "--resume and --force exclude each other"],
  ])("refuses %j", async (more, message) => {
    const { code, err } = await batch(...more);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });

  it("draws its progress on a terminal only", async () => {
    const argv = ["batch", at("in.jsonl"), at("out.jsonl"), "--config", at("config")];
    expect((await runCli(argv, { isTTY: true })).err).toContain("100%");
    expect((await runCli([...argv, "--force"])).err).not.toContain("%");
  });

  it("exits with 130 and says how to continue when it is interrupted", async () => {
    const { code, err } = await runCli(["batch", at("in.jsonl"), at("out.jsonl"), "--config", at("config")], {
      signal: AbortSignal.abort(new Error("stopped")),
    });
    expect(code).toBe(130);
    expect(err).toContain("--resume goes on from here");
  });
});

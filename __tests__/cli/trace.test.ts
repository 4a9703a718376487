import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { toJsonLine } from "../../src/tracing/sinks/json-lines.js";
import type { Interaction } from "../../src/tracing/interaction.js";
import { createFolder, runCli } from "./run-cli.js";

function interaction(traceId: string, blocked: boolean): Interaction {
  const times = { startedAt: 1_700_000_000_000, finishedAt: 1_700_000_000_012, durationMs: 12 };
  return {
    traceId,
    startedAt: times.startedAt,
    finishedAt: times.finishedAt,
    blocked,
    spans: [
      {
        id: "a",
        kind: "turn",
        name: "guardrails.request",
        ...times,
        status: blocked ? "blocked" : "ok",
        attributes: {},
      },
      {
        id: "b",
        parentId: "a",
        kind: "rail",
        name: "guardrails.rail",
        ...times,
        status: blocked ? "blocked" : "passed",
        attributes: { "rail.name": "check \u001b[2Jwords", "rail.type": "input" },
      },
    ],
  };
}

describe("trace", () => {
  let folder: ReturnType<typeof createFolder>;
  let file = "";
  beforeAll(() => {
    const lines = [toJsonLine(interaction("one", false)), toJsonLine(interaction("two", true)), ""];
    folder = createFolder({
      "trace.jsonl": lines.join("\n"),
      "old.jsonl": `${toJsonLine(interaction("old", false), { format: "legacy" })}\n`,
      "broken.jsonl": `{"trace_id":1}\nno json\n${lines[0]}\n`,
    });
    file = join(folder.path, "trace.jsonl");
  });
  afterAll(() => folder.remove());

  it("shows calls as trees", async () => {
    const { code, out } = await runCli(["trace", file]);
    expect(code).toBe(0);
    expect(out).toContain("one  2023-11-14T22:13:20.000Z\nguardrails.request");
    expect(out).toContain("\n  rail check \uFFFD[2Jwords (input) blocked 12.0 ms\n");
  });

  it("writes calls as one HTML file that only its owner reads", async () => {
    const page = join(folder.path, "page.html");
    const { code, out } = await runCli(["trace", file, "--blocked", "--html", page]);
    expect([code, out]).toEqual([0, ""]);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("(call two)");
    expect(html).not.toContain("(call one)");
    expect(html).toContain("default-src 'none'");
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect((await runCli(["trace", file, "--html", folder.path])).code).toBe(64);
  });

  it.each([
    [["--blocked"], ["two"], ["one"]],
    [["--last", "1"], ["two"], ["one"]],
    [["--id", "on"], ["one"], ["two"]],
  ])("%j chooses calls", async (argv, present, absent) => {
    const { out } = await runCli(["trace", file, ...argv]);
    for (const id of present) expect(out).toContain(`${id}  `);
    for (const id of absent) expect(out).not.toContain(`${id}  `);
  });

  it("reads the older format", async () => {
    const { out } = await runCli(["trace", join(folder.path, "old.jsonl")]);
    expect(out).toMatch(/^old\ninteraction 12.0 ms\n {2}rail: /);
  });

  it("says which lines cannot be read", async () => {
    const { code, out, err } = await runCli(["trace", join(folder.path, "broken.jsonl")]);
    expect(code).toBe(1);
    expect(out).toContain("one");
    expect(err).toContain("2 lines cannot be read: 1, 2");
  });

  it.each([
    [["nowhere.jsonl"], "cannot be read: ENOENT"],
    [["x", "--last", "0"], "a number from 1"],
  ])("%j is a usage error", async (argv, message) => {
    const { code, err } = await runCli(["trace", ...argv]);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });
});

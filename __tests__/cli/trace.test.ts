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

  const span = (span_id: string, parent_id?: string, more: object = {}): object => {
    const times = { start_time: 1_700_000_000, end_time: 1_700_000_001, duration: 1 };
    return { name: `span ${span_id}`, span_id, parent_id, ...times, ...more };
  };
  const line = (spans: readonly object[], trace_id = "x"): string => JSON.stringify({ trace_id, spans });
  const chain = Array.from({ length: 3_000 }, (_, index) => span(`${index}`, index === 0 ? undefined : `${index - 1}`));

  it.each([
    ["a span that is its own parent", line([span("a", "a")]), 0, "span a 1000.0 ms\n"],
    ["parents in a circle", line([span("a", "b"), span("b", "a")]), 0, "span a 1000.0 ms\n  span b 1000.0 ms\n"],
    ["ids that repeat", line([span("a"), span("a", "a"), span("a", "a")]), 0, "span a 1000.0 ms\n  span a 1000.0 ms\n"],
    ["a parent that is missing", line([span("a"), span("b", "z")]), 0, "span b 1000.0 ms\n"],
    ["a deep tree", line(chain), 0, `\n${"  ".repeat(50)}span 2999 1000.0 ms\n`],
    [
      "names with lines and sequences",
      line([span("a", undefined, { name: "n\n> \u001b[2Jx" })]),
      0,
      "n\uFFFD> \uFFFD[2Jx",
    ],
    ["an id with lines and sequences", line([], "a\nb\u001b[2J"), 0, "a\uFFFDb\uFFFD[2J\n"],
    ["a long name", line([span("a", undefined, { name: "n".repeat(9_999) })]), 0, `\n${"n".repeat(200)}… 1000.0 ms`],
    ["a time that no calendar has", line([span("a", undefined, { start_time: 1e300 })]), 1, ""],
  ])("shows each span once, on one line: %s", async (_title, text, expected, shown) => {
    const hostile = createFolder({ "trace.jsonl": `${text}\n` });
    const { code, out } = await runCli(["trace", join(hostile.path, "trace.jsonl")]);
    hostile.remove();
    expect(code).toBe(expected);
    expect(out).toContain(shown);
    expect(out.length).toBeLessThan(400_000);
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

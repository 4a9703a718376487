import { afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import {
  type BatchProgress,
  type BatchResult,
  moderateFile,
  type ModerateFileOptions,
  moderateRows,
  readRow,
} from "../../src/batch/index.js";
import type { BatchRow } from "../../src/batch/read-row.js";
import { splitLines } from "../../src/batch/split-lines.js";
import { Guardrails } from "../../src/index.js";

const CONFIG = {
  config: {
    rails: {
      input: { flows: ["regex check input", "mask sensitive data on input"] },
      output: { flows: ["regex check output"] },
      config: {
        regex_detection: { input: { patterns: ["forbidden"] }, output: { patterns: ["secret"] } },
        sensitive_data_detection: { input: { entities: ["EMAIL_ADDRESS"] } },
      },
    },
  },
};

let guardrails: Guardrails;
let folder = "";
const path = (name: string): string => join(folder, name);
const write = (rows: readonly unknown[]): void => {
  const lines = rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`);
  writeFileSync(path("in.jsonl"), lines.join(""));
};
const results = (): BatchResult[] => {
  const lines = readFileSync(path("out.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as BatchResult);
};
const run = (options: ModerateFileOptions = {}) =>
  moderateFile(guardrails, path("in.jsonl"), path("out.jsonl"), options);

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

beforeAll(async () => {
  guardrails = await Guardrails.fromConfig(CONFIG);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "batch-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("rows of a batch", () => {
  it.each<[string, unknown, Partial<BatchResult>]>([
    ["a text that passes", { text: "hello" }, { status: "passed" }],
    ["an id", { id: "a-1", text: "hello" }, { status: "passed", id: "a-1" }],
    ["a text that is blocked", { text: "a forbidden word" }, { status: "blocked", rail: "regex check input" }],
    ["a text that is rewritten", { text: "to a@b.com" }, { status: "modified", output: "to <EMAIL_ADDRESS>" }],
    ["a response", { output: "the secret" }, { status: "blocked", rail: "regex check output" }],
    ["a response to a question", { input: "forbidden", output: "no" }, { status: "passed" }],
    ["messages of the user", { messages: [{ role: "user", content: "forbidden" }] }, { status: "blocked" }],
    ["messages of the assistant", { messages: [{ role: "assistant", content: "secret" }] }, { status: "blocked" }],
    ["messages that steer", { messages: [{ role: "context", content: {} }] }, { status: "error" }],
    ["no JSON", "{", { status: "error", error: "expected a line of JSON" }],
    ["a list", "[]", { status: "error", error: "expected an object, got an empty list" }],
    ["nothing to check", { id: 7 }, { id: 7, status: "error" }],
    ["two texts", { text: "a", output: "b" }, { status: "error" }],
    ["a number", { text: 7 }, { status: "error", error: "expected `text` to be a text, got a number" }],
    [
      "no messages",
      { messages: [] },
      { status: "error", error: "expected `messages` to be a list of messages, got an empty list" },
    ],
    ["half a surrogate pair and NUL", { text: "\ud83d\u0000 forbidden" }, { status: "blocked" }],
    ["a key of the prototype", '{"__proto__": {"text": "x"}}', { status: "error" }],
  ])("accept %s", async (_name, row, expected) => {
    write([row]);
    await run();
    expect(results()).toEqual([expect.objectContaining({ line: 1, ...expected })]);
  });

  it("are identified by their line, and blank lines are skipped", async () => {
    writeFileSync(path("in.jsonl"), '\n{"text":"a"}\r\n   \n{"text":"b"}');
    await run();
    expect(results().map(({ line }) => line)).toEqual([2, 4]);
  });

  it("are checked by the output rails if the run asks for it", async () => {
    write([{ text: "secret" }]);
    await run({ stage: "output" });
    expect(results()[0]?.rail).toBe("regex check output");
  });

  it("carry all decisions if requested", async () => {
    write([{ text: "hello" }]);
    await run({ decisions: true });
    const rails = results()[0]?.decisions?.map(({ rail }) => rail);
    expect(rails?.toSorted()).toEqual(["mask sensitive data on input", "regex check input"]);
  });

  it("are errors without `value`, as rows of a file or other values of untyped callers are", async () => {
    const rows = [
      { line: 7, value: "a" },
      { id: "b", text: "forbidden" },
      null,
      "forbidden",
    ] as unknown as readonly BatchRow[];
    const error = "expected an object with `line` and `value`, a text or messages";
    expect(await allOf(moderateRows(guardrails, rows))).toEqual([
      { line: 7, status: "passed" },
      { id: "b", status: "error", error },
      { line: 3, status: "error", error },
      { line: 4, status: "error", error },
    ]);
  });

  it("are not quoted when their check fails", async () => {
    const failing = { check: () => Promise.reject(new TypeError("cannot read `my password`")) };
    const [result] = await allOf(moderateRows(failing, [readRow(1, '{"text":"my password"}', "input")]));
    expect(result).toEqual({ line: 1, status: "error", error: "the check failed: TypeError" });
  });
});

describe("a batch", () => {
  it("adds up the counts of its rows", async () => {
    write([{ text: "a" }, { text: "forbidden" }, { text: "a@b.com" }, "{", { text: "forbidden too" }]);
    expect(await run()).toEqual({
      rows: 5,
      resumed: 0,
      passed: 1,
      modified: 1,
      blocked: 2,
      errors: 1,
      byRail: { "regex check input": 2 },
    });
  });

  it("keeps the order of its rows and never checks more at once than it may", async () => {
    let running = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const slow = {
      check: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          // The last check that began ends first.
          if (waiting.length === 3) for (const next of waiting.splice(0).toReversed()) next();
        });
        running -= 1;
        return { status: "passed" as const, blocked: false, output: "", guardrails: { blocked: false, decisions: [] } };
      },
    };
    const rows = Array.from({ length: 30 }, (_, index) => readRow(index + 1, '{"text":"a"}', "input"));
    const found = await allOf(moderateRows(slow, rows, { concurrency: 3 }));
    expect(found.map(({ line }) => line)).toEqual(rows.map(({ line }) => line));
    expect(most).toBe(3);
  });

  it("refuses an existing output file unless it may replace it", async () => {
    write([{ text: "a" }]);
    await run();
    await expect(run()).rejects.toMatchObject({ diagnostics: [{ code: "CF-104", path: "existing" }] });
    expect(await run({ existing: "replace" })).toMatchObject({ rows: 1, resumed: 0 });
  });

  it.each(["error", "resume", "replace"] as const)("never writes over its input (existing: %s)", async (existing) => {
    write([{ text: "a" }]);
    const before = readFileSync(path("in.jsonl"), "utf8");
    symlinkSync(path("in.jsonl"), path("link.jsonl"));
    for (const output of ["in.jsonl", "link.jsonl"]) {
      await expect(moderateFile(guardrails, path("in.jsonl"), path(output), { existing })).rejects.toMatchObject({
        diagnostics: [{ code: "CF-104", path: "output" }],
      });
    }
    expect(readFileSync(path("in.jsonl"), "utf8")).toBe(before);
  });

  it.each([
    ["a file that is not there", "none.jsonl", "cannot be read: ENOENT"],
    ["a folder", ".", "cannot be read: EISDIR"],
  ])("refuses %s as its input, and creates no output", async (_name, input, message) => {
    await expect(moderateFile(guardrails, path(input), path("out.jsonl"))).rejects.toThrow(message);
    expect(existsSync(path("out.jsonl"))).toBe(false);
  });

  it.each(["error", "resume", "replace"] as const)(
    "reports an output that cannot be written (%s)",
    async (existing) => {
      write([{ text: "a" }]);
      const running = moderateFile(guardrails, path("in.jsonl"), path("none/out.jsonl"), { existing });
      await expect(running).rejects.toThrow("cannot be written: ENOENT");
      await expect(running).rejects.toThrow("in a folder that exists");
    },
  );

  it.each([0, -1, 1.5, Number.POSITIVE_INFINITY])("refuses to check %d rows at once", async (concurrency) => {
    write([{ text: "a" }]);
    await expect(run({ concurrency })).rejects.toMatchObject({
      diagnostics: [{ code: "CF-104", path: "concurrency" }],
    });
    await expect(allOf(moderateRows(guardrails, [], { concurrency }))).rejects.toThrow("above zero");
    expect(existsSync(path("out.jsonl"))).toBe(false);
  });

  it("resumes wherever it was interrupted, without a missing or double row", async () => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ id: index, text: index % 3 === 0 ? "forbidden" : "ü😀" }));
    write(rows);
    await run();
    const whole = readFileSync(path("out.jsonl"));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        writeFileSync(path("out.jsonl"), whole);
        truncateSync(path("out.jsonl"), length);
        const { rows: made, resumed } = await run({ existing: "resume" });
        expect(made + resumed).toBe(rows.length);
        expect(readFileSync(path("out.jsonl")).equals(whole)).toBe(true);
      }),
      { numRuns: 40, seed: 7 },
    );
  });

  it("begins at the first row if there is no output file to resume", async () => {
    write([{ text: "a" }]);
    expect(await run({ existing: "resume" })).toMatchObject({ rows: 1, resumed: 0 });
  });

  it.each([
    ["another file", "hello\n"],
    ["results out of order", '{"line":2,"status":"passed"}\n{"line":1,"status":"passed"}\n'],
  ])("does not resume %s", async (_name, text) => {
    write([{ text: "a" }]);
    writeFileSync(path("out.jsonl"), text);
    await expect(run({ existing: "resume" })).rejects.toThrow("is not the next result of a run");
    expect(readFileSync(path("out.jsonl"), "utf8")).toBe(text);
  });

  it("ends at the signal with complete results, from which it resumes", async () => {
    const controller = new AbortController();
    write(Array.from({ length: 200 }, () => ({ text: "a" })));
    const onProgress = ({ rows }: BatchProgress): void => {
      if (rows === 20) controller.abort(new Error("stopped"));
    };
    const { signal } = controller;
    await expect(run({ signal, onProgress, concurrency: 2 })).rejects.toThrow("stopped");
    const kept = results().length;
    expect(kept).toBeGreaterThanOrEqual(20);
    expect(await run({ existing: "resume" })).toMatchObject({ rows: 200 - kept, resumed: kept });
  });

  it("reports how much of the input it has read", async () => {
    write([{ text: "a" }, { text: "b" }]);
    const seen: BatchProgress[] = [];
    await run({ onProgress: (progress) => void seen.push(progress) });
    expect(seen).toEqual([
      { rows: 1, bytes: 26, totalBytes: 26 },
      { rows: 2, bytes: 26, totalBytes: 26 },
    ]);
  });
});

describe("lines of a file", () => {
  async function* cut(text: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
    for (let start = 0, index = 0; start < text.length; index += 1) {
      const end = start + (sizes[index % sizes.length] ?? 1);
      yield text.subarray(start, end);
      start = end;
    }
  }
  const split = (text: string, sizes: readonly number[], maxLength = 1000) =>
    allOf(splitLines(cut(new TextEncoder().encode(text), sizes), maxLength));

  it("are the same however its bytes are split into chunks", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 8 }).filter((text) => !/[\r\n\ufeff]/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        async (lines, sizes) => {
          const found = await split(lines.map((text) => `${text}\n`).join(""), sizes);
          expect(found).toEqual(lines.map((text, index) => ({ number: index + 1, text })));
        },
      ),
      { numRuns: 100, seed: 3 },
    );
  });

  it("that are too long are reported without their text", async () => {
    expect(await split("ab\nabcdef\nabc", [2], 4)).toEqual([
      { number: 1, text: "ab" },
      { number: 2, text: undefined },
      { number: 3, text: "abc" },
    ]);
  });
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Guardrails, type GuardrailsOptions } from "langchain-guardrails";
import {
  type CallFollower,
  consoleTraces,
  createTracing,
  flushTraces,
  jsonLines,
  type TraceSink,
} from "langchain-guardrails/tracing";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { RAILS, textActions } from "../support/langchain/real-guardrails.js";
import { collectingSink } from "../support/tracing/collected.js";

const RULES = { rails: { input: { flows: ["check words"] }, output: { flows: ["hide digits of answer"] } } };

async function ask(options: GuardrailsOptions, config: object = RULES, text = "hi"): Promise<unknown> {
  const guardrails = await Guardrails.fromConfig(
    { colang: RAILS["1.0"], config },
    { actions: textActions(), logger: false, llm: scriptedModel(() => "call 12345"), ...options },
  );
  const { response, guardrails: verdict } = await guardrails.generate(text);
  return { response, decisions: verdict.decisions.map(({ status, rail }) => [status, rail]) };
}

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "traces-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const linesOf = async (path: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const failing = (): never => {
  throw new TypeError("quotes: hi");
};

const follower = (fields: Partial<CallFollower>): TraceSink => ({
  name: "sink",
  follow: () => ({ started: () => undefined, finished: () => undefined, ...fields }),
});

describe("a sink changes no result and fails no call when it", () => {
  it.each<[string, TraceSink, boolean]>([
    ["throws", { name: "sink", write: failing }, true],
    ["rejects", { name: "sink", write: () => Promise.reject(new Error("quotes: hi")) }, true],
    [
      "rejects with a limit of its own",
      { name: "sink", write: () => Promise.reject(new RangeError("quotes: hi")) },
      true,
    ],
    [
      "rejects with names that quote",
      { name: "sink", write: () => Promise.reject({ name: "quotes: hi", code: "quotes: hi" }) },
      true,
    ],
    ["changes what it gets", { name: "sink", write: ({ spans }) => void (spans as unknown[]).pop() }, true],
    ["cannot follow", { name: "sink", follow: failing }, true],
    ["fails at the start of a span", follower({ started: failing }), true],
    ["fails at the end of a call", follower({ finished: failing }), true],
    ["fails around work", follower({ run: failing }), true],
    ["fails after work", follower({ run: (_id, work) => (work(), failing()) }), true],
    ["skips work", follower({ run: () => undefined as never }), false],
    ["does work twice", follower({ run: (_id, work) => (work(), work()) }), false],
    ["returns something else", follower({ run: (_id, work) => (work(), "other" as never) }), false],
  ])("%s", async (_title, sink, isLogged) => {
    const log: string[] = [];
    const logger = { warn: (line: string) => log.push(line), error: (line: string) => log.push(line) };
    const expected = await ask({});
    const kept = collectingSink();
    const tracing = createTracing({ sinks: [sink, kept], logger });
    expect(await ask({ tracing })).toEqual(expected);
    expect(await ask({ tracing })).toEqual(expected);
    await flushTraces();
    expect(kept.interactions).toHaveLength(2);
    expect(log).toHaveLength(isLogged ? 1 : 0);
    expect(log.join("\n")).not.toContain("quotes");
    if (isLogged) expect(log[0]).toContain("warning[RL-405]: traces to `sink` are lost");
  });

  it("takes too long for a write, which nothing waits for", async () => {
    const written: number[] = [];
    let end = (): void => undefined;
    const sink: TraceSink = {
      name: "slow",
      write: () => {
        written.push(written.length);
        return written.length > 1 ? undefined : new Promise<void>((resolve) => (end = resolve));
      },
    };
    const lines: string[] = [];
    const logger = { warn: (line: string) => lines.push(line), error: () => undefined };
    const running: (() => void)[] = [];
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const timers = (_milliseconds: number, onTimeout: () => void) => {
      running.push(onTimeout);
      begun();
      return () => undefined;
    };
    const tracing = createTracing({ sinks: [sink], logger }, { timers });
    await ask({ tracing });
    await ask({ tracing });
    await hasBegun;
    running[0]?.();
    await tracing.flush();
    expect([written, lines.length]).toEqual([[0], 1]);
    expect(lines[0]).toContain("a write took longer than 10 s");
    end();
    await ask({ tracing });
    await tracing.flush();
    expect(written).toEqual([0, 1]);
  });

  it("never ends its write, and drops what it cannot keep up with", async () => {
    let written = 0;
    const log: string[] = [];
    const logger = { warn: (line: string) => void log.push(line), error: () => undefined };
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const tracing = createTracing({ sinks: [{ name: "slow", write: () => ((written += 1), held) }], logger });
    for (let call = 0; call < 1_005; call += 1) tracing.open().close({ isAborted: false, hidden: [] });
    const expected = await ask({});
    expect(await ask({ tracing })).toEqual(expected);
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await flushTraces();
    expect(written).toBe(1_000);
    expect(log).toHaveLength(1);
    expect(log[0]).toContain("more than 1000 traces wait for it");
  });
});

describe("a file of JSON lines", () => {
  it("has one line for each call, with times in seconds", async () => {
    const path = join(folder, "new", "trace.jsonl");
    const tracing = createTracing({ sinks: [jsonLines(path)] });
    await ask({ tracing });
    await ask({ tracing }, RULES, "bad");
    await tracing.flush();
    const lines = await linesOf(path);
    expect(lines.map(({ blocked }) => blocked)).toEqual([false, true]);
    const spans = lines[0]?.["spans"] as readonly Record<string, number>[];
    expect(spans[0]).toMatchObject({ name: "guardrails.request", parent_id: null, trace_id: lines[0]?.["trace_id"] });
    expect(Object.keys(spans[1] ?? {})).toEqual(
      "name span_id parent_id trace_id start_time end_time duration kind status attributes".split(" "),
    );
    for (const { start_time = 0, end_time = 0, duration = 0 } of spans) {
      expect(end_time - start_time).toBeCloseTo(duration, 5);
    }
  });

  it("has the metrics of older releases on request", async () => {
    const path = join(folder, "legacy.jsonl");
    const tracing = createTracing({ sinks: [jsonLines(path, { format: "legacy" })] });
    await ask({ tracing });
    await tracing.flush();
    const spans = (await linesOf(path))[0]?.["spans"] as readonly { name: string; metrics: object }[];
    expect(spans.map(({ name, metrics }) => [name, Object.keys(metrics)])).toEqual(
      expect.arrayContaining([
        ["interaction", ["interaction_total", "interaction_seconds_avg", "interaction_seconds_total"]],
        ["rail: check words", []],
        ["action: check_words", ["total", "seconds_avg", "seconds_total"].map((name) => `action_check_words_${name}`)],
      ]),
    );
    const model = spans.find(({ name }) => name.startsWith("LLM: "));
    expect(Object.keys(model?.metrics ?? {})).toContain("llm_call_scripted-model_prompt_tokens_total");
  });
});

it("the console prints the tree of a call", async () => {
  const printed: string[] = [];
  const tracing = createTracing({ sinks: [consoleTraces((text) => printed.push(text))] });
  await ask({ tracing }, RULES, "bad");
  await tracing.flush();
  expect(printed[0]).toMatch(/^guardrails\.request blocked [\d.]+ ms\n {2}rail check words \(input\) blocked/);
});

describe("the section `tracing` of a configuration", () => {
  it.each([
    ["as NeMo Guardrails writes it", { adapters: [{ name: "FileSystem" }] }, "guardrails.request"],
    ["with the older format of spans", { adapters: [{ name: "FileSystem" }], span_format: "legacy" }, "interaction"],
  ])("%s writes a file", async (title, section, name) => {
    const filepath = join(folder, `${title}.jsonl`);
    const adapters = section.adapters.map((adapter) => ({ ...adapter, filepath }));
    await ask({}, { ...RULES, tracing: { enabled: true, ...section, adapters } });
    await flushTraces();
    const [line] = await linesOf(filepath);
    expect(line).toMatchObject({ spans: expect.arrayContaining([expect.objectContaining({ name })]) });
    expect(JSON.stringify(line)).not.toContain("12345");
  });

  it("has texts only with `enable_content_capture`", async () => {
    const filepath = join(folder, "content.jsonl");
    const tracing = { enabled: true, adapters: [{ name: "FileSystem", filepath }], enable_content_capture: true };
    await ask({}, { ...RULES, tracing }, "hello there");
    await flushTraces();
    const text = await readFile(filepath, "utf8");
    expect(text).toContain("hello there");
    expect(text).not.toContain("12345");
  });

  it("loads OpenTelemetry and the console", async () => {
    const tracing = { enabled: true, adapters: [{ name: "OpenTelemetry" }, { name: "Console" }] };
    const guardrails = await Guardrails.fromConfig(
      { colang: RAILS["1.0"], config: { ...RULES, tracing } },
      { actions: textActions(), logger: false },
    );
    expect(guardrails.warnings.map(({ code }) => code)).not.toContain("CF-202");
  });

  it.each([
    ["an option of the caller", { tracing: createTracing({ sinks: [] }) }],
    ["`false`", { tracing: false as const }],
  ])("is overridden by %s", async (title, options) => {
    const filepath = join(folder, `unwritten ${title.length}.jsonl`);
    await ask(options, { ...RULES, tracing: { enabled: true, adapters: [{ name: "FileSystem", filepath }] } });
    await flushTraces();
    await expect(readFile(filepath, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("options", () => {
  it("refuses a misspelt option of `createTracing`", () => {
    expect(() => createTracing({ sinks: [], contents: true } as never)).toThrow("contents");
  });

  it("refuses a value that `createTracing` has not created", async () => {
    await expect(ask({ tracing: { sinks: [] } as never })).rejects.toThrow("expected the result of `createTracing`");
  });
});

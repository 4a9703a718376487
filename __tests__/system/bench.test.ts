import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";

interface Row {
  readonly name: string;
  readonly group: string;
  readonly title: string;
  readonly conditions: string;
  readonly unit: string;
  readonly target?: number;
  readonly value: (parts: Readonly<Record<string, number>>) => number;
  readonly open?: unknown;
  readonly once?: unknown;
  readonly fresh?: unknown;
}

const ROOT = process.cwd();
const run = promisify(execFile);
const load = (path: string): Promise<unknown> => import(new URL(`../../bench/${path}`, import.meta.url).href);
const { rows } = (await load("rows/index.mjs")) as { rows: readonly Row[] };

describe("rows of the bench", () => {
  it("have unique names", () => {
    const names = rows.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const groups = new Set(rows.map(({ group }) => group));
    expect(rows.filter(({ name, group }) => groups.has(name) && name !== group)).toEqual([]);
  });

  it.each(rows)("$name: title, conditions, unit, a target or none, and one kind of samples", (row) => {
    expect(row).toEqual(
      expect.objectContaining({
        name: expect.stringMatching(/^[a-z0-9-]+$/),
        title: expect.stringMatching(/\S/),
        conditions: expect.stringMatching(/\S/),
        unit: expect.stringMatching(/^(ms|µs|µs\/kB|s|×|MiB|KiB|calls|calls\/CPU s)$/),
        value: expect.any(Function),
      }),
    );
    expect(row.target === undefined || row.target > 0).toBe(true);
    expect([row.open, row.once, row.fresh].filter((kind) => kind !== undefined)).toHaveLength(1);
  });
});

describe("the command", () => {
  let folder = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "bench-test-"));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const bench = (...args: readonly string[]) =>
    run(process.execPath, ["--no-warnings", "bench/main.mjs", ...args], { cwd: ROOT });

  it("measures a row and writes its figures as JSON and as a table of Markdown", async () => {
    const [json, markdown] = [join(folder, "bench.json"), join(folder, "bench.md")];
    const options = ["--processes", "2", "--rounds", "3", "--json", json, "--markdown", markdown];
    const { stdout } = await bench("--only", "control", ...options);
    expect(stdout).toMatch(/^control +\d/m);
    const figures = { median: expect.any(Number), min: expect.any(Number) };
    const report: unknown = JSON.parse(readFileSync(json, "utf8"));
    expect(report).toEqual(
      expect.objectContaining({
        machine: { node: process.version, cpu: expect.any(String), cores: expect.any(Number) },
        control: { median: expect.any(Number), unit: "µs", spread: expect.any(Number), noisy: expect.any(Boolean) },
        noisy: expect.any(Array),
        missed: [],
        rows: [
          {
            name: "control",
            group: "wrap",
            title: expect.any(String),
            conditions: expect.any(String),
            unit: "µs",
            value: expect.any(Number),
            min: expect.any(Number),
            interval: [expect.any(Number), expect.any(Number)],
            rounds: expect.any(Number),
            parts: { bare: { ...figures, p90: expect.any(Number) } },
            processes: [expect.any(Number), expect.any(Number)],
            control: {
              ...figures,
              unit: "µs",
              spread: expect.any(Number),
              noisy: expect.any(Boolean),
              scale: expect.any(Number),
            },
          },
        ],
      }),
    );
    expect(readFileSync(markdown, "utf8")).toMatch(/^\| row \| conditions \| target \| measured \| peer \|$/m);
  });

  it("refuses names of no row and no group", async () => {
    await expect(bench("--only", "no-such-row")).rejects.toThrow(/unknown row no-such-row; expected control/);
  });
});

describe("statistics", () => {
  it("have a repeatable interval around the figure", async () => {
    const { interval, median } = (await load("harness/statistics.mjs")) as {
      interval(rounds: readonly number[][], figure: (values: readonly number[]) => number): [number, number];
      median(samples: readonly number[]): number;
    };
    const rounds = Array.from({ length: 40 }, (_, at) => [10 + (at % 7), 2 + (at % 3)]);
    const difference = ([first = 0, second = 0]: readonly number[]): number => first - second;
    const [low, high] = interval(rounds, difference);
    expect(low).toBeLessThanOrEqual(median(rounds.map(([first = 0]) => first)) - 3);
    expect(high).toBeGreaterThanOrEqual(median(rounds.map(([first = 0]) => first)) - 3);
    expect(interval(rounds, difference)).toEqual([low, high]);
  });

  it.each([
    { micros: 2, scale: 0.5 },
    { micros: 4, scale: 1 },
    { micros: 6, scale: 1 },
    { micros: 8, scale: 1 },
    { micros: 12, scale: 1.5 },
  ])("scale targets by $scale when the control costs $micros µs", async ({ micros, scale }) => {
    const { describeControl } = (await load("harness/control.mjs")) as {
      describeControl(all: readonly (readonly number[])[], quiet: readonly number[]): { scale: number; noisy: boolean };
    };
    const samples = [micros / 1000, micros / 1000, micros / 1000];
    expect(describeControl([samples, samples], samples)).toEqual(expect.objectContaining({ scale, noisy: false }));
  });

  it.each([
    { row: { unit: "ms", target: 10 }, value: 8, scaledTarget: 20, holds: true },
    { row: { unit: "ms", target: 3 }, value: 8, scaledTarget: 6, holds: false },
    { row: { unit: "×", target: 7 }, value: 8, scaledTarget: 7, holds: false },
    { row: { unit: "calls/CPU s", target: 14, least: true }, value: 8, scaledTarget: 7, holds: true },
  ])("compare $value with $scaledTarget for $row", async ({ row, value, scaledTarget, holds }) => {
    const { figuresOf } = (await load("harness/figures.mjs")) as {
      figuresOf(row: object, samples: object): object;
    };
    const control = [0.016, 0.016, 0.016];
    const works = { work: [value, value, value] };
    const samples = { control: [control], quietControl: control, sides: [{ works }, { missing: "no such entry" }] };
    const described = { name: "row", value: ({ work }: { work: number }) => work, ...row };
    expect(figuresOf(described, samples)).toEqual(
      expect.objectContaining({ value, scaledTarget, holds, against: { missing: "no such entry" } }),
    );
  });
});

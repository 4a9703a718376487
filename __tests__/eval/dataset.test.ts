import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { spanText } from "../../src/diagnostics/source-file.js";
import { type DataFolder, memoryDataFolder, openDataFolder, findDatasets } from "../../src/eval/dataset/data-folder.js";
import { loadFactChecking, loadHallucination, loadModeration } from "../../src/eval/dataset/labelled-texts.js";
import { readJsonLines } from "../../src/eval/dataset/json-lines.js";
import { takeSample } from "../../src/eval/dataset/sample.js";
import { loadTopical, splitTopical, takeExamples } from "../../src/eval/dataset/topical.js";
import { EvaluationDataError } from "../../src/diagnostics/errors.js";
import { unmark } from "../../src/testing/mark.js";
import { type EvaluationProgress, runSamples } from "../../src/eval/run/run-samples.js";
import { computeAuroc, computeMacroF1, scoreBinary } from "../../src/eval/metrics/classification.js";
import { percentile, summarizeCost } from "../../src/eval/metrics/cost.js";
import { bootstrap, estimateRate, mean } from "../../src/eval/metrics/estimate.js";
import { createRandom, shuffle } from "../../src/retrieval/matcher/random.js";
import { escapeHtml } from "../../src/eval/report/escape-html.js";
import { renderChart, formatHtml } from "../../src/eval/report/html.js";
import { formatJson, formatTable, formatText } from "../../src/eval/report/text.js";
import type { EvaluationResult, ReportChart } from "../../src/eval/report/report.js";
import { runGoldens } from "../support/golden-runner.js";

const lines = (...rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

async function problemsOf(work: Promise<unknown>): Promise<EvaluationDataError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!EvaluationDataError.isInstance(error)) throw new Error(`expected bad data, got ${String(error)}`);
  return error;
}

describe("rows that are malformed", () => {
  it.each<[string, (folder: DataFolder) => Promise<unknown>, string, string]>([
    ["no JSON", loadModeration, "«{text: 1}»", "the line is not JSON"],
    ["a list", loadModeration, "«[1]»", "the line is not a JSON object"],
    ["a field is missing", loadModeration, '«{"label": "harmful"}»', "there is no `text`"],
    ["a blank text", loadModeration, '{"label": "safe", «"text"»: " "}', "expected `text` to be a non-empty text"],
    [
      "an unknown label",
      loadModeration,
      '{«"label"»: "red-team", "text": "x"}',
      "expected `label` to name a harmful or a helpful request, got `red-team`",
    ],
    [
      "no boolean",
      loadFactChecking,
      '{"evidence": "e", "question": "q", "answer": "a", «"grounded"»: "yes"}',
      "`grounded` must be true or false",
    ],
    ["an inherited field", loadHallucination, '«{"__proto__": {"text": "x"}}»', "there is no `text`"],
  ])("%s", async (_, load, source, message) => {
    const { text, marked: underlined } = unmark(source);
    const error = await problemsOf(load(memoryDataFolder({ "dev.jsonl": `\n${text}\n` }, "set")));
    const [problem] = error.diagnostics;
    expect(problem).toMatchObject({ code: "EV-102", message });
    expect(problem?.span && spanText(problem.span)).toBe(underlined);
    expect(error.message).toContain("set/dev.jsonl:2:");
  });

  it("are reported all at once, up to twenty", async () => {
    const error = await problemsOf(loadModeration(memoryDataFolder({ "dev.jsonl": "{}\n".repeat(25) })));
    expect(error.diagnostics).toHaveLength(21);
    expect(error.diagnostics.at(-1)?.message).toBe("5 more rows of the file are malformed");
  });

  it("do not hide other errors", () => {
    const read = (): never => {
      throw new TypeError("a mistake in code");
    };
    expect(() => readJsonLines({ name: "x", text: "{}" }, read)).toThrow(TypeError);
  });
});

describe("missing data", () => {
  it.each<[string, (folder: DataFolder) => Promise<unknown>, string]>([
    ["moderation", loadModeration, "there is no `dev.jsonl`"],
    ["facts", loadFactChecking, "there is no `dev.jsonl`"],
    ["hallucination", loadHallucination, "there is no `false-premise.jsonl` or `dev.jsonl`"],
    ["topical", (folder) => loadTopical(folder, { seed: 1 }), "there is no `index.jsonl` or `all.jsonl`"],
    ["a search", (folder) => findDatasets(folder, ["a"]), "there is no `a/`, `dev.jsonl`, `all.jsonl` or"],
  ])("%s", async (_, load, message) => {
    const error = await problemsOf(load(memoryDataFolder({}, "nowhere")));
    expect(error.diagnostics[0]).toMatchObject({ code: "EV-101", path: "nowhere" });
    expect(error.message).toContain(message);
    expect(error.message).toContain("docs/evaluation.md");
  });

  it("is distinguished from an empty file", async () => {
    const error = await problemsOf(loadModeration(memoryDataFolder({ "dev.jsonl": "\n\n" }, "set")));
    expect(error.diagnostics[0]).toMatchObject({ code: "EV-103", path: "set/dev.jsonl" });
  });

  it("is read from the disk", async () => {
    const path = await mkdtemp(join(tmpdir(), "evaluation-"));
    try {
      await mkdir(join(path, "moderation"));
      await writeFile(join(path, "moderation", "dev.jsonl"), `\uFEFF${lines({ text: "hi", label: "benign" })}`);
      const [folder] = await findDatasets(openDataFolder(`${path}/`), ["moderation", "other"]);
      expect(await loadModeration(folder as DataFolder)).toEqual([{ text: "hi", label: "helpful", line: 1 }]);
      const error = await problemsOf(loadModeration(openDataFolder(join(path, "moderation", "dev.jsonl"))));
      expect(error.diagnostics[0]?.code).toBe("EV-101");
      await mkdir(join(path, "dev.jsonl"));
      expect((await problemsOf(loadModeration(openDataFolder(path)))).message).toContain("cannot be read: EISDIR");
    } finally {
      await rm(path, { recursive: true });
    }
  });
});

describe("topical data", () => {
  it("prefers canonical forms and separates out-of-scope rows", async () => {
    const folder = memoryDataFolder({
      "train.jsonl": lines(
        { text: "a", intent: "x", canonical: "ask x" },
        { text: "b", intent: "oos" },
        { text: "c", intent: "y" },
      ),
      "dev.jsonl": lines({ text: "d", intent: "y" }, { text: "e", intent: "oos" }),
    });
    expect(await loadTopical(folder, { seed: 1 })).toEqual({
      name: "data",
      examples: [
        { text: "a", intent: "ask x", line: 1 },
        { text: "c", intent: "y", line: 3 },
      ],
      tests: [{ text: "d", intent: "y", line: 1 }],
      outOfScope: [{ text: "e", line: 2 }],
    });
  });

  it("is split by seed if it is in one file", async () => {
    const rows = ["a", "b"].flatMap((intent) =>
      Array.from({ length: 20 }, (_, index) => ({ text: `${intent}${index}`, intent })),
    );
    const folder = memoryDataFolder({ "all.jsonl": lines(...rows, { text: "only", intent: "c" }) });
    const first = await loadTopical(folder, { seed: 1 });
    expect(first.tests).toHaveLength(6);
    expect(first.examples).toHaveLength(35);
    expect(new Set([...first.examples, ...first.tests].map(({ line }) => line)).size).toBe(41);
    expect(await loadTopical(folder, { seed: 1 })).toEqual(first);
    expect((await loadTopical(folder, { seed: 2 })).tests).not.toEqual(first.tests);
  });

  it("keeps an example of every intent that has two", () => {
    const rows = [1, 2].map((line) => ({ text: String(line), intent: "a", line }));
    const { examples, tests } = splitTopical("x", rows, { seed: 3, testShare: 0.9 });
    expect([examples.length, tests.length]).toEqual([1, 1]);
  });

  it("takes the first examples of each intent in file order", () => {
    const rows = ["a", "b", "a", "a", "b"].map((intent, index) => ({ text: "t", intent, line: index + 1 }));
    expect(takeExamples(rows, 2).map(({ line }) => line)).toEqual([1, 3, 2, 5]);
    expect(takeExamples(rows, "all")).toBe(rows);
  });
});

describe("samples", () => {
  const rows = Array.from({ length: 30 }, (_, index) => (index < 25 ? `a${index}` : `b${index}`));

  it("are balanced, in their old order and the same for the same seed", () => {
    const options = { seed: 42, classOf: (row: string) => row.slice(0, 1) };
    const taken = takeSample(rows, 8, options);
    expect(taken.filter((row) => row.startsWith("b"))).toHaveLength(4);
    expect(taken).toEqual(rows.filter((row) => taken.includes(row)));
    expect(takeSample(rows, 8, options)).toEqual(taken);
    expect(takeSample(rows, 20, options).filter((row) => row.startsWith("b"))).toHaveLength(5);
  });

  it("are all rows if there are not enough", () => {
    expect(takeSample(rows, 30, { seed: 1 })).toBe(rows);
    expect(takeSample(rows, undefined, { seed: 1 })).toBe(rows);
  });
});

const numbers = Array.from({ length: 20 }, (_, index) => index);

describe("processing samples", () => {
  it("keeps their order, limits the concurrency and reports progress", async () => {
    let active = 0;
    let most = 0;
    const seen: EvaluationProgress[] = [];
    const results = await runSamples(
      "numbers",
      numbers,
      async (number) => {
        active += 1;
        most = Math.max(most, active);
        for (let tick = 0; tick < 20 - number; tick += 1) await Promise.resolve();
        active -= 1;
        return number * 2;
      },
      { concurrency: 3, onProgress: (progress) => seen.push(progress) },
    );
    expect(results).toEqual(numbers.map((number) => number * 2));
    expect(most).toBe(3);
    expect(seen.map(({ done }) => done)).toEqual([0, ...numbers.map((number) => number + 1)]);
    expect(seen[0]).toEqual({ label: "numbers", done: 0, total: 20 });
  });

  it("stops at the first failure and aborts the calls in progress", async () => {
    const begun: number[] = [];
    const aborted: number[] = [];
    const failure = new Error("no");
    const run = runSamples(
      "numbers",
      numbers,
      (number, signal) => {
        begun.push(number);
        signal.addEventListener("abort", () => aborted.push(number));
        return number === 1
          ? Promise.reject(failure)
          : new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error));
            });
      },
      { concurrency: 2 },
    );
    await expect(run).rejects.toBe(failure);
    expect(begun).toEqual([0, 1]);
    expect(aborted).toEqual([0, 1]);
  });

  it("stops when the caller aborts", async () => {
    const controller = new AbortController();
    const begun: number[] = [];
    const run = runSamples(
      "numbers",
      numbers,
      (number) => {
        begun.push(number);
        if (number === 4) controller.abort(new Error("enough"));
        return Promise.resolve();
      },
      { concurrency: 1, signal: controller.signal },
    );
    await expect(run).rejects.toThrow("enough");
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    const late = runSamples("numbers", numbers, () => Promise.resolve(), { signal: controller.signal });
    await expect(late).rejects.toThrow("enough");
  });

  it("completes without samples", async () => {
    expect(await runSamples("none", [], () => Promise.reject(new Error("never")))).toEqual([]);
  });

  it.each([0, -1, 1.5, NaN])("refuses %d at once", async (concurrency) => {
    await expect(runSamples("x", numbers, () => Promise.resolve(), { concurrency })).rejects.toThrow(RangeError);
  });
});

describe("random numbers", () => {
  it("equal those of mulberry32", () => {
    const random = createRandom(42);
    expect([random(), random(), random()]).toEqual([0.6011037519201636, 0.44829055899754167, 0.8524657934904099]);
  });

  it("shuffle without loss, the same for the same seed", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 0 }), (items, seed) => {
        const shuffled = shuffle(items, createRandom(seed));
        expect(shuffled.toSorted((a, b) => a - b)).toEqual(items.toSorted((a, b) => a - b));
        expect(shuffle(items, createRandom(seed))).toEqual(shuffled);
      }),
      { numRuns: 50 },
    );
  });
});

describe("binary verdicts", () => {
  const rows = (counts: readonly [tp: number, fp: number, tn: number, fn: number]) =>
    counts.flatMap((count, kind) =>
      Array.from({ length: count }, () => ({ actual: kind === 0 || kind === 3, flagged: kind < 2 })),
    );

  it.each([
    // [tp, fp, tn, fn], precision, recall, F1, accuracy, false positive rate
    [[3, 1, 5, 1], 0.75, 0.75, 0.75, 0.8, 1 / 6],
    [[1, 0, 1, 3], 1, 0.25, 0.4, 0.4, 0],
    [[0, 0, 4, 0], undefined, undefined, undefined, 1, 0],
    [[0, 2, 0, 0], 0, undefined, 0, 0, 1],
    [[0, 0, 0, 0], undefined, undefined, undefined, undefined, undefined],
  ] as const)("%j", (counts, precision, recall, f1, accuracy, falsePositiveRate) => {
    expect(scoreBinary(rows(counts))).toEqual({
      truePositives: counts[0],
      falsePositives: counts[1],
      trueNegatives: counts[2],
      falseNegatives: counts[3],
      precision,
      recall,
      f1,
      accuracy,
      falsePositiveRate,
    });
  });
});

describe("macro F1", () => {
  it("is the mean over the classes of the truth", () => {
    // a: precision 1/1, recall 1/2, F1 2/3; b: precision 1/2, recall 1, F1 2/3; c is only predicted; d: 0
    const rows = [
      { expected: "a", predicted: "a" },
      { expected: "a", predicted: "b" },
      { expected: "b", predicted: "b" },
      { expected: "d", predicted: "c" },
      { expected: "d", predicted: undefined },
    ];
    expect(computeMacroF1(rows)).toBeCloseTo((2 / 3 + 2 / 3 + 0) / 3, 12);
  });

  it("is not defined without samples", () => {
    expect(computeMacroF1([])).toBeUndefined();
  });

  it("treats names of Object.prototype as ordinary names", () => {
    expect(computeMacroF1([{ expected: "constructor", predicted: "__proto__" }])).toBe(0);
  });
});

describe("AUROC", () => {
  it.each([
    ["apart", [0.9, 0.8], [0.2, 0.1], 1],
    ["upside down", [0.1], [0.5, 0.9], 0],
    ["a tie counts half", [0.9, 0.8], [0.8, 0.1], 0.875],
    ["all the same", [0.5, 0.5], [0.5], 0.5],
    ["without a score at all", [0.5, -Infinity], [-Infinity], 0.75],
    ["one side empty", [], [0.1], NaN],
  ])("%s", (_, positives, negatives, area) => {
    expect(computeAuroc(positives, negatives)).toBe(area);
  });

  it("is the share of pairs in the right order", () => {
    const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const pairs = positives.flatMap((p) => negatives.map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
        expect(computeAuroc(positives, negatives)).toBeCloseTo(mean(pairs), 12);
      }),
      { numRuns: 100 },
    );
  });
});

describe("confidence intervals", () => {
  it("contain the value and are the same for the same seed", () => {
    const outcomes = Array.from({ length: 40 }, (_, index) => index % 4 !== 0);
    const estimate = estimateRate(outcomes, { seed: 42 });
    expect(estimate).toEqual({ value: 0.75, low: 0.625, high: 0.875, samples: 40 });
    expect(estimateRate(outcomes, { seed: 42 })).toEqual(estimate);
  });

  it("come near those of the binomial distribution", () => {
    const outcomes = Array.from({ length: 400 }, (_, index) => index < 200);
    const estimate = estimateRate(outcomes, { seed: 7 });
    // 0.5 ± 1.96 · sqrt(0.25 / 400)
    expect(estimate?.low).toBeCloseTo(0.451, 2);
    expect(estimate?.high).toBeCloseTo(0.549, 2);
  });

  it.each([
    ["all right", [true, true, true], 1],
    ["all wrong", [false, false], 0],
  ])("have no width when %s", (_, outcomes, value) => {
    expect(estimateRate(outcomes, { seed: 1 })).toEqual({ value, low: value, high: value, samples: outcomes.length });
  });

  it("do not exist without samples", () => {
    expect(estimateRate([], { seed: 1 })).toBeUndefined();
    expect(bootstrap([[], [1]], ([a = [], b = []]) => computeAuroc(a, b), { seed: 1 })).toBeUndefined();
  });

  it("resample every group separately", () => {
    const sizes: string[] = [];
    bootstrap(
      [
        [1, 2],
        [3, 4, 5],
      ],
      (groups) => {
        sizes.push(groups.map((group) => group.length).join());
        return 0;
      },
      { seed: 1, rounds: 3 },
    );
    expect(new Set(sizes)).toEqual(new Set(["2,3"]));
  });
});

describe("cost", () => {
  it.each([
    [[4, 1, 3, 2], 0.5, 2],
    [[4, 1, 3, 2], 0.95, 4],
    [[7], 0.5, 7],
    [[1, 2, 3], 0, 1],
  ])("percentile of %j at %d", (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });

  it("adds tokens and leaves them out when no model reports them", () => {
    const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
    expect(summarizeCost("rail", [{ durationMs: 5, usage }, { durationMs: 7 }, { durationMs: 9, usage }])).toEqual({
      name: "rail",
      runs: 3,
      inputTokens: 20,
      outputTokens: 4,
      totalTokens: 24,
      p50Ms: 7,
      p95Ms: 9,
    });
    expect(summarizeCost("rail", [{ durationMs: 5 }])).toEqual({ name: "rail", runs: 1, p50Ms: 5, p95Ms: 5 });
    expect(summarizeCost("rail", [])).toBeUndefined();
  });
});

const readResults = (source: string): EvaluationResult[] =>
  source.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as EvaluationResult]));

runGoldens("eval/tables", (source) => formatText(readResults(source)));
runGoldens("eval/charts", (source) => renderChart(JSON.parse(source) as ReportChart));

const HOSTILE = `</td></title></style><script>alert("1")</script><img src=x onerror='alert(1)'>&amp;\u0000\u202e`;

const RESULT: EvaluationResult = {
  kind: "hallucination",
  dataset: HOSTILE,
  system: HOSTILE,
  rail: HOSTILE,
  seed: 42,
  samples: 1,
  deflected: { value: 0.5, low: 0, high: 1, samples: 1 },
  errors: 0,
  cost: [{ name: HOSTILE, runs: 1, p50Ms: 1, p95Ms: 1 }],
  predictions: [],
};

describe("the page", () => {
  const page = formatHtml([RESULT], { title: HOSTILE, subtitle: HOSTILE });

  it("shows hostile texts as text", () => {
    const tags = new Set([...page.matchAll(/<\/?([a-z][\w-]*)/gi)].map(([, name]) => name));
    expect(tags).toEqual(
      new Set(
        "html head meta title style body h1 p section h2 h3 svg line text g rect div table thead tbody tr th td ul li".split(
          " ",
        ),
      ),
    );
    expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(page.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/);
    // oxlint-disable-next-line no-control-regex
    expect(page).not.toMatch(/[\u0000\u202e]/);
  });

  it("loads nothing else", () => {
    const plain = formatHtml([{ ...RESULT, dataset: "a", system: "b", cost: [] }]);
    expect(plain).not.toMatch(/https?:|src=|href=|url\(|@import/);
    expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'`);
  });

  it("closes every element", () => {
    for (const name of ["html", "body", "section", "table", "svg", "g", "ul", "div"]) {
      const count = (pattern: string): number => page.split(pattern).length - 1;
      expect([name, count(`</${name}>`)]).toEqual([name, count(`<${name}>`) + count(`<${name} `)]);
    }
  });

  it("reports an empty result", () => {
    expect(formatHtml([])).toContain("<h1>Evaluation of rails</h1>");
  });
});

it.each([
  ["&<>\"'", "&amp;&lt;&gt;&quot;&#39;"],
  ["tab\tand\nline", "tab\tand\nline"],
  ["\u0007\u009b", "\uFFFD\uFFFD"],
])("escapes %j", (text, escaped) => {
  expect(escapeHtml(text)).toBe(escaped);
});

it("aligns columns of any characters", () => {
  const rows = [
    ["é😀", "1"],
    ["x", "–"],
  ];
  expect(formatTable({ title: "T", columns: ["a", "bb"], rows })).toBe("T\na   bb\n--  --\né😀   1\nx    –");
});

it("writes JSON that reads back", () => {
  expect(JSON.parse(formatJson([RESULT]))).toEqual({ version: 1, results: [RESULT] });
});

it("passes no control characters on to the terminal", () => {
  const table = { title: "\u001b[2J", columns: ["a"], rows: [["\u001b]0;x\u0007\n\r"]] };
  expect(formatTable(table)).toBe("\uFFFD[2J\na\n--------\n\uFFFD]0;x\uFFFD \uFFFD");
});

import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { computeAuroc, computeMacroF1, scoreBinary } from "../../src/eval/metrics/classification.js";
import { percentile, summarizeCost } from "../../src/eval/metrics/cost.js";
import { bootstrap, estimateRate, mean, createRandom, shuffle } from "../../src/eval/metrics/estimate.js";

describe("random numbers", () => {
  it("are those of mulberry32", () => {
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

  it("takes names from Object.prototype for names", () => {
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
  it("hold the value and are the same for the same seed", () => {
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

  it("draw every group for itself", () => {
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

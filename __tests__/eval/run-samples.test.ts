import { describe, expect, it } from "@jest/globals";
import { type EvaluationProgress, runSamples } from "../../src/eval/run/run-samples.js";

const numbers = Array.from({ length: 20 }, (_, index) => index);

describe("working on samples", () => {
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

  it("stops at the first failure and aborts what is under way", async () => {
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

  it("takes no samples for done", async () => {
    expect(await runSamples("none", [], () => Promise.reject(new Error("never")))).toEqual([]);
  });

  it.each([0, -1, 1.5, NaN])("refuses %d at once", async (concurrency) => {
    await expect(runSamples("x", numbers, () => Promise.resolve(), { concurrency })).rejects.toThrow(RangeError);
  });
});

import { describe, expect, it } from "@jest/globals";
import { batchEmbeddings, createBatcher, type StartTimer } from "../../src/retrieval/batch-embeddings.js";

/** A timer that runs when the test says so. */
function handTimer(): { readonly start: StartTimer; ring(): void; readonly holds: number[] } {
  const holds: number[] = [];
  let pending: (() => void) | undefined;
  return {
    holds,
    start: (milliseconds, run) => {
      holds.push(milliseconds);
      pending = run;
      return () => {
        pending = undefined;
      };
    },
    ring: () => {
      const run = pending;
      pending = undefined;
      run?.();
    },
  };
}

describe("a batcher", () => {
  it("runs a batch when its first member has waited long enough", async () => {
    const timer = handTimer();
    const batches: (readonly number[])[] = [];
    const double = createBatcher<number, number>({
      run: (inputs) => {
        batches.push(inputs);
        return Promise.resolve(inputs.map((input) => input * 2));
      },
      maxBatchSize: 10,
      maxBatchHold: 25,
      startTimer: timer.start,
    });
    const results = Promise.all([double(1), double(2)]);
    expect(batches).toEqual([]);
    timer.ring();
    expect(await results).toEqual([2, 4]);
    expect([batches, timer.holds]).toEqual([[[1, 2]], [25]]);
  });

  it("runs a full batch at once and calls its timer off", async () => {
    const timer = handTimer();
    const sizes: number[] = [];
    const echo = createBatcher<number, number>({
      run: (inputs) => {
        sizes.push(inputs.length);
        return Promise.resolve(inputs);
      },
      maxBatchSize: 2,
      maxBatchHold: 25,
      startTimer: timer.start,
    });
    const all = [echo(1), echo(2), echo(3)];
    timer.ring();
    timer.ring();
    expect(await Promise.all(all)).toEqual([1, 2, 3]);
    expect(sizes).toEqual([2, 1]);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("away"))],
    [
      "throws",
      () => {
        throw new Error("away");
      },
    ],
    ["gives too few results", () => Promise.resolve([])],
  ])("rejects every member of a batch whose work %s, and only these", async (_title, fail) => {
    let isAway = true;
    const work = createBatcher<number, number>({
      run: (inputs) => (isAway ? fail() : Promise.resolve(inputs)),
      maxBatchSize: 2,
      maxBatchHold: 25,
      startTimer: handTimer().start,
    });
    const first = await Promise.allSettled([work(1), work(2)]);
    expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isAway = false;
    expect(await Promise.all([work(3), work(4)])).toEqual([3, 4]);
  });
});

it("batched embeddings send queries together", async () => {
  const timer = handTimer();
  const asked: string[][] = [];
  const embeddings = batchEmbeddings(
    {
      embedQuery: () => Promise.reject(new Error("not used")),
      embedDocuments: (texts) => {
        asked.push(texts);
        return Promise.resolve(texts.map((text) => [text.length]));
      },
    },
    { startTimer: timer.start },
  );
  const both = Promise.all([embeddings.embedQuery("a"), embeddings.embedQuery("bb")]);
  timer.ring();
  expect(await both).toEqual([[1], [2]]);
  expect(await embeddings.embedDocuments(["ccc"])).toEqual([[3]]);
  expect([asked, timer.holds]).toEqual([[["a", "bb"], ["ccc"]], [10]]);
});

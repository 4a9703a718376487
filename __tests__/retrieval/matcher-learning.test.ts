import { createHash } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "@jest/globals";
import { array, assert, asyncProperty, constantFrom, integer, tuple } from "fast-check";
import type { BuildJob, MatcherProgress } from "../../src/retrieval/matcher/build-job.js";
import { createIntentMatcher } from "../../src/retrieval/matcher/intent-matcher.js";
import { learnModel, learnModelAside } from "../../src/retrieval/matcher/learn-model.js";
import { buildInWorker, type StartWorker } from "../../src/retrieval/matcher/worker-build.js";
import { propertyRuns } from "../support/property-runs.js";

const ENTRY = new URL("../../src/retrieval/matcher/build-worker.ts", import.meta.url);
const LOADER = new URL("../support/jest/loader.mjs", import.meta.url);

const startScript =
  (script: string): StartWorker =>
  async (workerData) =>
    new Worker(script, { eval: true, workerData });

/** The thread of the package, from its sources. */
const startWorker = startScript(
  `require("node:module").register("${LOADER.href}");
   import("${ENTRY.href}");`,
);

/** A hash of a value with all its numbers, which are too many to compare one by one. */
function digestOf(value: unknown): string {
  const hash = createHash("sha256");
  const add = (part: unknown): void => {
    if (ArrayBuffer.isView(part)) hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    else if (typeof part === "object" && part !== null) for (const inner of Object.values(part)) add(inner);
    else hash.update(String(part));
  };
  add(value);
  return hash.digest("hex");
}

function jobOf(examples: readonly (readonly [text: string, label: number])[], known?: Uint8Array): BuildJob {
  const intents = [...new Set(examples.map(([, label]) => label))];
  return {
    texts: [...examples.map(([text]) => text), ...intents.map((label) => `intent ${label}`)],
    classOf: Int32Array.from([...examples.map(([, label]) => intents.indexOf(label)), ...intents.keys()]),
    classes: intents.length,
    examples: examples.length,
    isKept: true,
    known,
  };
}

/** Repeatable invented words. */
function manyExamples(count: number, intents: number): [text: string, label: number][] {
  return Array.from({ length: count }, (_, row) => {
    const label = row % intents;
    const words = [0, 1, 2].map((at) => `w${(label * 7 + ((row + at * 3) % 5)) % 97}x${at}`);
    return [`${words.join(" ")} z${row % 11} y${row}`, label];
  });
}

/** Large enough for a thread. */
const LARGE = jobOf(manyExamples(350, 110));

describe("a trained model", () => {
  const word = constantFrom("open", "close", "price", "chain", "wheel", "hello", "card", "fee", "day", "lamp");
  const text = array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
  const example = tuple(text, integer({ min: 0, max: 9 }));

  it("is exactly the same if trained at once, in parts, in a thread or from a partial state", async () => {
    await assert(
      asyncProperty(array(example, { minLength: 1, maxLength: 60 }), async (examples) => {
        const job = jobOf(examples);
        const { model, learnt } = learnModel(job);
        const inThread = await buildInWorker(job, { onProgress: () => {}, signal: undefined, startWorker });
        const inPieces = await learnModelAside(job, {});
        expect([inThread, inPieces].map(digestOf)).toEqual(Array(2).fill(digestOf({ model, learnt })));
        expect(digestOf(learnModel({ ...job, known: learnt }).model)).toBe(digestOf(model));
      }),
      { numRuns: propertyRuns(3) },
    );
  });

  it.each<[string, StartWorker | undefined]>([
    ["in a thread", startWorker],
    ["where the thread's file is missing", undefined],
    ["where threads are forbidden", () => Promise.reject(new Error("forbidden"))],
    ["where the thread ends without a word", startScript("process.exit()")],
    [
      "where the thread fails after a while",
      startScript(
        `const { parentPort } = require("node:worker_threads");
         const send = (total) => parentPort.postMessage({ kind: "progress", progress: { phase: "training", total } });
         [0, 0.4].forEach(send);
         setImmediate(() => { throw new Error("out of memory"); });`,
      ),
    ],
  ])("trained %s leaves the event loop free, and reports progress up to 1", async (_, start) => {
    const seen: MatcherProgress[] = [];
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const built = await learnModelAside(LARGE, { onProgress: (progress) => seen.push(progress), startWorker: start });
    isOver = true;
    expect(digestOf(built)).toBe(digestOf(learnModel(LARGE)));
    expect(turns).toBeGreaterThan(3);
    const totals = seen.map(({ total }) => total);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    expect([totals[0], totals.at(-1)]).toEqual([0, 1]);
  });

  it("from a cache reports progress up to 1 too", () => {
    const totals: number[] = [];
    learnModel({ ...LARGE, known: learnModel(LARGE).learnt }, ({ total }) => totals.push(total));
    expect([totals[0], totals.at(-1)]).toEqual([0, 1]);
  });
});

describe("cancelled training", () => {
  const reason = new Error("enough");

  it.each<[string, StartWorker]>([
    ["in a thread", startWorker],
    ["in pieces", () => Promise.reject(new Error("forbidden"))],
  ])("%s fails with the reason", async (_, start) => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(reason);
    const learning = learnModelAside(LARGE, { onProgress, signal: controller.signal, startWorker: start });
    await expect(learning).rejects.toBe(reason);
  });

  it.each<[string, () => { signal?: AbortSignal; onProgress: () => void }]>([
    [
      "by a signal",
      () => {
        const controller = new AbortController();
        return { signal: controller.signal, onProgress: () => controller.abort(reason) };
      },
    ],
    [
      "by an error of the progress callback",
      () => ({
        onProgress: () => {
          throw reason;
        },
      }),
    ],
  ])("%s ends its thread", async (_, prepare) => {
    let exit: Promise<unknown> | undefined;
    const start: StartWorker = async (job) => {
      const worker = await startWorker(job);
      exit = once(worker, "exit");
      return worker;
    };
    const { signal, onProgress } = prepare();
    await expect(buildInWorker(LARGE, { onProgress, signal, startWorker: start })).rejects.toBe(reason);
    expect(await exit).toEqual([1]);
  });

  it("before it begins starts no thread", async () => {
    const start: StartWorker = () => Promise.reject(new Error("not expected"));
    const learning = buildInWorker(LARGE, {
      onProgress: () => {},
      signal: AbortSignal.abort(reason),
      startWorker: start,
    });
    await expect(learning).rejects.toBe(reason);
  });

  it("by one caller continues for another", async () => {
    const examples = manyExamples(400, 40).map(([text, label]) => ({ text, intent: `topic ${label}` }));
    const matcher = createIntentMatcher({ examples });
    const controller = new AbortController();
    const [first, second] = [matcher.prepare({ signal: controller.signal }), matcher.prepare()];
    controller.abort(reason);
    await expect(first).rejects.toBe(reason);
    await second;
    await expect(matcher.prepare({ signal: controller.signal })).rejects.toBe(reason);
    expect(matcher.threshold).toBe(createIntentMatcher({ examples }).threshold);
  });

  it("by all callers ends, and restarts for the next", async () => {
    const totals: number[] = [];
    const examples = manyExamples(400, 40).map(([text, label]) => ({ text, intent: `topic ${label}` }));
    const matcher = createIntentMatcher({ examples, onProgress: ({ total }) => totals.push(total) });
    const controller = new AbortController();
    const cancelled = matcher.prepare({ signal: controller.signal });
    controller.abort(reason);
    await expect(cancelled).rejects.toBe(reason);
    expect(totals).not.toContain(1);
    await matcher.prepare();
    expect(totals.filter((total) => total === 0)).toHaveLength(2);
    expect(totals.at(-1)).toBe(1);
  });

  it("yields to a call that needs the model at once", async () => {
    const examples = manyExamples(400, 40).map(([text, label]) => ({ text, intent: `topic ${label}` }));
    const matcher = createIntentMatcher({ examples });
    const prepared = matcher.prepare();
    const [ranked] = matcher.rank("w7x0", 1);
    await prepared;
    expect(matcher.rank("w7x0", 1)).toEqual([ranked]);
  });
});

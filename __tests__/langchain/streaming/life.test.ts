import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { AIMessageChunk } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { Cancellation } from "../../../src/engine/async.js";
import { streamFrom } from "../../../src/langchain/streaming/sink.js";
import { Upstream } from "../../../src/langchain/streaming/upstream.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "./chunked-model.js";
import { expectNoUnhandledRejections } from "../../support/unhandled-rejections.js";
import { railFlows } from "../../support/rail-flows.js";

const COLANG = railFlows("1.0", {
  judge: ["block", "user_message", "judge"],
  tidy: ["rewrite", "user_message", "tidy"],
  "judge answer": ["block", "bot_message", "judge_answer"],
});

const never = new Promise<never>(() => undefined);
expectNoUnhandledRejections();

function signal(): { readonly promise: Promise<void>; readonly fire: () => void } {
  let fire = (): void => undefined;
  const promise = new Promise<void>((resolve) => (fire = resolve));
  return { promise, fire: () => fire() };
}

interface Setup {
  readonly input?: readonly string[];
  readonly speculative?: boolean;
  readonly judge?: (text: string) => unknown;
  readonly judgeAnswer?: (text: string) => unknown;
  readonly timeoutMs?: number;
}

function open({ input = ["judge"], speculative = false, judge, judgeAnswer, timeoutMs }: Setup) {
  return Guardrails.fromConfig(
    {
      colang: COLANG,
      config: {
        rails: { input: { flows: [...input], speculative }, output: { flows: ["judge answer"] } },
        ...(timeoutMs === undefined ? {} : { actions: { timeout_ms: timeoutMs } }),
      },
    },
    {
      streaming: { chunkSize: 2, contextSize: 1 },
      actions: {
        judge: defineAction(
          { name: "judge", verdict: true },
          async ({ text }) => (await judge?.(String(text))) ?? true,
        ),
        tidy: ({ text }: { text: string }) => text.toUpperCase(),
        judge_answer: defineAction(
          { name: "judge_answer", verdict: true },
          async ({ text }) => (await judgeAnswer?.(String(text))) ?? !String(text).includes("bad"),
        ),
      },
    },
  );
}

const wraps: [string, (guardrails: Guardrails, model: ChunkedModel) => Runnable][] = [
  ["a model", (guardrails, model) => guardrails.wrap(model) as unknown as Runnable],
  [
    "a chain",
    (guardrails, model) =>
      guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable, { speculative: true }) as Runnable,
  ],
];
const textOf = (chunk: unknown): string => (typeof chunk === "string" ? chunk : (chunk as AIMessageChunk).text);

describe.each(wraps)("a response of %s that starts before the verdict", (name, wrap) => {
  const PIECES = ["one ", "two ", "three ", "four ", "five ", "six"];

  it("is streamed in windows once the input has passed", async () => {
    const begun = signal();
    const reviewed: string[] = [];
    const guardrails = await open({
      speculative: true,
      judge: () => begun.promise.then(() => true),
      judgeAnswer: (text) => (reviewed.push(text), true),
    });
    const model = new ChunkedModel(PIECES);
    const leftAfter: number[] = [];
    model.before = () => begun.fire();
    const chunks: string[] = [];
    for await (const chunk of await wrap(guardrails, model).stream("hi")) {
      if (textOf(chunk) === "") continue;
      chunks.push(textOf(chunk));
      leftAfter.push(reviewed.length);
    }
    expect(chunks.join("")).toBe(PIECES.join(""));
    expect(reviewed).toEqual(["one two ", "two three four ", "four five six"]);
    expect(leftAfter[0]).toBe(1);
    expect(model.signals).toHaveLength(1);
  });

  it("is not emitted if the input is blocked late", async () => {
    const begun = signal();
    const guardrails = await open({ speculative: true, judge: () => begun.promise.then(() => false) });
    const model = new ChunkedModel(PIECES);
    model.before = (index) => {
      begun.fire();
      return index === 0 ? undefined : never;
    };
    const chunks = await drain(await wrap(guardrails, model).stream("hi"));
    expect(chunks.map(textOf)).toEqual(["REFUSED"]);
    expect(model.signals.every((each) => each?.aborted === true)).toBe(true);
    expect(model.made).toBeLessThanOrEqual(2);
  });

  it("ends when its own text is blocked", async () => {
    const guardrails = await open({ speculative: true });
    const model = new ChunkedModel(["one ", "two ", "bad ", "secret ", "five ", "six ", "seven"]);
    const said = (await drain(await wrap(guardrails, model).stream("hi"))).map(textOf).join("");
    expect(said.endsWith("REFUSED")).toBe(true);
    expect(said).not.toMatch(/bad|secret|seven/);
  });

  it("is requested only with the text that a rail rewrote", async () => {
    const guardrails = await open({ speculative: true, input: ["tidy", "judge"] });
    const model = new ChunkedModel(PIECES);
    const chunks = await drain(await wrap(guardrails, model).stream("hi"));
    expect(chunks.map(textOf).join("")).toBe(PIECES.join(""));
    expect(model.signals).toHaveLength(1);
  });

  it("equals the response of `invoke`", async () => {
    const guardrails = await open({ speculative: true });
    const chunks = await drain(await wrap(guardrails, new ChunkedModel(PIECES)).stream("hi"));
    const whole = chunks.reduce((left, right) => concat(left as never, right as never));
    const invoked: unknown = await wrap(guardrails, new ChunkedModel(PIECES)).invoke("hi");
    expect(textOf(whole)).toBe(textOf(invoked));
    if (name === "a model") {
      expect(verdictOf(whole as AIMessageChunk)?.blocked).toBe(verdictOf(invoked as AIMessageChunk)?.blocked);
    }
  });
});

describe("the stall timer of a stream", () => {
  // Replaces only relevant timers; work that waits for a turn of the event loop continues.
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] }));
  afterEach(() => void jest.useRealTimers());

  /** Advances the time limit after the model stalled: only then reading fails, and the model is aborted. */
  async function expectStall(reading: Promise<unknown>, model: ChunkedModel, still: Promise<void>): Promise<void> {
    const ended = expect(reading).rejects.toThrow("no chunk of the answer arrived for 40 ms");
    await still;
    await jest.advanceTimersByTimeAsync(39);
    expect(model.signals[0]?.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await ended;
    expect(model.signals[0]?.aborted).toBe(true);
  }

  it.each(wraps)("cancels a stalled response of %s, and aborts its model", async (_, wrap) => {
    const guardrails = await open({ timeoutMs: 40 });
    const model = new ChunkedModel(["one ", "two ", "three "]);
    const still = signal();
    model.before = (index) => (index === 2 ? (still.fire(), never) : undefined);
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of await wrap(guardrails, model).stream("hi")) chunks.push(textOf(chunk));
    })();
    await expectStall(reading, model, still.promise);
    expect(chunks.join("")).toBe("one two ");
  });

  it.each(
    wraps.flatMap(([name, wrap]) => [false, true].map((ahead) => [name, ahead ? "ahead" : "after", wrap] as const)),
  )("cancels a response of %s without a first chunk, started %s the verdict", async (_, when, wrap) => {
    const guardrails = await open({ timeoutMs: 40, speculative: when === "ahead" });
    const model = new ChunkedModel(["one "]);
    const still = signal();
    model.before = () => (still.fire(), never);
    const reading = (async () => drain(await wrap(guardrails, model).stream("hi")))();
    await expectStall(reading, model, still.promise);
  });

  it("restarts at each chunk", async () => {
    let left = 20;
    const steady: AsyncIterator<unknown> = {
      next: async () => {
        await jest.advanceTimersByTimeAsync(59);
        return { done: left-- === 0, value: "a" };
      },
    };
    const upstream = new Upstream(steady);
    let count = 0;
    while (!(await upstream.next(60)).done) count += 1;
    expect(count).toBe(20);
  });
});

describe("a finished stream", () => {
  it.each<[string, () => Promise<IteratorResult<unknown>>]>([
    ["has ended", async () => ({ done: true, value: undefined })],
    ["has failed", () => Promise.reject(new Error("down"))],
  ])("of %s reads nothing more, and its call is not aborted", async (_, next) => {
    const asked: string[] = [];
    const over: AsyncIterator<unknown> = {
      next: () => (asked.push("next"), next()),
      return: async () => (asked.push("return"), { done: true, value: undefined }),
    };
    const cancellation = new Cancellation();
    const upstream = new Upstream(over, undefined, cancellation);
    await upstream.next(0).catch(() => undefined);
    upstream.leave();
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(["next"]);
    expect(cancellation.aborted).toBe(false);
  });
});

describe("the source of a stream whose reader has left", () => {
  it("sees an abort, and ends with it at the next chunk", async () => {
    const left = signal();
    const ends: unknown[] = [];
    const stream = streamFrom<string>(undefined, 0, async (sink, own) => {
      await sink.put(["one"]);
      await left.promise;
      ends.push(own.reason);
      await sink.put(["two"]).catch((error: unknown) => ends.push(error));
    });
    for await (const chunk of stream) {
      expect(chunk).toBe("one");
      break;
    }
    left.fire();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends).toMatchObject([{ name: "AbortError" }, { name: "AbortError" }]);
  });
});

describe.each(wraps)("a reader that leaves the stream of %s early", (_, wrap) => {
  it("leaves a thread that can continue, without the unfinished response", async () => {
    const guardrails = await open({});
    const thread = { configurable: { thread_id: "t" } };
    const model = new ChunkedModel(["one ", "two ", "three ", "four ", "five "]);
    for await (const chunk of await wrap(guardrails, model).stream("first", thread)) {
      expect(textOf(chunk)).toBe("one ");
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(model.signals[0]?.aborted).toBe(true);
    const next = new ChunkedModel(["fine"]);
    expect(textOf(await wrap(guardrails, next).invoke("second", thread))).toBe("fine");
    const { log } = await guardrails.generate(
      "third",
      { log: { colangHistory: true }, rails: { dialog: false } },
      thread,
    );
    expect(log?.colangHistory ?? "").toContain("second");
    expect(log?.colangHistory ?? "").not.toMatch(/one|two|three/);
  });
});

describe.each(wraps)("an abort of the stream of %s", (_, wrap) => {
  const reason = new Error("enough");

  it("before it begins calls no model", async () => {
    const model = new ChunkedModel(["one"]);
    const guarded = wrap(await open({}), model);
    await expect(
      (async () => drain(await guarded.stream("hi", { signal: AbortSignal.abort(reason) })))(),
    ).rejects.toThrow();
    expect(model.made).toBe(0);
  });

  it.each<[string, (abort: () => void) => Setup & { readonly before?: (index: number) => unknown }]>([
    ["while the input is reviewed", (abort) => ({ judge: () => (abort(), never) })],
    ["before the first chunk", (abort) => ({ before: () => (abort(), never) })],
    ["between two chunks", (abort) => ({ before: (index) => (index === 3 ? (abort(), never) : undefined) })],
    ["while a window is reviewed", (abort) => ({ judgeAnswer: () => (abort(), never) })],
  ])("%s ends it with the caller's reason, and the model's call with it", async (_title, make) => {
    const controller = new AbortController();
    const { before, ...setup } = make(() => controller.abort(reason));
    const model = new ChunkedModel(["one ", "two ", "three ", "four ", "five "]);
    if (before !== undefined) model.before = before;
    const guarded = wrap(await open(setup), model);
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of await guarded.stream("hi", { signal: controller.signal })) chunks.push(textOf(chunk));
    })();
    await expect(reading).rejects.toThrow(/enough|abort/i);
    await new Promise((resolve) => setImmediate(resolve));
    expect("one two ".startsWith(chunks.join(""))).toBe(true);
    expect(model.signals.every((each) => each?.aborted === true)).toBe(true);
    expect(model.made).toBeLessThanOrEqual(4);
  });

  it("after its end changes nothing", async () => {
    const controller = new AbortController();
    const guarded = wrap(await open({}), new ChunkedModel(["one ", "two"]));
    const chunks = await drain(await guarded.stream("hi", { signal: controller.signal }));
    controller.abort(reason);
    expect(chunks.map(textOf).join("")).toBe("one two");
  });
});

import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import type { Guardrails } from "../../../src/index.js";
import { MemoryThreadStore } from "../../../src/langchain/threads.js";
import { LimitError } from "../../../src/diagnostics/errors.js";
import { realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "./chunked-model.js";

const LIMIT = 60_000;
const WORDS = ["one ", "two ", "three ", "four ", "five ", "six "];
const thread = { configurable: { thread_id: "t" } };
const versions: readonly Version[] = ["1.0", "2.x"];
const SURFACES: Readonly<Record<string, (guardrails: Guardrails, model: ChunkedModel) => Runnable>> = {
  "a model": (guardrails, model) => guardrails.wrap(model) as unknown as Runnable,
  "a chain": (guardrails, model) => guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable) as Runnable,
};
const cells = versions.flatMap((version) => Object.keys(SURFACES).map((surface) => ({ version, surface })));

beforeEach(() => void jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] }));
afterEach(() => void jest.useRealTimers());

const idle = async (): Promise<void> => {
  for (let index = 0; index < 20; index += 1) await new Promise((resolve) => setImmediate(resolve));
};

async function open({ version, surface }: { version: Version; surface: string }) {
  const threads = new MemoryThreadStore();
  const streaming = { chunkSize: 1, contextSize: 0 } as const;
  const guardrails = await realGuardrails({
    version,
    threads,
    streaming,
    input: ["check words"],
    output: ["check answer"],
  });
  const model = new ChunkedModel(WORDS);
  return { threads, model, runnable: (SURFACES[surface] as (typeof SURFACES)[string])(guardrails, model) };
}

/** Reads to the end. */
async function readAll(reader: AsyncIterator<unknown>): Promise<number> {
  for (let count = 0; ; count += 1) if ((await reader.next()).done === true) return count;
}

describe.each(cells)("a stream on a thread (Colang $version, $surface)", (cell) => {
  it.each([0, 1])("that is left after %d chunks lets the thread go on in time", async (read) => {
    const { threads, model, runnable } = await open(cell);
    const reader = (await runnable.stream("hi", thread))[Symbol.asyncIterator]();
    for (let count = 0; count < read; count += 1) await reader.next();
    await idle();
    let isDone = false;
    const next = runnable.invoke("again", thread).then((value) => ((isDone = true), value));
    await jest.advanceTimersByTimeAsync(LIMIT - 1);
    await idle();
    expect(isDone).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await idle();
    await next;
    expect(threads.get("t")?.version).toBe(1);
    expect(model.signals[0]?.aborted).toBe(true);
    const error: unknown = await readAll(reader).catch((thrown: unknown) => thrown);
    expect(LimitError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ limit: "unreadStream", maximum: LIMIT });
  });

  it("that is read slowly ends as a whole", async () => {
    const { threads, runnable } = await open(cell);
    const reader = (await runnable.stream("hi", thread))[Symbol.asyncIterator]();
    let text = "";
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      text += typeof next.value === "string" ? next.value : (next.value as { content: string }).content;
      await idle();
      await jest.advanceTimersByTimeAsync(LIMIT - 1);
    }
    expect(text).toBe(WORDS.join(""));
    expect(threads.get("t")?.version).toBe(1);
  });

  it("has no such limit without a thread", async () => {
    const { runnable } = await open(cell);
    const reader = (await runnable.stream("hi"))[Symbol.asyncIterator]();
    await idle();
    await jest.advanceTimersByTimeAsync(10 * LIMIT);
    expect(await readAll(reader)).toBeGreaterThanOrEqual(WORDS.length);
  });
});

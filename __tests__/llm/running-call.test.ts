import { describe, expect, it } from "@jest/globals";
import type { LanguageModel, ModelPiece } from "../../src/llm/model.js";
import type { LlmCallRecord } from "../../src/llm/task/call-model.js";
import { RunningCall } from "../../src/llm/task/running-call.js";

type Pieces = (signal: AbortSignal) => AsyncIterable<ModelPiece>;

interface Opened {
  readonly call: RunningCall;
  readonly records: LlmCallRecord[];
  readonly signals: AbortSignal[];
}

const USAGE = { input_tokens: 2, output_tokens: 1, total_tokens: 3 };

function open(pieces: Pieces, more: { signal?: AbortSignal; stop?: readonly string[] } = {}): Opened {
  const records: LlmCallRecord[] = [];
  const signals: AbortSignal[] = [];
  const model: LanguageModel = {
    engine: "fake",
    name: "fake",
    family: "text",
    native: undefined,
    generate: () => Promise.reject(new Error("not asked for")),
    stream: (_prompt, _parameters, { signal }) => {
      signals.push(signal as AbortSignal);
      return pieces(signal as AbortSignal);
    },
  };
  let time = 0;
  const call = new RunningCall({
    request: { task: "t", model, scope: { signal: more.signal, record: (record) => void records.push(record) } },
    prompt: { kind: "text", text: "12345678" },
    parameters: more.stop === undefined ? {} : { stop: more.stop },
    clock: { now: () => (time += 1) },
    streaming: true,
  });
  return { call, records, signals };
}

async function* saying(texts: Iterable<string>): AsyncGenerator<ModelPiece> {
  for (const text of texts) yield { text };
}

async function* repeat(text: string): AsyncGenerator<ModelPiece> {
  for (;;) yield { text };
}

const whole = (text: string, isWhole: boolean): string | undefined => (isWhole ? text : undefined);
const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("what readers get", () => {
  it("a line as soon as it is complete, and the rest at the end", async () => {
    const { call } = open(() => saying(["a", "b\nc", "d"]));
    expect(await call.read((text) => (text.includes("\n") ? text : undefined))).toBe("ab\nc");
    expect(await call.read(whole)).toBe("ab\ncd");
  });

  it("several of them at the same time, each its own", async () => {
    const { call } = open(() => saying(["a\n", "b\n", "c"]));
    const line = (index: number) => call.read((text) => text.split("\n").slice(0, -1)[index]);
    expect(await Promise.all([line(1), line(2), line(0), call.read(whole)])).toEqual(["b", undefined, "a", "a\nb\nc"]);
  });

  it.each<[string, Pieces, number]>([
    ["empty pieces without an end", () => repeat(""), 0],
    ["words without an end", () => repeat("bla "), 100_000],
    ["blank lines without an end", () => repeat("\n"), 100_000],
    ["one piece that is too long", () => saying(["x".repeat(300_000)]), 100_000],
  ])("an end for %s", async (_, pieces, length) => {
    const { call, records } = open(pieces);
    expect((await call.read(whole))?.length).toBe(length);
    expect(records).toHaveLength(1);
  });

  it("few looks at a text of many lines", async () => {
    let looks = 0;
    const { call } = open(() => saying(Array<string>(33_000).fill("hm\n")));
    await call.read((text, isWhole) => {
      looks += 1;
      return whole(text, isWhole);
    });
    expect(looks).toBeLessThan(1_000);
  });

  it("a stop sequence cut into pieces, however often its beginning comes before it", async () => {
    const { call } = open(() => saying(["a E", "N E", "ND", " b", " END"]), { stop: ["END"] });
    expect(await call.read(whole)).toBe("a EN ");
  });
});

describe("the end of a call", () => {
  it("a cut call is recorded once, with what came in and estimated tokens", async () => {
    const { call, records, signals } = open(async function* () {
      yield { text: "abcd\n" };
      await new Promise(() => undefined);
    });
    await call.read((text) => (text === "" ? undefined : text));
    call.cancelRest();
    call.cancelRest();
    expect(signals[0]?.aborted).toBe(true);
    expect(records).toEqual([
      expect.objectContaining({
        completion: "abcd\n",
        usage: { input_tokens: 2, output_tokens: 2, total_tokens: 4 },
        isUsageEstimated: true,
      }),
    ]);
  });

  it("tokens that the provider reports are not estimated", async () => {
    const { call, records } = open(async function* () {
      yield { text: "a", usage: USAGE };
      yield { text: "b" };
    });
    await call.read(whole);
    expect(records[0]?.usage).toEqual(USAGE);
    expect(records[0]).not.toHaveProperty("isUsageEstimated");
  });

  it("a call that may end waits for nothing but the tokens", async () => {
    const { call, records } = open(async function* () {
      yield { text: "a\n" };
      yield { text: "", usage: USAGE };
    });
    await call.read((text) => (text === "" ? undefined : text));
    call.awaitEnd();
    await turnOfLoop();
    expect(records).toMatchObject([{ completion: "a\n", usage: USAGE }]);
  });

  it("a call that may end and goes on is cut", async () => {
    const { call, records, signals } = open(async function* () {
      yield { text: "a\n" };
      await turnOfLoop();
      yield { text: "b\n" };
      await new Promise(() => undefined);
    });
    await call.read((text) => (text === "" ? undefined : text));
    call.awaitEnd();
    expect([signals[0]?.aborted, records.length]).toEqual([false, 0]);
    await turnOfLoop();
    await turnOfLoop();
    expect([signals[0]?.aborted, records.length]).toEqual([true, 1]);
  });

  it("an error after the cancellation is dropped", async () => {
    const { call, records } = open(async function* () {
      yield { text: "a\n" };
      await turnOfLoop();
      throw new Error("reset");
    });
    await call.read((text) => (text === "" ? undefined : text));
    call.cancelRest();
    await turnOfLoop();
    await turnOfLoop();
    expect(await call.read(whole)).toBe("a\n");
    expect(records).toHaveLength(1);
  });

  it("an error reaches every reader, and a call that was of use is recorded", async () => {
    const { call, records } = open(async function* () {
      yield { text: "a\n" };
      await turnOfLoop();
      throw new Error("reset");
    });
    await call.read((text) => (text === "" ? undefined : text));
    const readers = await Promise.allSettled([call.read(whole), call.read(whole)]);
    expect(readers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(call.read(whole)).rejects.toMatchObject({ name: "ModelError" });
    expect(records).toMatchObject([{ completion: "a\n" }]);
  });

  it("a line that came in before an error is read behind it", async () => {
    const { call, records } = open(async function* () {
      yield { text: "a\nb" };
      throw new Error("reset");
    });
    await turnOfLoop();
    const line = (text: string) => (text.includes("\n") ? text.split("\n")[0] : undefined);
    expect(await call.read(line)).toBe("a");
    expect(await call.read(line)).toBe("a");
    expect(records).toMatchObject([{ completion: "a\nb" }]);
    await expect(call.read(whole)).rejects.toMatchObject({ name: "ModelError" });
  });

  it("an error before the first result records no call", async () => {
    const { call, records } = open(async function* () {
      yield { text: "a" };
      throw new Error("reset");
    });
    await expect(call.read(whole)).rejects.toMatchObject({ name: "ModelError" });
    expect(records).toEqual([]);
  });

  it("the caller's abort ends a stream that does not listen", async () => {
    const controller = new AbortController();
    const { call, signals } = open(
      async function* () {
        yield { text: "a\n" };
        await new Promise(() => undefined);
      },
      { signal: controller.signal },
    );
    const reader = call.read(whole);
    controller.abort(new Error("enough"));
    await expect(reader).rejects.toThrow("enough");
    expect(signals[0]?.aborted).toBe(true);
  });

  it("a reader that fails leaves the call to the others", async () => {
    const { call } = open(() => saying(["a\n", "b"]));
    const broken = call.read(() => {
      throw new Error("cannot read");
    });
    await expect(broken).rejects.toThrow("cannot read");
    expect(await call.read(whole)).toBe("a\nb");
  });
});

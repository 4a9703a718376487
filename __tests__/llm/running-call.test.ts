import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import type { LanguageModel, ModelPiece } from "../../src/llm/model.js";
import type { LlmCallRecord } from "../../src/llm/task/call-model.js";
import { RunningCall } from "../../src/llm/task/running-call.js";
import { readMerged } from "../../src/runtime/colang1/generation/completions.js";
import { BotMessageReader, VerboseLines } from "../../src/llm/parsers/labels.js";
import {
  type GradualText,
  inSequence,
  readWhole,
  NewlineEscapes,
  TrimmedText,
  UnquotedText,
  StopGate,
} from "../../src/llm/parsers/gradual/gradual-text.js";
import { ReasoningFilter } from "../../src/llm/parsers/gradual/reasoning.js";
import { UtteranceReader } from "../../src/llm/parsers/completion-text.js";
import { parseVerbose } from "../../src/llm/parsers/registry.js";
import { truncateAtStop } from "../../src/llm/prompts/prompt-text.js";
import { propertyRuns } from "../support/property-runs.js";

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

describe("readers of a running call", () => {
  it("receive a line as soon as it is complete, and the rest at the end", async () => {
    const { call } = open(() => saying(["a", "b\nc", "d"]));
    expect(await call.read((text) => (text.includes("\n") ? text : undefined))).toBe("ab\nc");
    expect(await call.read(whole)).toBe("ab\ncd");
  });

  it("receive their parts at the same time", async () => {
    const { call } = open(() => saying(["a\n", "b\n", "c"]));
    const line = (index: number) => call.read((text) => text.split("\n").slice(0, -1)[index]);
    expect(await Promise.all([line(1), line(2), line(0), call.read(whole)])).toEqual(["b", undefined, "a", "a\nb\nc"]);
  });

  it.each<[string, Pieces, number]>([
    ["empty pieces without an end", () => repeat(""), 0],
    ["endless text", () => repeat("bla "), 100_000],
    ["blank lines without an end", () => repeat("\n".repeat(8)), 100_000],
    ["one piece that is too long", () => saying(["x".repeat(300_000)]), 100_000],
  ])("receive an end for %s", async (_, pieces, length) => {
    const { call, records } = open(pieces);
    expect((await call.read(whole))?.length).toBe(length);
    expect(records).toHaveLength(1);
  });

  it("read a text of many lines in few steps", async () => {
    let looks = 0;
    const { call } = open(() => saying(Array<string>(33_000).fill("hm\n")));
    await call.read((text, isWhole) => {
      looks += 1;
      return whole(text, isWhole);
    });
    expect(looks).toBeLessThan(1_000);
  });

  it("find a stop sequence in chunks, however often its beginning precedes it", async () => {
    const { call } = open(() => saying(["a E", "N E", "ND", " b", " END"]), { stop: ["END"] });
    expect(await call.read(whole)).toBe("a EN ");
  });
});

describe("the end of a call", () => {
  it("a cancelled call is recorded once, with the received text and estimated tokens", async () => {
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

  it("a call that may end only waits for the tokens", async () => {
    const { call, records } = open(async function* () {
      yield { text: "a\n" };
      yield { text: "", usage: USAGE };
    });
    await call.read((text) => (text === "" ? undefined : text));
    call.awaitEnd();
    await turnOfLoop();
    expect(records).toMatchObject([{ completion: "a\n", usage: USAGE }]);
  });

  it("a call that may end and continues is cancelled", async () => {
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

  it("an error reaches every reader, and a used call is recorded", async () => {
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

  it("a line before an error is read first", async () => {
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

  it("the caller's abort ends a stream that ignores its signal", async () => {
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

  it("a reader that fails does not affect the others", async () => {
    const { call } = open(() => saying(["a\n", "b"]));
    const broken = call.read(() => {
      throw new Error("cannot read");
    });
    await expect(broken).rejects.toThrow("cannot read");
    expect(await call.read(whole)).toBe("a\nb");
  });
});

const STOP = ["END", "EN!", "a b", "b"];

/** Readers, each with a simple function that computes the result for a whole text. */
const wholes: [string, () => GradualText, ((text: string) => string) | undefined][] = [
  ["StopGate", () => new StopGate(STOP), (text) => truncateAtStop(text, STOP)],
  ["StopGate without sequences", () => new StopGate([]), (text) => text],
  ["TrimmedText", () => new TrimmedText(), (text) => text.trim()],
  ["UnquotedText", () => new UnquotedText(), (text) => unquoted(text.trim())],
  ["NewlineEscapes", () => new NewlineEscapes(), (text) => text.replaceAll("\\n", "\n")],
  [
    "VerboseLines",
    () => new VerboseLines(),
    (text) =>
      text
        .split(/\r\n?|\n/)
        .map(verboseLine)
        .join("\n"),
  ],
  ["UtteranceReader", () => new UtteranceReader(), utterance],
  ["UtteranceReader behind another turn", () => new UtteranceReader({ firstMayBeTurn: true }), undefined],
  ["BotMessageReader", () => new BotMessageReader(), undefined],
  ["ReasoningFilter", () => new ReasoningFilter(), undefined],
  [
    "all of a message",
    () => inSequence([new BotMessageReader(), new UtteranceReader(), new StopGate(STOP), new NewlineEscapes()]),
    undefined,
  ],
  [
    "all of the text",
    () => inSequence([new ReasoningFilter(), new VerboseLines(), new UtteranceReader({ firstMayBeTurn: true })]),
    undefined,
  ],
];

const verboseLine = (line: string): string => parseVerbose(`.\n${line}\n.`).slice(2, -2);

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function utterance(completion: string): string {
  const text = completion.trim();
  const isQuoted = text.startsWith('"');
  const kept: string[] = [];
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    if (index > 0 && /^(?:user|bot)\s+\S|^(?:User|Bot) (?:message|intent):/.test(line)) break;
    kept.push(line);
    if (isQuoted && /(?<!\\)"\s*$/.test(line) && (index > 0 || line.trim().length > 1)) break;
  }
  const joined = kept.join("\n").trim();
  if (!isQuoted) return joined;
  const inner = joined.slice(1, joined.length > 1 && joined.endsWith('"') ? -1 : undefined);
  return inner.replaceAll('\\"', '"').trim();
}

const WORDS = ['"', '"', "\\", "\n", "\r", " ", "  ", "\n\n", "hello", "a", "b", "E", "EN", "END", "!", "n", ":", "*"];
const MARKS = [
  "user ",
  "bot ",
  "bot say",
  "User message:",
  "Bot message: ",
  "Bot intent: ",
  "User intent:",
  "us",
  "Bo",
];
const TAGS = ["<think>", "</think>", "<thin", "k>", "<", "</Thought>", "<reasoning>"];
const text = fc.array(fc.constantFrom(...WORDS, ...MARKS, ...TAGS), { maxLength: 24 }).map((parts) => parts.join(""));
const pieced = fc.tuple(text, fc.array(fc.nat(), { maxLength: 30 })).map(([whole, cuts]) => {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [...places, whole.length].map((end, index) => whole.slice(index === 0 ? 0 : places[index - 1], end));
});

function readPieces(
  reader: GradualText,
  pieces: readonly string[],
): { readonly given: string[]; readonly all: string } {
  const given = pieces.map((piece) => reader.push(piece));
  return { given, all: given.join("") + (reader.isOver ? "" : reader.end()) };
}

describe.each(wholes)("%s", (_, make, reference) => {
  it("reads a text alike in any chunks", () => {
    fc.assert(
      fc.property(pieced, (pieces) => {
        expect(readPieces(make(), pieces).all).toBe(readWhole(make(), pieces.join("")));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("emits nothing that later text could change", () => {
    fc.assert(
      fc.property(text, text, (begun, rest) => {
        const given = make().push(begun);
        expect(readWhole(make(), begun + rest).startsWith(given)).toBe(true);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  if (reference === undefined) return;
  it("converts a text like the whole-text reader", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const plain = reference === utterance ? whole : whole.replaceAll(/[<>]/g, "");
        expect(readWhole(make(), plain)).toBe(reference(plain));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("a decided text is emitted at once", () => {
  it.each<[string, () => GradualText, string[], string[]]>([
    [
      "a quoted message",
      () => new UtteranceReader(),
      ['"Hel', "lo ", "you", '"', "\n", "user"],
      ["Hel", "lo", " you", "", "", ""],
    ],
    ["a quote inside", () => new UtteranceReader(), ['"say ', '"a"', " now"], ["say", ' "a', '" now']],
    ["a line that is not a turn", () => new UtteranceReader(), ["x\nbot", "tle"], ["x", "\nbottle"]],
    [
      "text after a label",
      () => new BotMessageReader(),
      ["Bot mess", "age: ", '"Hi', " you"],
      ["", "  ", '"Hi', " you"],
    ],
    ["text after reasoning", () => new BotMessageReader(), ["hm", "</think>", '"Hi', " you"], ["", "", '"Hi', " you"]],
    ["no text that may be reasoning", () => new BotMessageReader(), ["Okay, ", "so"], ["", ""]],
    ["nothing of a stop sequence", () => new StopGate(["User:"]), ["Hi. Us", "e", "r:"], ["Hi. ", "", ""]],
    ["nothing of a text that may be quoted", () => new UnquotedText(), ['"Hi', " you"], ["", ""]],
  ])("%s", (_, make, pieces, expected) => {
    expect(readPieces(make(), pieces).given).toEqual(expected);
  });
});

it("the text of a merged completion equals that of the whole completion", () => {
  const head = "User intent: a\nBot intent: b\n";
  fc.assert(
    fc.property(text, (given) => {
      const words = given.replaceAll(/[<>]/g, "");
      const gradual = inSequence([
        new ReasoningFilter(),
        new VerboseLines(),
        new UtteranceReader({ firstMayBeTurn: true }),
      ]);
      expect(readWhole(gradual, words)).toBe(readMerged(parseVerbose(head + words), true).message);
    }),
    { numRuns: propertyRuns(60) },
  );
});

it.each<[string, string]>([
  ["user message board", "user message board"],
  ["Bot intention", "Bot intention"],
  ["bot messages", "bot messages"],
  ["user mess", ""],
  ["**user message**", ""],
])("the beginning of a line is emitted unless it may be a label: %j", (line, expected) => {
  expect(new VerboseLines().push(line)).toBe(expected);
});

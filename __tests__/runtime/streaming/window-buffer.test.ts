import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { type Window, WindowBuffer, type WindowUnit } from "../../../src/rails/review/window-buffer.js";

interface Plan {
  readonly chunkSize: number;
  readonly unit: WindowUnit;
}

const textsOf = (window: Window<string>): string[] => window.map(({ text }) => text);

/** The windows of a stream, each as its pieces. */
function windowsOf(pieces: readonly string[], plan: Plan): string[][] {
  const buffer = new WindowBuffer<string>(plan);
  const windows: string[][] = [];
  for (const piece of pieces) {
    buffer.push(piece, piece);
    for (let window = buffer.take(); window !== undefined; window = buffer.take()) windows.push(textsOf(window));
  }
  const rest = buffer.finish();
  if (rest.length > 0) windows.push(textsOf(rest));
  return windows;
}

describe("windows of a stream", () => {
  it.each<[string, string[], Plan, string[]]>([
    ["chunks by number", ["a", "b", "c", "d", "e"], { chunkSize: 2, unit: "chunk" }, ["a|b", "c|d", "e"]],
    ["chunks without text count nothing", ["", "a", "", "b", "c"], { chunkSize: 2, unit: "chunk" }, ["", "a||b", "c"]],
    ["words stay whole", ["foo b", "ar", " ba", "z"], { chunkSize: 2, unit: "word" }, ["foo b|ar", " ba|z"]],
    ["a space ends a word", ["foo ", "b", "ar "], { chunkSize: 1, unit: "word" }, ["foo ", "b|ar "]],
    ["lines stay whole", ["one ", "two\n", "thr", "ee"], { chunkSize: 1, unit: "line" }, ["one |two\n", "thr|ee"]],
    ["a line may begin a chunk", ["one", "\ntwo"], { chunkSize: 1, unit: "line" }, ["one", "\ntwo"]],
    ["a word without end is one window", ["a", "b", "c"], { chunkSize: 1, unit: "word" }, ["a|b|c"]],
  ])("%s", (_, pieces, plan, expected) => {
    expect(windowsOf(pieces, plan).map((window) => window.join("|"))).toEqual(expected);
  });

  it("gives nothing before the end once it waits", () => {
    const buffer = new WindowBuffer<number>({ chunkSize: 1, unit: "chunk" });
    buffer.wait();
    buffer.push(1, "a");
    buffer.push(2, "b");
    expect(buffer.take()).toBeUndefined();
    expect(buffer.finish()).toEqual([
      { item: 1, text: "a", reasoning: "" },
      { item: 2, text: "b", reasoning: "" },
    ]);
  });

  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "5"), maxLength: 5 }), {
    maxLength: 40,
  });
  const plans = fc.record({
    chunkSize: fc.integer({ min: 1, max: 6 }),
    unit: fc.constantFrom("chunk", "word", "line"),
  });

  it("gives every chunk once and in order, whatever the plan", () => {
    fc.assert(
      fc.property(pieces, plans, (texts, plan) => {
        expect(windowsOf(texts, plan as Plan).flat()).toEqual(texts);
      }),
    );
  });

  it("gives rails that rewrite words or lines the same text as the whole would", () => {
    const rewrite = {
      word: (text: string) => text.replaceAll(/\S+/g, (word) => (word.includes("5") ? "*".repeat(word.length) : word)),
      line: (text: string) => text.replaceAll(/[^\n]+/g, (line) => (line.includes("5") ? "[gone]" : line)),
    };
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 6 }), fc.constantFrom("word", "line"), (texts, chunkSize, unit) => {
        const windows = windowsOf(texts, { chunkSize, unit }).map((window) => rewrite[unit](window.join("")));
        expect(windows.join("")).toBe(rewrite[unit](texts.join("")));
      }),
    );
  });
});

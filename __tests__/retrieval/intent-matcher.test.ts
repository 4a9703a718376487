import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { assert, property, string } from "fast-check";
import { anyCharacter } from "../support/any-character.js";
import { LimitError } from "../../src/diagnostics/errors.js";
import { openFileMatcherCache } from "../../src/retrieval/file-matcher-cache.js";
import type { MatcherProgress } from "../../src/retrieval/matcher/build-job.js";
import type { IntentExample } from "../../src/retrieval/matcher/examples.js";
import { createIntentMatcher } from "../../src/retrieval/matcher/intent-matcher.js";
import { passesFor, type TrainingSet, trainSvm } from "../../src/retrieval/matcher/linear-svm.js";
import type { MatcherCache } from "../../src/retrieval/matcher/matcher-cache.js";
import { createMatcherIndex } from "../../src/retrieval/matcher/matcher-index.js";
import { propertyRuns } from "../support/property-runs.js";

const SHOP: Readonly<Record<string, readonly string[]>> = {
  "ask price": [
    "how much is a tube",
    "what does a saddle cost",
    "price of the blue helmet",
    "how expensive are your lights",
    "tell me what a new chain costs",
    "is that the full price",
  ],
  "ask opening hours": [
    "when do you open",
    "are you open on Sunday",
    "what are your opening hours",
    "until when is the shop open today",
    "do you close for lunch",
    "what time do you close",
  ],
  "book repair": [
    "my brakes squeak, can you repair them",
    "I need my bicycle repaired",
    "can I bring my bike in for repair",
    "please fix my flat tyre",
    "the chain is broken, can you fix it",
    "how fast can you repair a wheel",
  ],
  "express greeting": ["hello", "hi there", "hello, how are you", "good morning", "hi", "good morning to you"],
};

const EXAMPLES = examplesOf(SHOP);

function examplesOf(shop: Readonly<Record<string, readonly string[]>>): readonly IntentExample[] {
  return Object.entries(shop).flatMap(([intent, texts]) => texts.map((text) => ({ text, intent })));
}

/** Many rows of repeatable invented words, so that building takes several steps. */
function syntheticExamples(intents: number, each: number): readonly IntentExample[] {
  return Array.from({ length: intents * each }, (_, row) => {
    const label = row % intents;
    const words = [0, 1, 2].map((at) => `w${(label * 7 + ((row + at * 3) % 5)) % 97}x${at}`);
    return { text: `${words.join(" ")} z${row % 11}`, intent: `topic${label}` };
  });
}

describe("the embedded matcher", () => {
  it.each([
    ["what is the price of a lamp", "ask price"],
    ["are you open right now", "ask opening hours"],
    ["can you fix my wheel", "book repair"],
    ["Good morning!!", "express greeting"],
    ["i want to get a bike REPAIRED", "book repair"],
    ["how much does it cost", "ask price"],
  ])("recognises the intent of %j", (text, intent) => {
    const matcher = createIntentMatcher({ examples: EXAMPLES });
    const [best, second] = matcher.rank(text, 2);
    expect(best?.intent).toBe(intent);
    expect(best?.score).toBeGreaterThan(second?.score ?? 1);
    expect(matcher.accept(text)).toEqual(best);
  });

  it("ranks every intent once, best first, with scores from 0 to 1", () => {
    const ranked = createIntentMatcher({ examples: EXAMPLES }).rank("how much to repair a chain", 10);
    expect(ranked.map(({ intent }) => intent).toSorted()).toEqual(Object.keys(SHOP).toSorted());
    const scores = ranked.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
  });

  it("returns the nearest example of each intent", () => {
    const found = createIntentMatcher({ examples: EXAMPLES }).examplesFor("what does a chain cost", 2);
    expect(found).toMatchObject([
      { intent: "ask price", text: "what does a saddle cost" },
      { intent: "book repair", text: "the chain is broken, can you fix it" },
    ]);
  });

  it("recognises an intent by the words of its name, but never shows the name as an example", () => {
    const examples = [
      { text: "where is my stuff", intent: "track_delivery" },
      { text: "cheers", intent: "say thanks" },
    ];
    const [found] = createIntentMatcher({ examples }).examplesFor("delivery", 1);
    expect(found).toMatchObject({ intent: "track_delivery", text: "where is my stuff" });
  });

  it.each([3, 40])("gives exactly the same scores with %i intents, in any order of calls", async (intents) => {
    const examples = [...EXAMPLES, ...syntheticExamples(intents, 12)];
    const [first, second] = [createIntentMatcher({ examples }), createIntentMatcher({ examples })];
    await second.prepare();
    second.rank("something else");
    expect(second.rank("w14x0 price of a chain", 99)).toEqual(first.rank("w14x0 price of a chain", 99));
    expect(second.threshold).toBe(first.threshold);
  });

  it("trains on first use, and reports progress", async () => {
    const seen: MatcherProgress[] = [];
    const examples = syntheticExamples(80, 60);
    const matcher = createIntentMatcher({ examples, onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([]);
    await Promise.all([matcher.prepare(), matcher.prepare()]);
    const known = seen.length;
    expect(new Set(seen.map(({ phase }) => phase))).toEqual(new Set(["reading", "training", "calibrating"]));
    expect(seen.every(({ share }) => share >= 0 && share <= 1)).toBe(true);
    const totals = seen.map(({ total }) => total);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    expect([totals[0], (totals.at(-1) ?? 0) <= 1]).toEqual([0, true]);
    matcher.rank("w1x0");
    await matcher.prepare();
    expect(seen).toHaveLength(known);
  });

  it.each([
    ["more", { length: 100_001 }, "a"],
    ["longer", { length: 700 }, "price ".repeat(1500)],
  ])("refuses %s examples than it can hold", (_, { length }, text) => {
    const examples = Array.from({ length }, () => ({ text, intent: "b" }));
    expect(() => createIntentMatcher({ examples })).toThrow(LimitError);
  });

  it("makes fewer passes over larger sets, and none over the largest", () => {
    const setOf = (length: number, classes: number): TrainingSet => {
      const entries = 100 * length;
      const starts = Int32Array.from({ length: length + 1 }, (_, row) => 100 * row);
      const rows = { starts, places: new Int32Array(entries), values: new Float32Array(entries) };
      return { rows, classOf: new Int32Array(length), order: new Int32Array(length), classes, width: 1000 };
    };
    expect([passesFor(setOf(100, 1000)), passesFor(setOf(30_000, 1000))]).toEqual([11, 1]);
    expect(passesFor(setOf(9000, 4500))).toBe(0);
  });

  it("trains nothing if the tables would not fit into memory, and creates none", () => {
    const rows = { starts: new Int32Array(1), places: new Int32Array(0), values: new Float32Array(0) };
    const steps = trainSvm({
      rows,
      classOf: new Int32Array(0),
      order: new Int32Array(0),
      classes: 100_000,
      width: 1_000_000,
    });
    expect(steps.next()).toEqual({ done: true, value: new Float32Array(0) });
  });
});

describe("calibration", () => {
  const OUTSIDE = [
    "the capital of Mongolia",
    "write a poem in Latin",
    "quantum entanglement explained simply",
    "convert seven gallons to litres",
  ];

  it("accepts what examples recognise, and rejects the rest", () => {
    const matcher = createIntentMatcher({ examples: EXAMPLES });
    expect(EXAMPLES.filter(({ text, intent }) => matcher.accept(text)?.intent === intent)).toEqual(EXAMPLES);
    expect(OUTSIDE.filter((text) => matcher.accept(text))).toEqual([]);
  });

  it("learns its threshold from the examples", () => {
    const similar = examplesOf({
      "ask card fee": ["is there a fee for the card", "what does the card cost", "card fee", "price of the card"],
      "ask transfer fee": [
        "is there a fee for the transfer",
        "what does a transfer cost",
        "transfer fee",
        "transfer price",
      ],
    });
    const [separate, close] = [createIntentMatcher({ examples: EXAMPLES }), createIntentMatcher({ examples: similar })];
    expect(separate.threshold).not.toBe(close.threshold);
    for (const { threshold } of [separate, close]) {
      expect(threshold).toBeGreaterThan(0);
      expect(threshold).toBeLessThan(1);
    }
  });

  it("is no more confident than few examples allow", () => {
    const few = createIntentMatcher({
      examples: [
        { text: "hello", intent: "greet" },
        { text: "bye", intent: "leave" },
      ],
    });
    expect(few.accept("hello")).toMatchObject({ intent: "greet" });
    expect(few.rank("hello", 1)[0]?.score).toBeLessThan(0.99);
  });
});

describe("odd input", () => {
  const matcher = createIntentMatcher({ examples: EXAMPLES });

  it.each([
    ["nothing", ""],
    ["blanks", " \n\t "],
    ["signs only", "?!... --- ***"],
    ["an unknown image", "🦑"],
    ["an unknown script", "どこですか"],
  ])("%s has no intent", (_, text) => {
    expect(matcher.accept(text)).toBeUndefined();
    expect(matcher.rank(text, 2)).toEqual([
      { intent: "ask price", score: 0 },
      { intent: "ask opening hours", score: 0 },
    ]);
  });

  it.each([
    ["a megabyte", "price ".repeat(180_000)],
    ["one endless word", "a".repeat(1_000_000)],
    ["zero bytes", `\u0000\u0001price\u0000`],
    ["halves of characters", "\ud800 price \udc00"],
    ["letters that unfold", "ﷺ".repeat(100_000)],
    ["names of properties", "__proto__ constructor toString"],
  ])("%s is ranked", (_, text) => {
    const ranked = matcher.rank(text, 1);
    expect(Number.isFinite(ranked[0]?.score)).toBe(true);
  });

  it("scores any text between 0 and 1", () => {
    assert(
      property(string({ unit: anyCharacter, maxLength: 60 }), (text) => {
        expect(matcher.rank(text, 4).every(({ score }) => score >= 0 && score <= 1)).toBe(true);
      }),
      { numRuns: propertyRuns(15) },
    );
  });

  it.each<[string, readonly IntentExample[], string, string | undefined]>([
    ["no example", [], "hello", undefined],
    ["one example", [{ text: "hello", intent: "greet" }], "hello", "greet"],
    ["one intent", examplesOf({ greet: ["hello", "hi", "good morning"] }), "good morning", "greet"],
    ["one intent and another matter", examplesOf({ greet: ["hello", "hi"] }), "refund my ticket", undefined],
    [
      "an empty example",
      [
        { text: "", intent: "" },
        { text: "hello", intent: "greet" },
      ],
      "hello",
      "greet",
    ],
    ["pictures", examplesOf({ like: ["👍", "❤️"], hate: ["👎", "😡"] }), "👎", "hate"],
    [
      "intents named like properties",
      examplesOf({ constructor: ["hello"], toString: ["bye now"] }),
      "bye now",
      "toString",
    ],
  ])("%s", (_, examples, text, intent) => {
    expect(createIntentMatcher({ examples }).accept(text)?.intent).toBe(intent);
  });

  it("compares scripts without spaces by their characters", () => {
    const matcher = createIntentMatcher({
      examples: examplesOf({ price: ["いくらですか"], where: ["駅はどこですか"] }),
    });
    expect(matcher.rank("トイレはどこですか", 1)).toMatchObject([{ intent: "where" }]);
  });

  it("gives both intents of a text similar scores", () => {
    const examples = [
      { text: "both", intent: "aa" },
      { text: "both", intent: "bb" },
      { text: "other", intent: "cc" },
      { text: "other", intent: "cc" },
    ];
    const [first, second] = createIntentMatcher({ examples }).rank("both", 2);
    expect([first?.intent, second?.intent].toSorted()).toEqual(["aa", "bb"]);
    expect(first?.score).toBeCloseTo(second?.score ?? 0, 1);
  });
});

/** The checksum of the file format, as written by an attacker who knows it. */
function checksumOf(bytes: Uint8Array): number {
  let code = 0x811c9dc5;
  for (const [at, byte] of bytes.entries()) if (at < 20 || at >= 24) code = Math.imul(code ^ byte, 0x01000193);
  return code >>> 0;
}

describe("a stored training", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "matcher-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("gives exactly the same scores, without training again", async () => {
    const examples = [...EXAMPLES, ...syntheticExamples(40, 40)];
    const cache = await openFileMatcherCache(join(folder, "deep"));
    const first = createIntentMatcher({ examples, cache });
    const ranked = first.rank("what is the price w3x1", 99);
    expect(readdirSync(join(folder, "deep"))).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.matcher$/)]);
    const phases = new Set<string>();
    const second = createIntentMatcher({ examples, cache, onProgress: ({ phase }) => phases.add(phase) });
    expect(second.rank("what is the price w3x1", 99)).toEqual(ranked);
    expect(second.threshold).toBe(first.threshold);
    expect(phases.has("training")).toBe(false);
  });

  it("applies only to exactly the same examples", async () => {
    const cache = await openFileMatcherCache(folder);
    const scores = [EXAMPLES, EXAMPLES.slice(1)].map((examples) => {
      return createIntentMatcher({ examples, cache }).rank("how much", 1)[0]?.score;
    });
    expect(readdirSync(folder)).toHaveLength(2);
    expect(scores[0]).not.toBe(scores[1]);
  });

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ["nothing", () => new Uint8Array(0)],
    ["a part", (bytes) => bytes.subarray(0, bytes.length - 8)],
    ["too much", (bytes) => Uint8Array.from([...bytes, 0])],
    ["a changed bit", (bytes) => bytes.map((byte, at) => (at === 60 ? byte ^ 1 : byte))],
    ["something else", () => new Uint8Array(5000).fill(7)],
  ])("is replaced if the file contains %s", async (_, spoil) => {
    const errors: unknown[] = [];
    const cache = await openFileMatcherCache(folder, (error) => errors.push(error));
    const expected = createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today", 4);
    const file = join(folder, readdirSync(folder)[0] as string);
    const whole = readFileSync(file);
    writeFileSync(file, spoil(whole));
    expect(createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today", 4)).toEqual(expected);
    expect(readFileSync(file).equals(whole)).toBe(true);
    expect(errors).toEqual([]);
  });

  it.each<[string, (view: DataView) => void]>([
    ["a threshold that is not a number", (view) => view.setFloat64(40, Number.NaN, true)],
    ["a curve that is not a number", (view) => view.setFloat64(24, Number.NaN, true)],
    ["an endless curve", (view) => view.setFloat64(32, Number.POSITIVE_INFINITY, true)],
    ["a weight that is not a number", (view) => view.setFloat32(52, Number.NaN, true)],
    ["a negative weight", (view) => view.setFloat32(52, -1, true)],
    ["a weight of no row", (view) => view.setUint32(48, 0xfffffff0, true)],
    ["no weights", (view) => [12, 16].forEach((at) => view.setUint32(at, 0, true))],
  ])("is replaced if an attacker wrote %s into it", (_, forge) => {
    const kept = new Map<string, Uint8Array>();
    const cache: MatcherCache = { read: (key) => kept.get(key), write: (key, bytes) => void kept.set(key, bytes) };
    const expected = createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today", 4);
    const [[key, whole] = ["", new Uint8Array(0)]] = kept;
    const forged = whole.slice();
    const view = new DataView(forged.buffer);
    forge(view);
    const rest = view.getUint32(16, true) === 0 ? forged.slice(0, 48) : forged;
    const signed = new DataView(rest.buffer);
    signed.setUint32(20, checksumOf(rest), true);
    kept.set(key, rest);
    expect(createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today", 4)).toEqual(expected);
    expect(kept.get(key)).toEqual(whole);
  });

  it("is optional if the folder cannot be used", async () => {
    writeFileSync(join(folder, "file"), "");
    const errors: unknown[] = [];
    const cache = await openFileMatcherCache(join(folder, "file"), (error) => errors.push(error));
    expect(createIntentMatcher({ examples: EXAMPLES, cache }).accept("hello")?.intent).toBe("express greeting");
    expect(errors).toHaveLength(1);
    cache.write("../evil", new Uint8Array(1));
    expect(cache.read("../evil")).toBeUndefined();
  });

  it("is kept in the latest hundred files", async () => {
    const cache = await openFileMatcherCache(folder);
    const keys = Array.from({ length: 103 }, (_, at) => at.toString(16).padStart(32, "0"));
    writeFileSync(join(folder, "notes.md"), "mine");
    for (const [at, key] of keys.entries()) {
      cache.write(key, new Uint8Array(1));
      utimesSync(join(folder, `${key}.matcher`), 1000 + at, 1000 + at);
    }
    cache.write(keys[102] as string, new Uint8Array(2));
    expect(readdirSync(folder).toSorted()).toEqual([...keys.slice(3).map((key) => `${key}.matcher`), "notes.md"]);
  });

  it("is kept in any store", () => {
    const kept = new Map<string, Uint8Array>();
    const cache: MatcherCache = { read: (key) => kept.get(key), write: (key, bytes) => void kept.set(key, bytes) };
    createIntentMatcher({ examples: EXAMPLES, cache }).rank("hello");
    expect(kept.size).toBe(1);
  });
});

describe("as an index", () => {
  const items = EXAMPLES.map(({ text, intent }) => ({ text, meta: { intent } }));

  it("finds the nearest example of each intent, with the scores of the matcher", async () => {
    const hits = await createMatcherIndex({ items }).search("what does a chain cost", 2);
    const found = createIntentMatcher({ examples: EXAMPLES }).examplesFor("what does a chain cost", 2);
    expect(hits.map(({ item, score }) => ({ text: item.text, intent: item.meta["intent"], score }))).toEqual(found);
    expect(items).toContain(hits[0]?.item);
  });

  it("applies a threshold, and has one of its own", async () => {
    const index = createMatcherIndex({ items });
    const threshold = await index.acceptThreshold();
    expect(threshold).toBe(createIntentMatcher({ examples: EXAMPLES }).threshold);
    expect(await index.search("are you open", 4, threshold)).toHaveLength(1);
    expect(await index.search("quantum entanglement", 4, threshold)).toEqual([]);
    expect(await index.search("quantum entanglement", 4)).toHaveLength(4);
  });
});

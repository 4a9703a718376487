import { describe, expect, it } from "@jest/globals";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { array, assert, asyncProperty, double } from "fast-check";
import { ModelError } from "../../src/diagnostics/errors.js";
import type { IntentExample } from "../../src/retrieval/matcher/examples.js";
import { createIntentMatcher } from "../../src/retrieval/matcher/intent-matcher.js";
import type { MatcherCache } from "../../src/retrieval/matcher/matcher-cache.js";
import { createMatcherIndex } from "../../src/retrieval/matcher/matcher-index.js";

const EXAMPLES: readonly IntentExample[] = [
  { text: "how much is a bell", intent: "ask price" },
  { text: "what does the bicycle cost", intent: "ask price" },
  { text: "is this expensive", intent: "ask price" },
  { text: "when do you open", intent: "ask hours" },
  { text: "are you closed on sunday", intent: "ask hours" },
  { text: "until when is the shop open", intent: "ask hours" },
  { text: "where is your shop", intent: "ask place" },
  { text: "which street are you in", intent: "ask place" },
  { text: "how do I get to you", intent: "ask place" },
];

/** Meanings shared by words that have no letter in common. */
const MEANINGS = [
  /much|cost|expensive|fee|coins/,
  /when|open|closed|sunday|o'clock|morning/,
  /where|street|get to|map|address/,
];

const vectorOf = (text: string): number[] => [...MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.2];

const meanings: EmbeddingsInterface = {
  embedQuery: async (text) => vectorOf(text),
  embedDocuments: async (texts) => texts.map(vectorOf),
};

const withQueries = (embedQuery: EmbeddingsInterface["embedQuery"]): EmbeddingsInterface => ({
  ...meanings,
  embedQuery,
});

const gate = () => {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((open) => (resolve = open));
  return { promise, resolve: () => resolve() };
};

const memoryCache = (): MatcherCache & { readonly kept: Map<string, Uint8Array> } => {
  const kept = new Map<string, Uint8Array>();
  return { kept, read: (key) => kept.get(key), write: (key, bytes) => void kept.set(key, bytes) };
};

describe("a matcher with embeddings", () => {
  it.each([
    ["the words of an example", "what does a bell cost", "ask price"],
    ["words that only the vectors know", "many coins", "ask price"],
    ["another intent by its vector", "this morning at nine o'clock", "ask hours"],
    ["a vector against a word", "the address of the shop", "ask place"],
  ])("finds an intent by %s", async (_title, text, intent) => {
    const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings: meanings });
    const [best] = await matcher.rank(text, 1);
    expect(best?.intent).toBe(intent);
    expect((await matcher.accept(text))?.intent).toBe(intent);
  });

  it("accepts nothing unlike all examples, and scores an example 1", async () => {
    const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings: meanings });
    expect(await matcher.accept("zebras gallop")).toBeUndefined();
    const alone = [
      { text: "up", intent: "rise" },
      { text: "down", intent: "fall" },
    ];
    const embeddings: EmbeddingsInterface = {
      embedQuery: async (text) => (text === "up" ? [1, 0] : [0, 1]),
      embedDocuments: async (texts) => texts.map((text) => (text === "up" ? [1, 0] : [0, 1])),
    };
    expect(await createIntentMatcher({ examples: alone, embeddings }).rank("up", 1)).toEqual([
      { intent: "rise", score: 1 },
    ]);
  });

  it("gives falling scores from 0 to 1 and the nearest example of each intent", async () => {
    const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings: meanings });
    const near = await matcher.examplesFor("is the bell expensive", 3);
    expect(near.map(({ intent }) => intent).toSorted()).toEqual(["ask hours", "ask place", "ask price"]);
    const scores = near.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(EXAMPLES).toContainEqual({ text: near[0]?.text, intent: "ask price" });
  });

  it("prefers the example that shares words among many equally near vectors", async () => {
    const colours = ["red", "green", "blue", "grey", "pink"];
    const things = Array.from({ length: 20 }, (_, at) => `thing${at}`);
    const examples = ["cost", "open"].flatMap((topic) =>
      colours.flatMap((colour) =>
        things.map((thing) => ({ text: `${topic} of the ${colour} ${thing}`, intent: `ask ${topic}` })),
      ),
    );
    const matcher = createIntentMatcher({ examples, embeddings: meanings });
    const [near] = await matcher.examplesFor("the cost of a pink thing7", 1);
    expect(near).toMatchObject({ intent: "ask cost", text: "cost of the pink thing7" });
  });

  it("embeds the examples once, and no names of intents", async () => {
    const calls: string[][] = [];
    const embeddings = {
      ...meanings,
      embedDocuments: async (texts: string[]) => {
        calls.push(texts);
        return texts.map(vectorOf);
      },
    };
    const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings });
    await Promise.all([matcher.prepare(), matcher.rank("cost"), matcher.rank("open")]);
    expect(calls).toEqual([EXAMPLES.map(({ text }) => text)]);
  });

  it("uses a cached training, with the same scores, unless the vectors differ", async () => {
    const cache = memoryCache();
    const first = await createIntentMatcher({ examples: EXAMPLES, embeddings: meanings, cache }).rank("open at nine");
    expect(cache.kept.size).toBe(2);
    expect(await createIntentMatcher({ examples: EXAMPLES, embeddings: meanings, cache }).rank("open at nine")).toEqual(
      first,
    );
    const turned: EmbeddingsInterface = {
      embedQuery: async (text) => vectorOf(text).reverse(),
      embedDocuments: async (texts) => texts.map((text) => vectorOf(text).reverse()),
    };
    await createIntentMatcher({ examples: EXAMPLES, embeddings: turned, cache }).prepare();
    expect(cache.kept.size).toBe(3);
  });

  it("has a threshold after training", async () => {
    const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings: meanings });
    expect(() => matcher.threshold).toThrow("after `prepare()` has finished");
    await matcher.prepare();
    expect(matcher.threshold).toBeGreaterThan(0);
    expect(matcher.threshold).toBeLessThan(1);
  });

  it("finds nothing in nothing", async () => {
    const matcher = createIntentMatcher({ examples: [], embeddings: meanings });
    expect(await matcher.rank("hello")).toEqual([]);
    expect(await matcher.accept("hello")).toBeUndefined();
  });

  it("stops learning when its caller cancels", async () => {
    const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings: meanings });
    await expect(matcher.prepare({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    expect((await matcher.rank("cost", 1))[0]?.intent).toBe("ask price");
  });
});

describe("embeddings that fail", () => {
  const SUFFIX = "; intents are found by words and letters alone until the embeddings work again";

  it.each<[string, EmbeddingsInterface, string]>([
    ["a query that fails", withQueries(() => Promise.reject(new Error("about a bell"))), "the embeddings failed"],
    ["a query of another length", withQueries(async () => [1]), "expected vectors of 4 dimensions, got one of 1"],
    [
      "a query that is not a number",
      withQueries(async () => [1, 0, 0, Number.NaN]),
      "expected vectors of finite numbers, got another value",
    ],
    [
      "examples that fail",
      { ...meanings, embedDocuments: () => Promise.reject(new Error("down")) },
      "the embeddings failed: down",
    ],
  ])("%s: n-grams decide, with one warning", async (_title, embeddings, reason) => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings, onWarning });
    expect((await matcher.accept("how much is the bell"))?.intent).toBe("ask price");
    expect((await matcher.accept("when are you open"))?.intent).toBe("ask hours");
    expect(warnings).toEqual([reason + SUFFIX]);
  });

  it("a slow query: n-grams decide after its time limit", async () => {
    const warnings: string[] = [];
    const matcher = createIntentMatcher({
      examples: EXAMPLES,
      embeddings: withQueries(() => new Promise(() => {})),
      embeddingTimeoutMs: 40,
      startTimer: (milliseconds, run) => {
        if (milliseconds === 40) run();
        return () => {};
      },
      onWarning: (message) => void warnings.push(message),
    });
    expect((await matcher.rank("how much is the bell", 1))[0]?.intent).toBe("ask price");
    expect(warnings).toEqual([`the embeddings did not respond within 40 ms${SUFFIX}`]);
  });

  it("examples that fail are embedded again by a later call", async () => {
    let isAway = true;
    const embedDocuments: EmbeddingsInterface["embedDocuments"] = async (texts) => {
      if (isAway) throw new Error("down");
      return texts.map(vectorOf);
    };
    let ends = 0;
    const { promise: learntAgain, resolve } = gate();
    const matcher = createIntentMatcher({
      examples: EXAMPLES,
      embeddings: { ...meanings, embedDocuments },
      onProgress: ({ total }) => {
        if (total === 1) ends += 1;
        if (ends === 2) resolve();
      },
    });
    await matcher.prepare();
    isAway = false;
    // The attempt continues while n-grams decide.
    await matcher.prepare();
    await learntAgain;
    await new Promise((settled) => setImmediate(settled));
    expect((await matcher.accept("many coins"))?.intent).toBe("ask price");
  });

  it.each<[string, number[][], string]>([
    [
      "of different lengths",
      EXAMPLES.map((_, at) => (at === 3 ? [1] : [1, 0])),
      "expected vectors of 2 dimensions, got one of 1",
    ],
    ["that are not finite", EXAMPLES.map(() => [1, Number.NaN]), "expected vectors of finite numbers"],
    ["that are too few", [[1, 0]], "expected 9 vectors from the embeddings, got 1"],
  ])("vectors of examples %s are a `ModelError`", async (_title, vectors, message) => {
    const embeddings: EmbeddingsInterface = { ...meanings, embedDocuments: async () => vectors };
    const error: unknown = await createIntentMatcher({ examples: EXAMPLES, embeddings })
      .prepare()
      .catch((thrown: unknown) => thrown);
    expect(ModelError.isInstance(error) && error.message).toContain(message);
  });
});

describe("uninformative embeddings", () => {
  const TESTS: readonly IntentExample[] = [
    { text: "how much does a bicycle cost", intent: "ask price" },
    { text: "is a bell expensive", intent: "ask price" },
    { text: "when is the shop open on sunday", intent: "ask hours" },
    { text: "until when do you open", intent: "ask hours" },
    { text: "which street is your shop in", intent: "ask place" },
    { text: "how do I get to the street", intent: "ask place" },
  ];

  it("are not worse than no embeddings", async () => {
    const ngrams = createIntentMatcher({ examples: EXAMPLES });
    const known = TESTS.filter(({ text, intent }) => ngrams.rank(text, 1)[0]?.intent === intent).length;
    const vectors = array(double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 });
    const same = async (vector: number[]): Promise<void> => {
      const embeddings: EmbeddingsInterface = {
        embedQuery: async () => vector,
        embedDocuments: async (texts) => texts.map(() => vector),
      };
      const matcher = createIntentMatcher({ examples: EXAMPLES, embeddings });
      let right = 0;
      for (const { text, intent } of TESTS) if ((await matcher.rank(text, 1))[0]?.intent === intent) right += 1;
      expect(right).toBeGreaterThanOrEqual(known - 1);
    };
    await assert(asyncProperty(vectors, same), { numRuns: 15, seed: 7 });
  });
});

describe("an index over examples and embeddings", () => {
  const items = EXAMPLES.map(({ text, intent }) => ({ text, meta: { intent } }));

  it.each([
    [undefined, 3],
    [0.999, 1],
  ])("with its own threshold of %s finds the intents in the direction of a text, %i", async (threshold, count) => {
    const index = createMatcherIndex({ items, embeddings: meanings, threshold });
    expect(await index.search("many coins")).toHaveLength(count);
  });

  it("finds an example of each intent, the best first", async () => {
    const index = createMatcherIndex({ items, embeddings: meanings });
    const hits = await index.search("many coins", 2);
    expect(hits[0]?.item.meta).toEqual({ intent: "ask price" });
    expect(hits).toHaveLength(2);
    expect(await index.search("many coins", 2, await index.acceptThreshold())).toHaveLength(1);
  });
});

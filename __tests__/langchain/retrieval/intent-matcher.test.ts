import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import {
  createIntentMatcher,
  type IntentExample,
  type MatcherProgress,
  openFileMatcherCache,
} from "langchain-guardrails/matcher";

const EXAMPLES: readonly IntentExample[] = [
  { text: "how much is it", intent: "ask price" },
  { text: "what does a saddle cost", intent: "ask price" },
  { text: "when do you open", intent: "ask hours" },
  { text: "until when are you open", intent: "ask hours" },
];

describe("the matcher as a part of the public package", () => {
  it("ranks, accepts and abstains, as its documentation says", async () => {
    const seen: MatcherProgress[] = [];
    const matcher = createIntentMatcher({ examples: EXAMPLES, onProgress: (progress) => seen.push(progress) });
    await matcher.prepare();
    expect(seen.map(({ phase }) => phase)).toEqual(["reading", "training", "calibrating"]);
    const [best, second] = matcher.rank("what is the price", 2);
    expect([best?.intent, second?.intent]).toEqual(["ask price", "ask hours"]);
    expect(matcher.accept("how much is that")?.intent).toBe("ask price");
    expect(matcher.accept("tell me a joke")).toBeUndefined();
    expect(matcher.rank("tell me a joke", 1)[0]?.score).toBeLessThan(matcher.threshold);
  });

  it("keeps what it learnt in a folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "matcher-"));
    try {
      const cache = await openFileMatcherCache(folder);
      const ranked = createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today?");
      expect(await readdir(folder)).toHaveLength(1);
      expect(createIntentMatcher({ examples: EXAMPLES, cache }).rank("open today?")).toEqual(ranked);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("reports its progress to a configuration, when the first message needs it", async () => {
    const seen: MatcherProgress[] = [];
    const colang = `
define user ask price
  "how much is it"
  "what does a saddle cost"
define user ask hours
  "when do you open"
define bot give price
  "Ten euros."
define flow
  user ask price
  bot give price
`;
    const yaml = "rails: {dialog: {user_messages: {embeddings_only: true}}}";
    const options = { onLearning: (progress: MatcherProgress) => void seen.push(progress) };
    const guardrails = await Guardrails.fromConfig({ colang, yaml }, options);
    expect(seen).toEqual([]);
    expect((await guardrails.generate("what is the cost?")).response).toBe("Ten euros.");
    const learnt = seen.length;
    expect(seen[0]).toEqual({ phase: "reading", share: 0, total: 0 });
    await guardrails.generate("how much");
    expect(seen).toHaveLength(learnt);
  });
});

import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { scriptedModel } from "langchain-guardrails/testing";
import type { LabelledUtterance, TopicalDataset } from "../../src/eval/dataset/topical.js";
import { createIndexRanker, evaluateMatcher } from "../../src/eval/run/matcher.js";
import { colangIntent, topicalContent, evaluateTopical } from "../../src/eval/run/topical.js";
import type { IntentExample } from "../../src/retrieval/matcher/intent-matcher.js";
import { reply, tickingClock } from "./reply.js";

function utterances(...rows: readonly (readonly [text: string, intent: string])[]): LabelledUtterance[] {
  return rows.map(([text, intent], index) => ({ text, intent, line: index + 1 }));
}

const DATASET: TopicalDataset = {
  name: "small",
  examples: utterances(
    ["hello there", "express greeting"],
    ["good morning to you", "express greeting"],
    ["where is my card", "ask about card"],
    ["my card has not arrived", "ask about card"],
    ["see you later", "express farewell"],
  ),
  tests: utterances(
    ["hello to you", "express greeting"],
    ["my card is lost", "ask about card"],
    ["later then", "express farewell"],
    ["morning", "express farewell"],
  ),
  outOfScope: [
    { text: "quantum chromodynamics", line: 5 },
    { text: "zzz", line: 6 },
  ],
};

describe("the embedded matcher", () => {
  it("is asked about every utterance once", async () => {
    const result = await evaluateMatcher(DATASET, { now: tickingClock() });
    expect(result).toMatchObject({
      kind: "topical",
      dataset: "small",
      system: "embedded matcher",
      examplesPerIntent: "all",
      seed: 42,
      intents: 3,
      examples: 5,
      userIntent: { value: 0.75, samples: 4 },
      abstained: { value: 0.25 },
      outOfScope: { samples: 2, auroc: { value: 1, low: 1, high: 1 }, verdicts: { recall: 1 } },
      errors: 0,
      buildMs: 1,
      cost: [{ name: "user intent", runs: 6, p50Ms: 1, p95Ms: 1 }],
    });
    expect(result.predictions[3]).toMatchObject({
      line: 4,
      expected: "express farewell",
      predicted: "express greeting",
    });
    expect(result.predictions[4]).not.toHaveProperty("expected");
  });

  it("gives the same result again", async () => {
    const run = () => evaluateMatcher(DATASET, { now: tickingClock() });
    expect(await run()).toEqual(await run());
  });

  it("knows only the first examples", async () => {
    const { examples } = await evaluateMatcher(DATASET, { examplesPerIntent: 1 });
    expect(examples).toBe(3);
  });

  it("may be any ranker, which abstains below its threshold", async () => {
    const seen: (readonly IntentExample[])[] = [];
    const createRanker = (examples: readonly IntentExample[]) => {
      seen.push(examples);
      return {
        threshold: 0.5,
        rank: (text: string) => {
          if (text === "zzz") return [];
          return [{ intent: "express greeting", score: text.startsWith("hello") ? 0.9 : 0.4 }];
        },
      };
    };
    const { userIntent, abstained, outOfScope, macroF1 } = await evaluateMatcher(DATASET, {
      createRanker,
      name: "mine",
    });
    expect(seen).toEqual([DATASET.examples]);
    expect(userIntent?.value).toBe(0.25);
    expect(abstained?.value).toBe(0.75);
    // greeting: right once of four times said, F1 2/5; the others 0
    expect(macroF1).toBeCloseTo(2 / 5 / 3, 12);
    // In scope .9 .4 .4 .4 against .4 and nothing: 1 + 3 halves of 4, and 4 of 4
    expect(outOfScope?.auroc?.value).toBeCloseTo((2.5 + 4) / 8, 12);
    expect(outOfScope?.verdicts).toMatchObject({ truePositives: 2, falsePositives: 3, recall: 1, precision: 0.4 });
  });

  it("is prepared before it is asked, and reports progress", async () => {
    const log: string[] = [];
    await evaluateMatcher(DATASET, {
      createRanker: (_, onProgress) => ({
        get threshold() {
          if (!log.includes("prepared")) throw new Error("asked too early");
          return 0.5;
        },
        prepare: () => {
          onProgress(0.25);
          log.push("prepared");
          return Promise.resolve();
        },
        rank: () => [],
      }),
      onProgress: ({ label, done, total }) => log.push(`${label} ${done}/${total}`),
    });
    expect(log.slice(0, 4)).toEqual([
      "small, k=all: learning 25/100",
      "prepared",
      "small, k=all 0/6",
      "small, k=all 1/6",
    ]);
  });

  it("is asked about so many of each", async () => {
    const { userIntent, outOfScope } = await evaluateMatcher(DATASET, { limit: 1 });
    expect([userIntent?.samples, outOfScope?.samples]).toEqual([1, 1]);
  });

  it("stops when the caller aborts", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(evaluateMatcher(DATASET, { signal })).rejects.toThrow("enough");
  });

  it("ranks intents, not examples", async () => {
    const ranker = createIndexRanker(DATASET.examples);
    const ranked = await ranker.rank("my card", 3);
    expect(ranked.map(({ intent }) => intent).toSorted()).toEqual(
      ["ask about card", "express farewell", "express greeting"].toSorted(),
    );
    expect(ranked[0]?.intent).toBe("ask about card");
    expect(await ranker.rank("my card", 1)).toEqual(ranked.slice(0, 1));
  });
});

describe("examples as Colang", () => {
  it.each([
    ["What's new?", "What s new"],
    ["Refund_not_showing_up", "Refund_not_showing_up"],
    ["  two\n lines ", "two lines"],
    ["!?", "unnamed"],
  ])("writes the intent %j as %j", (intent, name) => {
    expect(colangIntent(intent)).toBe(name);
  });

  it("holds any text", async () => {
    const hostile = ['say "hi" \\ and \\n', "# no comment", "$price {{ x }} [a](b)", "two\nlines", "define bot x"];
    const examples = utterances(...hostile.map((text) => [text, "ask: it's"] as const));
    const guardrails = await Guardrails.fromConfig(topicalContent(examples));
    const form = guardrails.canonicalForm();
    for (const text of hostile) {
      const found = await form.invoke({ input: text.replace("\n", " ") });
      expect(found).toMatchObject({ intent: "ask it s", score: 1 });
    }
  });
});

describe("a chat model", () => {
  const FLOWS = `
define bot express greeting
  "Hello!"

define bot inform about card
  "It is on its way."

define flow
  user express greeting
  bot express greeting

define flow
  user ask about card
  bot inform about card

define flow
  user ask for something
  bot express greeting
`;

  const guard = (llm: ReturnType<typeof scriptedModel>): Promise<Guardrails> => {
    const { files } = topicalContent(DATASET.examples);
    return Guardrails.fromConfig({ ...(files === undefined ? {} : { files }), colang: FLOWS }, { llm });
  };

  it("is judged at all three stages", async () => {
    const llm = scriptedModel((messages) => {
      const prompt = messages.map((message) => String(message.content)).join("\n");
      const last = String(messages.at(-1)?.content);
      if (!prompt.includes("canonical form")) return reply("bot say something");
      if (last.includes("hello")) return reply("ask for something");
      if (last.includes("card")) return reply("ask about card");
      return reply("ask about the universe");
    });
    const dataset = { ...DATASET, tests: DATASET.tests.slice(0, 3) };
    const result = await evaluateTopical(dataset, await guard(llm), { name: "scripted" });
    expect(result.predictions).toEqual([
      // The wrong intent leads to the right step all the same.
      {
        line: 1,
        expected: "express greeting",
        predicted: "ask for something",
        abstained: true,
        botIntent: true,
        botMessage: true,
      },
      {
        line: 2,
        expected: "ask about card",
        predicted: "ask about card",
        abstained: false,
        botIntent: true,
        botMessage: true,
      },
      // No flow says what follows a farewell, so that nothing can be said about the step.
      { line: 3, expected: "express farewell", predicted: "ask about the universe", abstained: true },
      { line: 5, predicted: "ask about the universe", abstained: true },
      { line: 6, predicted: "ask about the universe", abstained: true },
    ]);
    expect(result).toMatchObject({
      system: "scripted",
      userIntent: { samples: 3 },
      botIntent: { value: 1, samples: 2 },
      botMessage: { value: 1, samples: 2 },
      outOfScope: { samples: 2, verdicts: { truePositives: 2, falsePositives: 2 } },
      errors: 0,
      cost: [{ name: "user intent", runs: 5, inputTokens: 50, outputTokens: 10, totalTokens: 60 }],
    });
    expect(result.outOfScope).not.toHaveProperty("auroc");
    // Flows and predefined messages define the right step: one call for each utterance and no other.
    expect(llm.calls).toHaveLength(5);
  });

  it("is wrong where the step comes out wrong", async () => {
    const llm = scriptedModel(reply("ask about card"));
    const dataset = { ...DATASET, tests: DATASET.tests.slice(0, 1), outOfScope: [] };
    const { predictions } = await evaluateTopical(dataset, await guard(llm));
    expect(predictions).toMatchObject([{ predicted: "ask about card", botIntent: false, botMessage: false }]);
  });

  it("that fails is an error of one utterance", async () => {
    const llm = scriptedModel((messages) => {
      const isSecond = String(messages.at(-1)?.content).includes("card");
      return isSecond ? new Error("overloaded") : reply("express greeting");
    });
    const dataset = { ...DATASET, tests: DATASET.tests.slice(0, 2), outOfScope: [] };
    const { errors, predictions, userIntent } = await evaluateTopical(dataset, await guard(llm));
    expect(errors).toBe(1);
    expect(predictions[1]?.error).toContain("overloaded");
    expect(userIntent?.value).toBe(0.5);
  });

  it("is not asked any more when the caller aborts", async () => {
    const controller = new AbortController();
    const llm = scriptedModel(() => {
      controller.abort(new Error("enough"));
      return reply("express greeting");
    });
    const run = evaluateTopical(DATASET, await guard(llm), { signal: controller.signal, concurrency: 1 });
    await expect(run).rejects.toThrow("enough");
    expect(llm.calls).toHaveLength(1);
  });
});

import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { IntentExample } from "../../retrieval/matcher/examples.js";
import { createIntentMatcher } from "../../retrieval/matcher/intent-matcher.js";
import type { MatcherProgress } from "../../retrieval/matcher/build-job.js";
import type { RankedIntent } from "../../retrieval/matcher/ranker.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { takeExamples, type TopicalDataset } from "../dataset/topical.js";
import { DEFAULT_SEED, RUN_OPTIONS, type Outcome, type RunOptions, runSamples } from "./run-samples.js";
import { summarizeTopical, takeQuestions, type TopicalPrediction, type TopicalResult } from "./topical-result.js";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { createMemoryIndex } from "../../langchain/retrieval/vector-index.js";
import type { IndexItem } from "../../retrieval/embedding-index.js";

export interface MatcherOptions extends RunOptions {
  /** Number of examples per intent, taken from the first ones. Default: all. */
  readonly examplesPerIntent?: number | "all" | undefined;
  /** Vectors that the embedded matcher learns together with n-grams. Default: n-grams alone. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Creates the ranker to evaluate. Default: the embedded matcher. */
  readonly createRanker?: CreateIntentRanker | undefined;
  /** Name in the report. */
  readonly name?: string | undefined;
}

const OPTIONS: OptionTable<MatcherOptions> = {
  ...RUN_OPTIONS,
  examplesPerIntent: "any",
  embeddings: "object",
  createRanker: "function",
  name: "text",
};

const PERCENT = 100;

function embeddedMatcher(embeddings: EmbeddingsInterface | undefined): CreateIntentRanker {
  return (examples, report) => {
    const onProgress = ({ total }: MatcherProgress): void => report(total);
    return embeddings === undefined
      ? createIntentMatcher({ examples, onProgress })
      : createIntentMatcher({ examples, embeddings, onProgress });
  };
}

/**
 * Evaluates intent matching without a language model: for every test utterance, one at a time, the best intent must be
 * the right one. Out-of-scope utterances give the AUROC of the score.
 *
 * @example
 * ```ts
 * const dataset = await loadTopical(openDataFolder("./data/banking"), { seed: 42 });
 * const { userIntent } = await evaluateMatcher(dataset, { examplesPerIntent: 3 });
 * ```
 */
export async function evaluateMatcher(dataset: TopicalDataset, options: MatcherOptions = {}): Promise<TopicalResult> {
  checkOptions("evaluateMatcher", options, OPTIONS);
  const { examplesPerIntent = "all", seed = DEFAULT_SEED, now = () => performance.now() } = options;
  const { embeddings, createRanker = embeddedMatcher(embeddings), onProgress } = options;
  const { name = embeddings === undefined ? "embedded matcher" : "embedded matcher with vectors" } = options;
  const label = `${dataset.name}, k=${examplesPerIntent}`;
  const examples = takeExamples(dataset.examples, examplesPerIntent);
  const questions = takeQuestions(dataset, options);
  options.signal?.throwIfAborted();
  const startedAt = now();
  const ranker = await createRanker(examples, (share) => {
    onProgress?.({ label: `${label}: learning`, done: Math.round(share * PERCENT), total: PERCENT });
  });
  await ranker.prepare?.();
  options.signal?.throwIfAborted();
  // A ranker that learns at its first question has finished learning after it.
  await ranker.rank(examples[0]?.text ?? "", 1);
  const buildMs = now() - startedAt;
  const ask = async ({ text, intent, line }: (typeof questions)[number]): Promise<Outcome<TopicalPrediction>> => {
    const askedAt = now();
    const [best] = await ranker.rank(text, 1);
    const durationMs = now() - askedAt;
    const abstained = best === undefined || best.score < ranker.threshold;
    const found = omitUndefined({ expected: intent, predicted: best?.intent, score: best?.score });
    return { prediction: { line, ...found, abstained }, costs: [["user intent", { durationMs }]] };
  };
  const outcomes = await runSamples(label, questions, ask, { ...options, concurrency: 1 });
  const intents = new Set(examples.map(({ intent }) => intent)).size;
  return summarizeTopical(
    { dataset: dataset.name, system: name, examplesPerIntent, seed, intents, examples: examples.length, buildMs },
    outcomes,
  );
}

/** The port of everything that finds intents without a language model. */
export interface IntentRanker {
  /** At most `max` intents, best first. */
  rank(text: string, max: number): readonly RankedIntent[] | Promise<readonly RankedIntent[]>;
  /** Below this score the utterance belongs to no intent. It is not read before the ranker was prepared. */
  readonly threshold: number;
  /** Learns now rather than at the first utterance. */
  prepare?(): Promise<void>;
}

/** Makes a ranker of examples; `onProgress` receives the share that is done, from 0 to 1. */
export type CreateIntentRanker = (
  examples: readonly IntentExample[],
  onProgress: (share: number) => void,
) => IntentRanker | Promise<IntentRanker>;

export interface IndexRankerOptions {
  /** Any LangChain embeddings. Default: words and letters. */
  readonly embeddings?: EmbeddingsInterface | undefined;
  /** Minimum angular score. Default: 0, which never abstains. */
  readonly threshold?: number | undefined;
}

/** Several hits can have the same intent, so more hits than intents are requested. */
const HITS_PER_INTENT = 20;

/**
 * Ranks intents by their nearest example in an embedding index.
 *
 * @example
 * ```ts
 * const ranker = createIndexRanker([{ text: "hello", intent: "express greeting" }]);
 * const [best] = await ranker.rank("hello there", 1);
 * ```
 */
export function createIndexRanker(
  examples: readonly IntentExample[],
  { embeddings, threshold = 0 }: IndexRankerOptions = {},
): IntentRanker {
  const items = examples.map(({ text, intent }): IndexItem<string> => ({ text, meta: intent }));
  const index = createMemoryIndex<IndexItem<string>>({ items, embeddings });
  return {
    threshold,
    rank: async (text, max) => {
      const best = new Map<string, number>();
      for (const { item, score } of await index.search(text, max * HITS_PER_INTENT)) {
        if (!best.has(item.meta)) best.set(item.meta, score);
      }
      return [...best].slice(0, max).map(([intent, score]) => ({ intent, score }));
    },
  };
}

import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { createIntentMatcher } from "../../retrieval/matcher/intent-matcher.js";
import { takeSample } from "../dataset/sample.js";
import { takeExamples, type TopicalDataset } from "../dataset/topical.js";
import type { CreateIntentRanker } from "./intent-ranker.js";
import { DEFAULT_SEED, RUN_OPTIONS, type RunOptions, runSamples } from "./run-samples.js";
import { summarizeTopical, type TopicalOutcome, type TopicalResult } from "./topical-result.js";

export interface MatcherOptions extends RunOptions {
  /** The first so many examples of every intent; all unless told. */
  readonly examplesPerIntent?: number | "all" | undefined;
  /** Makes what is evaluated; the embedded matcher unless told. */
  readonly createRanker?: CreateIntentRanker | undefined;
  /** What the report calls it. */
  readonly name?: string | undefined;
}

const OPTIONS: OptionTable<MatcherOptions> = {
  ...RUN_OPTIONS,
  examplesPerIntent: "any",
  createRanker: "function",
  name: "text",
};

interface Question {
  readonly text: string;
  readonly intent?: string;
  readonly line: number;
}

const PERCENT = 100;

const embeddedMatcher: CreateIntentRanker = (examples, onProgress) =>
  createIntentMatcher({ examples, onProgress: ({ total }) => onProgress(total) });

/**
 * How well intents are found without a language model: every test utterance is asked about once, one at a time, and the
 * best intent must be the right one. Out-of-scope utterances give the AUROC of the score.
 *
 * @example
 * ```ts
 * const dataset = await loadTopical(openDataFolder("./data/banking"), { seed: 42 });
 * const { userIntent } = await evaluateMatcher(dataset, { examplesPerIntent: 3 });
 * ```
 */
export async function evaluateMatcher(dataset: TopicalDataset, options: MatcherOptions = {}): Promise<TopicalResult> {
  checkOptions("evaluateMatcher", options, OPTIONS);
  const { examplesPerIntent = "all", seed = DEFAULT_SEED, limit, now = () => performance.now() } = options;
  const { createRanker = embeddedMatcher, name = "embedded matcher", onProgress } = options;
  const label = `${dataset.name}, k=${examplesPerIntent}`;
  const examples = takeExamples(dataset.examples, examplesPerIntent);
  options.signal?.throwIfAborted();
  const startedAt = now();
  const ranker = await createRanker(examples, (share) => {
    onProgress?.({ label: `${label}: learning`, done: Math.round(share * PERCENT), total: PERCENT });
  });
  await ranker.prepare?.();
  options.signal?.throwIfAborted();
  // What learns at the first question has learnt after it.
  await ranker.rank(examples[0]?.text ?? "", 1);
  const buildMs = now() - startedAt;
  const tests: readonly Question[] = takeSample(dataset.tests, limit, { seed, classOf: ({ intent }) => intent });
  const questions = [...tests, ...takeSample(dataset.outOfScope, limit, { seed })];
  const ask = async ({ text, intent, line }: Question): Promise<TopicalOutcome> => {
    const askedAt = now();
    const [best] = await ranker.rank(text, 1);
    const durationMs = now() - askedAt;
    const abstained = best === undefined || best.score < ranker.threshold;
    const found = best === undefined ? {} : { predicted: best.intent, score: best.score };
    return {
      prediction: { line, ...(intent === undefined ? {} : { expected: intent }), ...found, abstained },
      cost: { durationMs },
    };
  };
  const outcomes = await runSamples(label, questions, ask, { ...options, concurrency: 1 });
  const intents = new Set(examples.map(({ intent }) => intent)).size;
  return summarizeTopical(
    { dataset: dataset.name, system: name, examplesPerIntent, seed, intents, examples: examples.length, buildMs },
    outcomes,
  );
}

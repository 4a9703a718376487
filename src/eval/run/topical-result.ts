import { omitUndefined } from "../../engine/plain-data.js";
import { summarizeCosts } from "../metrics/cost.js";
import { computeAuroc, type BinaryMetrics, computeMacroF1, scoreBinary } from "../metrics/classification.js";
import { takeSample } from "../dataset/sample.js";
import type { TopicalDataset } from "../dataset/topical.js";
import { DEFAULT_SEED, type EvaluationSummary, type Outcome, type RunOptions } from "./run-samples.js";
import { bootstrap, estimateShare, type Estimate } from "../metrics/estimate.js";

/** Result for one utterance, named by its line in the data. */
export interface TopicalPrediction {
  readonly line: number;
  /** Absent for an utterance that belongs to no intent. */
  readonly expected?: string;
  /** Absent if nothing was found or something failed. */
  readonly predicted?: string;
  readonly score?: number;
  /** The utterance was taken for one without an intent. */
  readonly abstained: boolean;
  /** The bot's next step was the right one; absent if no flow defines it. */
  readonly botIntent?: boolean;
  /** The bot's message was the right one; absent if none is predefined. */
  readonly botMessage?: boolean;
  readonly error?: string;
}

/** Quality of the recognition of intents. */
export interface TopicalResult extends EvaluationSummary {
  readonly kind: "topical";
  readonly examplesPerIntent: number | "all";
  readonly intents: number;
  readonly examples: number;
  /** The share whose intent was found, whatever its score. */
  readonly userIntent?: Estimate;
  readonly botIntent?: Estimate;
  readonly botMessage?: Estimate;
  readonly macroF1?: number;
  /** The share of utterances with an intent that was taken for having none. */
  readonly abstained?: Estimate;
  readonly outOfScope?: {
    readonly samples: number;
    /** In scope against out of scope by the score of the best intent. */
    readonly auroc?: Estimate;
    /** Of abstaining as a verdict "out of scope". */
    readonly verdicts: BinaryMetrics;
  };
  /** Until the first result, learning included. */
  readonly buildMs?: number;
  readonly predictions: readonly TopicalPrediction[];
}

type Description = Pick<
  TopicalResult,
  "dataset" | "system" | "examplesPerIntent" | "seed" | "intents" | "examples" | "buildMs"
>;

/** The utterances to ask about: tests of all intents, then those out of scope. */
export function takeQuestions(
  { tests, outOfScope }: TopicalDataset,
  { limit, seed = DEFAULT_SEED }: RunOptions,
): readonly { readonly text: string; readonly intent?: string; readonly line: number }[] {
  const inScope = takeSample(tests, limit, { seed, classOf: ({ intent }) => intent });
  return [...inScope, ...takeSample(outOfScope, limit, { seed })];
}

/** Adds up the results of the utterances. Failures count as wrong, and as errors. */
export function summarizeTopical(
  description: Description,
  outcomes: readonly Outcome<TopicalPrediction>[],
): TopicalResult {
  const { seed } = description;
  const predictions = outcomes.map(({ prediction }) => prediction);
  const inScope = predictions.filter(isInScope);
  const steps = inScope.filter(({ botIntent }) => botIntent !== undefined);
  const messages = inScope.filter(({ botMessage }) => botMessage !== undefined);
  return {
    kind: "topical",
    ...description,
    ...omitUndefined({
      userIntent: estimateShare(inScope, ({ predicted, expected }) => predicted === expected, seed),
      botIntent: estimateShare(steps, ({ botIntent }) => botIntent, seed),
      botMessage: estimateShare(messages, ({ botMessage }) => botMessage, seed),
      macroF1: computeMacroF1(inScope),
      abstained: estimateShare(inScope, ({ abstained }) => abstained, seed),
      outOfScope: summarizeOutOfScope(predictions, seed),
    }),
    errors: predictions.filter(({ error }) => error !== undefined).length,
    cost: summarizeCosts(outcomes.flatMap(({ costs }) => costs)),
    predictions,
  };
}

function summarizeOutOfScope(
  predictions: readonly TopicalPrediction[],
  seed: number,
): TopicalResult["outOfScope"] | undefined {
  const outside = predictions.filter((row) => !isInScope(row));
  if (outside.length === 0) return undefined;
  const inScope = predictions.filter(isInScope);
  // An utterance for which nothing was found has the least confidence; if nothing is found for any utterance, there is no ranking.
  const hasScores = predictions.some(({ score }) => score !== undefined);
  const scores = (rows: readonly TopicalPrediction[]): number[] => rows.map(({ score }) => score ?? -Infinity);
  const auroc = hasScores
    ? bootstrap([scores(inScope), scores(outside)], ([inside = [], out = []]) => computeAuroc(inside, out), { seed })
    : undefined;
  const verdicts = predictions.map((row) => ({ actual: !isInScope(row), flagged: row.abstained }));
  return { samples: outside.length, ...omitUndefined({ auroc }), verdicts: scoreBinary(verdicts) };
}

function isInScope(
  row: TopicalPrediction,
): row is TopicalPrediction & { readonly expected: string; readonly predicted: string | undefined } {
  return row.expected !== undefined;
}

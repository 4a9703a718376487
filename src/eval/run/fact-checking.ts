import { omitUndefined } from "../../engine/plain-data.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { FactSample } from "../dataset/labelled-texts.js";
import { takeSample } from "../dataset/sample.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { computeAuroc, type BinaryMetrics, scoreBinary } from "../metrics/classification.js";
import { summarizeCosts } from "../metrics/cost.js";
import { bootstrap, estimateShare, type Estimate } from "../metrics/estimate.js";
import { runRail } from "./ask.js";
import {
  DEFAULT_SEED,
  type EvaluationSummary,
  NAMED_RUN_OPTIONS,
  type NamedRunOptions,
  type Outcome,
  runSamples,
} from "./run-samples.js";

export interface FactCheckingOptions extends NamedRunOptions {
  /** Default: `self check facts`. */
  readonly rail?: string | undefined;
}

const OPTIONS: OptionTable<FactCheckingOptions> = { ...NAMED_RUN_OPTIONS, rail: "text" };

export interface FactCheckingResult extends EvaluationSummary {
  readonly kind: "fact-checking";
  readonly rail: string;
  readonly samples: number;
  /** The share of grounded answers that passed. */
  readonly positiveAccuracy?: Estimate;
  /** The share of ungrounded answers that were flagged. */
  readonly negativeAccuracy?: Estimate;
  readonly accuracy?: Estimate;
  /** Of flagging as a verdict "ungrounded". */
  readonly metrics: BinaryMetrics;
  /** Class separation (AUROC) without any checking, by counting alone. */
  readonly baselines: { readonly answerLength?: Estimate; readonly wordOverlap?: Estimate };
  readonly predictions: readonly FactPrediction[];
}

interface FactPrediction {
  readonly line: number;
  readonly grounded: boolean;
  readonly flagged?: boolean;
  readonly error?: string;
}

/**
 * Evaluates how well the fact-checking rail separates grounded from ungrounded answers, each checked against its own
 * evidence. The baselines separate them by answer length and by shared words.
 *
 * @example
 * ```ts
 * const samples = await loadFactChecking(openDataFolder("./data/factcheck"));
 * const { accuracy } = await evaluateFactChecking(samples, guardrails);
 * ```
 */
export async function evaluateFactChecking(
  samples: readonly FactSample[],
  guardrails: Guardrails,
  options: FactCheckingOptions = {},
): Promise<FactCheckingResult> {
  checkOptions("evaluateFactChecking", options, OPTIONS);
  const { dataset = "fact-checking", system = "model", rail = "self check facts" } = options;
  const { seed = DEFAULT_SEED, limit } = options;
  const taken = takeSample(samples, limit, { seed, classOf: ({ grounded }) => String(grounded) });
  const ask = async (sample: FactSample, signal: AbortSignal): Promise<Outcome<FactPrediction>> => {
    const { line, grounded, evidence, question, answer } = sample;
    // The rail only runs if a flow requests it, so the evaluation does.
    const subject = { user: question, bot: answer, relevantChunks: evidence, context: { check_facts: true } };
    const { verdict, error, cost } = await runRail(guardrails, rail, subject, signal);
    return { prediction: omitUndefined({ line, grounded, flagged: verdict, error }), costs: [[rail, cost]] };
  };
  const outcomes = await runSamples("fact-checking", taken, ask, options);
  const predictions = outcomes.map(({ prediction }) => prediction);
  const decided = predictions.flatMap(({ grounded, flagged }) =>
    flagged === undefined ? [] : [{ actual: !grounded, flagged }],
  );
  const accuracyOf = (rows: typeof decided) => estimateShare(rows, ({ actual, flagged }) => actual === flagged, seed);
  const [ungrounded, grounded] = [true, false].map((kind) => decided.filter(({ actual }) => actual === kind));
  return {
    kind: "fact-checking",
    dataset,
    system,
    rail,
    seed,
    samples: taken.length,
    ...omitUndefined({
      positiveAccuracy: accuracyOf(grounded ?? []),
      negativeAccuracy: accuracyOf(ungrounded ?? []),
      accuracy: accuracyOf(decided),
    }),
    metrics: scoreBinary(decided),
    errors: predictions.length - decided.length,
    baselines: computeBaselines(taken, seed),
    cost: summarizeCosts(outcomes.flatMap(({ costs }) => costs)),
    predictions,
  };
}

/** Predicts that longer answers, and answers that share fewer words with the evidence, are ungrounded. */
function computeBaselines(samples: readonly FactSample[], seed: number): FactCheckingResult["baselines"] {
  const separate = (score: (sample: FactSample) => number): Estimate | undefined => {
    const scores = (grounded: boolean): number[] => samples.filter((sample) => sample.grounded === grounded).map(score);
    const groups = [scores(false), scores(true)];
    return bootstrap(groups, ([positives = [], negatives = []]) => computeAuroc(positives, negatives), { seed });
  };
  return omitUndefined({
    answerLength: separate(({ answer }) => answer.length),
    wordOverlap: separate(({ answer, evidence }) => -shareOfWords(answer, evidence)),
  });
}

function shareOfWords(answer: string, evidence: string): number {
  const known = new Set(wordsOf(evidence));
  const words = wordsOf(answer);
  return words.length === 0 ? 1 : words.filter((word) => known.has(word)).length / words.length;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

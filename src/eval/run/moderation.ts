import { omitUndefined } from "../../engine/plain-data.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { ModerationSample } from "../dataset/labelled-texts.js";
import { takeSample } from "../dataset/sample.js";
import type { Judge } from "../judge/judge.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { askMainModel, runRails } from "./ask.js";
import {
  DEFAULT_SEED,
  type EvaluationSummary,
  NAMED_RUN_OPTIONS,
  type NamedRunOptions,
  type Outcome,
  runSamples,
} from "./run-samples.js";
import { type BinaryMetrics, scoreBinary } from "../metrics/classification.js";
import { type NamedCost, summarizeCosts } from "../metrics/cost.js";
import { estimateShare, type Estimate } from "../metrics/estimate.js";

export interface ModerationOptions extends NamedRunOptions {
  /** Decides which responses are refusals of the model itself; without one only rails block. */
  readonly judge?: Judge | undefined;
  /** Default: those that the configuration lists, else `self check input`. */
  readonly inputRails?: readonly string[] | undefined;
  /** Default: those that the configuration lists, else `self check output`. */
  readonly outputRails?: readonly string[] | undefined;
}

const OPTIONS: OptionTable<ModerationOptions> = {
  ...NAMED_RUN_OPTIONS,
  judge: "object",
  inputRails: "names",
  outputRails: "names",
};

/**
 * Evaluates which harmful and which helpful requests are blocked, without rails and with them. For every request, the
 * input rails run, the main model responds whatever they decide, and the output rails check the response; the judge
 * decides if the response is a refusal. So one run measures each rail alone and the pipeline.
 *
 * @example
 * ```ts
 * const samples = await loadModeration(openDataFolder("./data/moderation"));
 * const judge = await createJudge({ llm });
 * const { configurations } = await evaluateModeration(samples, guardrails, { judge, limit: 50 });
 * ```
 */
export async function evaluateModeration(
  samples: readonly ModerationSample[],
  guardrails: Guardrails,
  options: ModerationOptions = {},
): Promise<ModerationResult> {
  checkOptions("evaluateModeration", options, OPTIONS);
  const { seed = DEFAULT_SEED, limit, judge, now = () => performance.now() } = options;
  const { input, output } = guardrails.config.settings.rails;
  const inputRails = options.inputRails ?? listed(input.flows, "self check input");
  const outputRails = options.outputRails ?? listed(output.flows, "self check output");
  const taken = takeSample(samples, limit, { seed, classOf: ({ label }) => label });
  const ask = async (
    { text, label, line }: ModerationSample,
    signal: AbortSignal,
  ): Promise<Outcome<ModerationPrediction>> => {
    const [before, response] = await Promise.all([
      runRails(guardrails, inputRails, { user: text }, signal),
      askMainModel(guardrails, text, { signal, now }),
    ]);
    const hasResponse = response.error === undefined;
    const [after, refusal] = await Promise.all([
      hasResponse ? runRails(guardrails, outputRails, { user: text, bot: response.text }, signal) : undefined,
      hasResponse ? judge?.isRefusal(text, response.text, signal) : undefined,
    ]);
    const costs: NamedCost[] = [...before.costs, ["response", response.cost], ...(after?.costs ?? [])];
    if (refusal !== undefined) costs.push(["judge", refusal.cost]);
    const verdicts = omitUndefined({ input: before.verdict, output: after?.verdict, refused: refusal?.verdict });
    const errors = [before, response, after, refusal].flatMap((part) => part?.error ?? []);
    return { prediction: { line, label, ...verdicts, errors }, costs };
  };
  const outcomes = await runSamples("moderation", taken, ask, options);
  const { dataset = "moderation", system = "model" } = options;
  return summarizeModeration({ dataset, system, seed, isJudged: judge !== undefined }, outcomes);
}

function listed(rails: readonly string[], otherwise: string): readonly string[] {
  return rails.length > 0 ? rails : [otherwise];
}

/** Block rates of one way to run the same requests. */
export interface BlockRates {
  readonly name: string;
  readonly harmfulBlocked?: Estimate;
  readonly helpfulBlocked?: Estimate;
  /** Of blocking as a verdict "harmful". */
  readonly metrics: BinaryMetrics;
  /** Requests without a verdict; they are in none of the figures. */
  readonly errors: number;
}

export interface ModerationResult extends Omit<EvaluationSummary, "errors"> {
  readonly kind: "moderation";
  readonly samples: number;
  /** The model's own refusals count as blocks. */
  readonly isJudged: boolean;
  /** Each kind of rail alone, on every request. */
  readonly rails: readonly BlockRates[];
  /** The user's view: without rails, with input rails, with input and output rails. */
  readonly configurations: readonly BlockRates[];
  readonly predictions: readonly ModerationPrediction[];
}

interface ModerationPrediction {
  readonly line: number;
  readonly label: ModerationSample["label"];
  readonly input?: boolean;
  readonly output?: boolean;
  readonly refused?: boolean;
  readonly errors: readonly string[];
}

type Blocks = (prediction: ModerationPrediction) => boolean | undefined;

/** One blocking part is enough; otherwise a part without a verdict leaves the whole without one. */
function anyOf(...parts: readonly Blocks[]): Blocks {
  return (prediction) => {
    const verdicts = new Set(parts.map((part) => part(prediction)));
    if (verdicts.has(true)) return true;
    return verdicts.has(undefined) ? undefined : false;
  };
}

function summarizeModeration(
  description: Pick<ModerationResult, "dataset" | "system" | "seed" | "isJudged">,
  outcomes: readonly Outcome<ModerationPrediction>[],
): ModerationResult {
  const predictions = outcomes.map(({ prediction }) => prediction);
  const rates = (name: string, blocks: Blocks): BlockRates => blockRates(name, predictions, blocks, description.seed);
  const input: Blocks = (prediction) => prediction.input;
  const output: Blocks = (prediction) => prediction.output;
  const refused: Blocks = (prediction) => (description.isJudged ? prediction.refused : false);
  return {
    kind: "moderation",
    ...description,
    samples: outcomes.length,
    rails: [rates("input rails alone", input), rates("output rails alone", output)],
    configurations: [
      ...(description.isJudged ? [rates("no rails", refused)] : []),
      rates("input rails", anyOf(input, refused)),
      rates("input and output rails", anyOf(input, refused, output)),
    ],
    cost: summarizeCosts(outcomes.flatMap(({ costs }) => costs)),
    predictions,
  };
}

function blockRates(name: string, all: readonly ModerationPrediction[], blocks: Blocks, seed: number): BlockRates {
  const decided = all.flatMap((prediction) => {
    const flagged = blocks(prediction);
    return flagged === undefined ? [] : [{ actual: prediction.label === "harmful", flagged }];
  });
  const blocked = (isHarmful: boolean): Estimate | undefined => {
    const own = decided.filter(({ actual }) => actual === isHarmful);
    return estimateShare(own, ({ flagged }) => flagged, seed);
  };
  return {
    name,
    ...omitUndefined({ harmfulBlocked: blocked(true), helpfulBlocked: blocked(false) }),
    metrics: scoreBinary(decided),
    errors: all.length - decided.length,
  };
}

import { omitUndefined } from "../../engine/plain-data.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { FalsePremiseQuestion } from "../dataset/labelled-texts.js";
import { takeSample } from "../dataset/sample.js";
import type { Judge } from "../judge/judge.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { type NamedCost, summarizeCosts } from "../metrics/cost.js";
import { estimateShare, type Estimate } from "../metrics/estimate.js";
import { askMainModel, runRail } from "./ask.js";
import {
  DEFAULT_SEED,
  type EvaluationSummary,
  NAMED_RUN_OPTIONS,
  type NamedRunOptions,
  type Outcome,
  runSamples,
} from "./run-samples.js";

export interface HallucinationOptions extends NamedRunOptions {
  /** Judge of the responses that notice the false premise; without one only the share of the rail is known. */
  readonly judge?: Judge | undefined;
  /** Default: `self check hallucination`. */
  readonly rail?: string | undefined;
}

const OPTIONS: OptionTable<HallucinationOptions> = { ...NAMED_RUN_OPTIONS, judge: "object", rail: "text" };

export interface HallucinationResult extends EvaluationSummary {
  readonly kind: "hallucination";
  readonly rail: string;
  readonly samples: number;
  /** The share of responses that notice the false premise or admit not to know. */
  readonly deflected?: Estimate;
  /** The share of all responses that the rail flags. */
  readonly flagged?: Estimate;
  /** The share of the other responses, the failures, that the rail flags. */
  readonly intercepted?: Estimate;
  /** The share of questions that end well: deflected by the model or intercepted by the rail. */
  readonly handled?: Estimate;
  readonly predictions: readonly HallucinationPrediction[];
}

interface HallucinationPrediction {
  readonly line: number;
  /** For people to read, since there is no ground truth. */
  readonly response: string;
  readonly deflected?: boolean;
  readonly flagged?: boolean;
  readonly errors: readonly string[];
}

/**
 * Evaluates questions that rest on something untrue: the main model's response may notice it, and the rail may flag the
 * response. Anything but a deflection is a failure of the model.
 *
 * @example
 * ```ts
 * const questions = await loadHallucination(openDataFolder("./data/hallucination"));
 * const { handled } = await evaluateHallucination(questions, guardrails, { judge });
 * ```
 */
export async function evaluateHallucination(
  questions: readonly FalsePremiseQuestion[],
  guardrails: Guardrails,
  options: HallucinationOptions = {},
): Promise<HallucinationResult> {
  checkOptions("evaluateHallucination", options, OPTIONS);
  const { seed = DEFAULT_SEED, limit, judge, now = () => performance.now() } = options;
  const { dataset = "hallucination", system = "model", rail = "self check hallucination" } = options;
  const taken = takeSample(questions, limit, { seed });
  const ask = async (
    { text, line }: FalsePremiseQuestion,
    signal: AbortSignal,
  ): Promise<Outcome<HallucinationPrediction>> => {
    const response = await askMainModel(guardrails, text, { signal, now });
    const costs: NamedCost[] = [["response", response.cost]];
    if (response.error !== undefined) {
      return { prediction: { line, response: response.text, errors: [response.error] }, costs };
    }
    const subject = { user: text, bot: response.text, context: { check_hallucination: true } };
    const [run, judgement] = await Promise.all([
      runRail(guardrails, rail, subject, signal),
      judge?.isDeflection(text, response.text, signal),
    ]);
    costs.push([rail, run.cost]);
    if (judgement !== undefined) costs.push(["judge", judgement.cost]);
    const prediction = omitUndefined({
      line,
      response: response.text,
      deflected: judgement?.verdict,
      flagged: run.verdict,
    });
    return { prediction: { ...prediction, errors: [run.error ?? [], judgement?.error ?? []].flat() }, costs };
  };
  const outcomes = await runSamples("hallucination", taken, ask, options);
  const predictions = outcomes.map(({ prediction }) => prediction);
  const judged = predictions.filter(({ deflected }) => deflected !== undefined);
  const checked = predictions.filter(({ flagged }) => flagged !== undefined);
  const both = judged.filter(({ flagged }) => flagged !== undefined);
  const failed = both.filter((row) => row.deflected === false);
  return {
    kind: "hallucination",
    dataset,
    system,
    rail,
    seed,
    samples: taken.length,
    ...omitUndefined({
      deflected: estimateShare(judged, (row) => row.deflected, seed),
      flagged: estimateShare(checked, (row) => row.flagged, seed),
      intercepted: estimateShare(failed, (row) => row.flagged, seed),
      handled: estimateShare(both, (row) => row.deflected === true || row.flagged === true, seed),
    }),
    errors: predictions.length - (judge === undefined ? checked.length : both.length),
    predictions,
    cost: summarizeCosts(outcomes.flatMap(({ costs }) => costs)),
  };
}

import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { ModerationSample } from "../dataset/moderation.js";
import { takeSample } from "../dataset/sample.js";
import type { Judge } from "../judge/judge.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { askMainModel } from "./model-answer.js";
import { runRails } from "./rail-run.js";
import { DEFAULT_SEED, RUN_OPTIONS, type RunOptions, runSamples } from "./run-samples.js";
import { type ModerationOutcome, type ModerationResult, summarizeModeration } from "./moderation-result.js";

export interface ModerationOptions extends RunOptions {
  readonly dataset?: string | undefined;
  readonly system?: string | undefined;
  /** Tells which answers are refusals of the model itself; without one only rails block. */
  readonly judge?: Judge | undefined;
  /** Those the configuration lists unless told, else `self check input`. */
  readonly inputRails?: readonly string[] | undefined;
  /** Those the configuration lists unless told, else `self check output`. */
  readonly outputRails?: readonly string[] | undefined;
}

const OPTIONS: OptionTable<ModerationOptions> = {
  ...RUN_OPTIONS,
  dataset: "text",
  system: "text",
  judge: "object",
  inputRails: "names",
  outputRails: "names",
};

/**
 * How much harmful and how much helpful is blocked, without rails and with them. Every request is shown to the input
 * rails, answered by the main model whatever they say, and the answer is shown to the output rails; the judge tells
 * whether the answer is a refusal. So one run gives the figures of each rail alone and of the pipeline.
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
  const ask = async ({ text, label, line }: ModerationSample, signal: AbortSignal): Promise<ModerationOutcome> => {
    const [before, answer] = await Promise.all([
      runRails(guardrails, inputRails, { user: text }, signal),
      askMainModel(guardrails, text, { signal, now }),
    ]);
    if (answer.error !== undefined) return { label, line, input: before, answer };
    const [after, refusal] = await Promise.all([
      runRails(guardrails, outputRails, { user: text, bot: answer.text }, signal),
      judge?.isRefusal(text, answer.text, signal),
    ]);
    return { label, line, input: before, answer, output: after, refusal };
  };
  const outcomes = await runSamples("moderation", taken, ask, options);
  const { dataset = "moderation", system = "model" } = options;
  return summarizeModeration({ dataset, system, seed, isJudged: judge !== undefined }, outcomes);
}

function listed(rails: readonly string[], otherwise: string): readonly string[] {
  return rails.length > 0 ? rails : [otherwise];
}

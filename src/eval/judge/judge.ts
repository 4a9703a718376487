import type { Runnable } from "@langchain/core/runnables";
import { checkOptions } from "../../diagnostics/options.js";
import type { RailsConfig } from "../../config/rails-config.js";
import { combineConfigs, loadConfig } from "../../langchain/configs.js";
import { Guardrails } from "../../langchain/guardrails.js";
import type { CostSample } from "../metrics/cost.js";
import { runRail } from "../run/rail-run.js";
import { DEFLECTION_TASK, judgeContent, REFUSAL_TASK } from "./prompts.js";

/** A verdict about a model's answer; absent when the judge gave none that can be read. */
export interface Judgement {
  readonly verdict?: boolean;
  readonly error?: string;
  readonly cost: CostSample;
}

/** Tells what a model's answer amounts to. A person, a classifier or a model can be one. */
export interface Judge {
  /** Whether the answer declines the request. */
  isRefusal(question: string, answer: string, signal: AbortSignal): Promise<Judgement>;
  /** Whether the answer to a question with a false premise notices it, or admits not to know. */
  isDeflection(question: string, answer: string, signal: AbortSignal): Promise<Judgement>;
}

export interface JudgeOptions {
  /** The model that judges. */
  readonly llm?: Runnable;
  /** Its models judge: those of the types `evaluate_refusal` and `evaluate_deflection`, else the main model. */
  readonly config?: RailsConfig;
}

/**
 * A judge that asks a model. Its replies are read as those of the self-check rails: after an unclear one the model is asked
 * once more in a stricter format, and then there is no verdict.
 *
 * @example
 * ```ts
 * const judge = await createJudge({ llm: new ChatOpenAI({ model: "gpt-4o-mini" }) });
 * ```
 */
export async function createJudge(options: JudgeOptions): Promise<Judge> {
  checkOptions("createJudge", options, { llm: "object", config: "object" });
  const { llm, config } = options;
  const given = llm === undefined ? {} : { llm };
  const prompts = await loadConfig(judgeContent, given);
  const joined = config === undefined ? prompts : await combineConfigs(config, prompts);
  const guardrails = await Guardrails.fromConfig(joined, given);
  const ask =
    (task: string) =>
    async (question: string, answer: string, signal: AbortSignal): Promise<Judgement> => {
      const rail = `self check output $variant=${task}`;
      const { flagged, error, cost } = await runRail(guardrails, rail, { user: question, bot: answer }, signal);
      return error === undefined ? { verdict: flagged, cost } : { error, cost };
    };
  return { isRefusal: ask(REFUSAL_TASK), isDeflection: ask(DEFLECTION_TASK) };
}

import type { CostSample } from "../metrics/cost.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { readSampleError } from "./sample-error.js";
import { addUsage } from "./usage-meter.js";

/** What the user would be told when no rail checked anything. */
export interface ModelAnswer {
  readonly text: string;
  readonly error?: string;
  readonly cost: CostSample;
}

const NO_RAILS = { input: false, retrieval: false, output: false } as const;

/**
 * Asks the main model with the configuration's instructions and without input and output rails. Flows of the dialog, where
 * there are any, still decide what the bot does: they are the application and no check.
 */
export async function askMainModel(
  guardrails: Guardrails,
  question: string,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<ModelAnswer> {
  const startedAt = now();
  try {
    const { response, explain, log } = await guardrails.generate(question, { rails: NO_RAILS }, { signal });
    const usage = explain.llmCalls.reduce((total: CostSample["usage"], call) => addUsage(total, call.usage), undefined);
    const [problem] = log.errors;
    return {
      text: typeof response === "string" ? response : "",
      ...(problem === undefined ? {} : { error: problem.message }),
      cost: { durationMs: now() - startedAt, usage },
    };
  } catch (error) {
    return { text: "", error: readSampleError(error, signal), cost: { durationMs: now() - startedAt } };
  }
}

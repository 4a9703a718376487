import type { CostSample, NamedCost } from "../metrics/cost.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import type { RailInput } from "../../langchain/steps/runtime-steps.js";
import { GuardrailsError } from "../../diagnostics/errors.js";

/** A verdict on one sample. */
export interface Judgement {
  /** True if the rail or the judge flags the sample; absent if there is no verdict, which counts neither way. */
  readonly verdict?: boolean;
  /** Reason why there is no verdict. */
  readonly error?: string;
  readonly cost: CostSample;
}

/** Asks one rail, through the same runnable that programs use. */
export async function runRail(
  guardrails: Guardrails,
  rail: string,
  input: RailInput,
  signal: AbortSignal,
): Promise<Judgement> {
  try {
    const { status, reason, durationMs, usage } = await guardrails.rail(rail).invoke(input, { signal });
    const cost = { durationMs, usage };
    return status === "error" ? { error: reason ?? "the rail failed", cost } : { verdict: status === "blocked", cost };
  } catch (error) {
    return { error: readSampleError(error, signal), cost: { durationMs: 0 } };
  }
}

/** Runs rails in order, as a configuration does: the first one that flags ends it. */
export async function runRails(
  guardrails: Guardrails,
  rails: readonly string[],
  input: RailInput,
  signal: AbortSignal,
): Promise<Omit<Judgement, "cost"> & { readonly costs: readonly NamedCost[] }> {
  const costs: NamedCost[] = [];
  let failure: string | undefined;
  for (const rail of rails) {
    const { verdict, error, cost } = await runRail(guardrails, rail, input, signal);
    costs.push([rail, cost]);
    if (verdict === true) return { verdict, costs };
    failure ??= error;
  }
  return failure === undefined ? { verdict: false, costs } : { error: failure, costs };
}

/**
 * Reads the failure of one sample: rails and models that fail are a result of the evaluation, and are counted.
 *
 * @throws the error itself if the run was aborted, or if it is a programming error rather than a failing model
 */
export function readSampleError(error: unknown, signal: AbortSignal): string {
  if (signal.aborted || !GuardrailsError.isInstance(error)) throw error;
  return error.message;
}

const NO_RAILS = { input: false, retrieval: false, output: false } as const;

/**
 * Calls the main model with the configuration's instructions and without input and output rails. Dialog flows, if any,
 * still decide the bot's actions: they are the application, not a check.
 */
export async function askMainModel(
  guardrails: Guardrails,
  question: string,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<{ readonly text: string; readonly error?: string; readonly cost: CostSample }> {
  const startedAt = now();
  try {
    const { response, explain, log } = await guardrails.generate(question, { rails: NO_RAILS }, { signal });
    const [problem] = log.errors;
    return {
      text: typeof response === "string" ? response : "",
      ...(problem === undefined ? {} : { error: problem.message }),
      cost: { durationMs: now() - startedAt, usage: explain.usage },
    };
  } catch (error) {
    return { text: "", error: readSampleError(error, signal), cost: { durationMs: now() - startedAt } };
  }
}

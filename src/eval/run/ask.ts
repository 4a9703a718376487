import type { CostSample } from "../metrics/cost.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import type { RailInput } from "../../langchain/steps/runtime-steps.js";
import { GuardrailsError } from "../../diagnostics/errors.js";

/** Verdict of a rail on one sample. */
export interface RailRun {
  readonly rail: string;
  readonly flagged: boolean;
  /** Reason why there is no verdict. A rail that failed counts neither as flagged nor as passed. */
  readonly error?: string;
  readonly cost: CostSample;
}

/** Asks one rail, through the same runnable that programs use. */
export async function runRail(
  guardrails: Guardrails,
  rail: string,
  input: RailInput,
  signal: AbortSignal,
): Promise<RailRun> {
  try {
    const { status, reason, durationMs, usage } = await guardrails.rail(rail).invoke(input, { signal });
    return {
      rail,
      flagged: status === "blocked",
      ...(status === "error" ? { error: reason ?? "the rail failed" } : {}),
      cost: { durationMs, usage },
    };
  } catch (error) {
    return { rail, flagged: false, error: readSampleError(error, signal), cost: { durationMs: 0 } };
  }
}

/** Verdict of several rails: one that flags is enough, and those after it are not asked. */
export interface RailsRun {
  readonly flagged: boolean;
  readonly error?: string;
  readonly runs: readonly RailRun[];
}

/** Asks rails one after the other, as a configuration does. */
export async function runRails(
  guardrails: Guardrails,
  rails: readonly string[],
  input: RailInput,
  signal: AbortSignal,
): Promise<RailsRun> {
  const runs: RailRun[] = [];
  for (const rail of rails) {
    const run = await runRail(guardrails, rail, input, signal);
    runs.push(run);
    if (run.flagged) return { flagged: true, runs };
  }
  const failed = runs.find(({ error }) => error !== undefined);
  return { flagged: false, ...(failed?.error === undefined ? {} : { error: failed.error }), runs };
}

/**
 * Reads the failure of one sample: rails and models that fail are a result of the evaluation, and are counted.
 *
 * @throws the error itself when the run was aborted, or if it is a mistake in code and not a failing model
 */
export function readSampleError(error: unknown, signal: AbortSignal): string {
  if (signal.aborted || !GuardrailsError.isInstance(error)) throw error;
  return error.message;
}

/** The main model's message without any rail. */
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

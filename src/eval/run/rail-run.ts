import type { CostSample } from "../metrics/cost.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import type { RailInput } from "../../langchain/steps/subject.js";
import { readSampleError } from "./sample-error.js";

/** What a rail said about one sample. */
export interface RailRun {
  readonly rail: string;
  readonly flagged: boolean;
  /** Why there is no verdict. A rail that failed counts neither as flagged nor as passed. */
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

/** What several rails said together: one that flags is enough, and those after it are not asked. */
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

import { LimitError } from "../diagnostics/errors.js";
import type { EngineLimits, RailBudget } from "../engine/limits.js";

const NONE: Readonly<Record<string, unknown>> = {};

/** Counts that limits bound. */
export interface TurnCounts {
  readonly events: number;
  readonly modelCalls: number;
}

/** Totals that all parts of one call share. */
export interface CallTotals {
  events: number;
  modelCalls: number;
  /** Context variables of the call, as far as they have been put together. */
  variables: Readonly<Record<string, unknown>>;
  /** Costs of rails so far, where they are bounded. Copies of a turn add to the same. */
  readonly spending: { -readonly [Key in keyof RailBudget]: number } | undefined;
  /** Variables that stages have left since; most calls have one stage, which needs none. */
  readonly assigned: Readonly<Record<string, unknown>>[];
}

export function newTotals({ railBudget }: EngineLimits): CallTotals {
  const spending = railBudget === undefined ? undefined : { calls: 0, tokens: 0, milliseconds: 0 };
  return { events: 0, modelCalls: 0, variables: NONE, spending, assigned: [] };
}

/** Error of a rail that needs more than `rails.budget` leaves it. */
export function exhausted(part: keyof RailBudget, budget: RailBudget): LimitError {
  const unit = part === "calls" ? "model calls" : part;
  return new LimitError(
    `the budget of rails is exhausted: ${budget[part]} ${unit} in a turn (\`rails.budget.${part}\`)`,
    {
      limit: `rails.budget.${part}`,
      maximum: budget[part],
    },
  );
}

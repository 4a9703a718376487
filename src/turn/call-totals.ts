import { LimitError } from "../diagnostics/errors.js";
import type { EngineLimits, RailBudget } from "../engine/limits.js";

const NONE: Readonly<Record<string, unknown>> = {};

/** Counts that limits bound. */
export interface TurnCounts {
  readonly events: number;
  readonly modelCalls: number;
}

/** Totals shared by all parts of one call. */
export interface CallTotals {
  events: number;
  modelCalls: number;
  /** Context variables of the call, as merged so far. */
  variables: Readonly<Record<string, unknown>>;
  /** Costs of rails so far, if limited. Copies of a turn share the same totals. */
  readonly spending: { -readonly [Key in keyof RailBudget]: number } | undefined;
  /** Variables set by stages since then; most calls have one stage, which needs none. */
  readonly assigned: Readonly<Record<string, unknown>>[];
}

export function newTotals({ railBudget }: EngineLimits): CallTotals {
  const spending = railBudget === undefined ? undefined : { calls: 0, tokens: 0, milliseconds: 0 };
  return { events: 0, modelCalls: 0, variables: NONE, spending, assigned: [] };
}

/** Error of a rail that exceeds the remaining `rails.budget`. */
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

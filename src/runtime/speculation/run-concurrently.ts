import { selectRails } from "../../rails/plan.js";
import type { RailServices } from "../../rails/services.js";
import { areMarkersAwaited } from "../../rails/stage-outcome.js";
import { type StageOutcome } from "../../turn/decision.js";
import type { StageRequest } from "../../rails/rail-dialect.js";
import type { Turn } from "../../turn/turn.js";
import { Speculation } from "./speculation.js";

/** Callbacks of the input stage that control speculation. */
export type SpeculationHooks = Pick<StageRequest, "onFinalText" | "onBlock">;

/** A stage of input rails, and what the turn would do next. */
export interface ConcurrentStage {
  readonly turn: Turn;
  readonly stage: (hooks: SpeculationHooks) => Promise<StageOutcome>;
  /**
   * Goes on with a copy as if the rails had let the text pass, given the variables as they are then. It throws nothing: what
   * fails here fails behind the verdict too.
   */
  readonly ahead: (speculation: Speculation, context: Readonly<Record<string, unknown>>) => Promise<void>;
}

/**
 * Runs the input rails, and beside them what the turn does next, as far as it only asks models.
 *
 * INVARIANT: the outcome is that of the stage alone. Calls that were begun are there for the turn to take over, or ended.
 */
export async function runConcurrently(
  services: RailServices,
  { turn, stage, ahead }: ConcurrentStage,
): Promise<StageOutcome> {
  const speculation = openSpeculation(services, turn);
  if (speculation === undefined) return stage({});
  try {
    const outcome = await stage({
      onFinalText: (context) => void ahead(speculation, context),
      onBlock: () => speculation.discard(),
    });
    if (outcome.blocked) {
      speculation.discard();
      return outcome;
    }
    speculation.settle();
    turn.speculation = speculation.behind;
    return outcome;
  } catch (error) {
    speculation.discard();
    throw error;
  }
}

/** None where a flow waits for the events of the stage: it may do anything there. */
function openSpeculation(services: RailServices, turn: Turn): Speculation | undefined {
  const { options } = turn;
  if (!services.config.settings.rails.input.speculative || turn.speculation !== undefined) return undefined;
  if (options.rails?.dialog === false || areMarkersAwaited(services, "input")) return undefined;
  return selectRails(services, options, "input").length === 0 ? undefined : new Speculation(turn.cancellation);
}
